"""Turns the packaged networks into the int8 .tflite files that modelc packs for the firmware."""
