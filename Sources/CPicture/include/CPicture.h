// JPEG through libjpeg and PNG through libspng, RGB with 8 bits a channel. libjpeg reports errors
// by longjmp, which must not cross Swift: it stays in here. All functions answer 0, or -1 with a
// message.
#pragma once

#include <stddef.h>
#include <stdint.h>

enum { PICTURE_MESSAGE_BYTES = 128 };

struct picture_size {
  uint32_t width;
  uint32_t height;
};

/// What the header says; nothing is decoded.
int picture_jpeg_size(const uint8_t *bytes, size_t count, struct picture_size *size, char *message);
int picture_png_size(const uint8_t *bytes, size_t count, struct picture_size *size, char *message);
/// Decodes into width x height x 3 bytes. Damaged or missing data is an error.
int picture_jpeg_decode(const uint8_t *bytes, size_t count, uint8_t *rgb, size_t rgb_bytes,
                        char *message);
int picture_png_decode(const uint8_t *bytes, size_t count, uint8_t *rgb, size_t rgb_bytes,
                       char *message);
/// The TIFF data of the eXIf chunk, copied to `exif`; answers its length, 0 without one.
size_t picture_png_exif(const uint8_t *bytes, size_t count, uint8_t *exif, size_t room);
/// Encodes width x height x 3 bytes. `*png` is freed with picture_free.
int picture_png_encode(const uint8_t *rgb, struct picture_size size, uint8_t **png, size_t *count,
                       char *message);
void picture_free(void *png);
