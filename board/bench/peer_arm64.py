"""LiteRT in an emulated arm64 Python, for counting its instructions.

    python3.11 peer_arm64.py SITE RUNS MODEL.tflite...

Runs every model twice, then RUNS times between two calls of getppid, which the emulator's plugin
(instructions.c) notes. One thread; the input is all zeros. SITE has the unpacked wheels.
"""

import os
import sys

sys.path.insert(0, sys.argv[1])

import numpy as np  # noqa: E402
from ai_edge_litert.interpreter import Interpreter  # noqa: E402

runs = int(sys.argv[2])
for path in sys.argv[3:]:
    network = Interpreter(model_path=path, num_threads=1)
    network.allocate_tensors()
    for port in network.get_input_details():
        network.set_tensor(port["index"], np.zeros(port["shape"], port["dtype"]))
    network.invoke()
    network.invoke()
    os.getppid()
    for _ in range(runs):
        network.invoke()
    os.getppid()
