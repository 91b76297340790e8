#include "CPicture.h"

#include <setjmp.h>
#include <spng.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <jpeglib.h>
#include <jerror.h>

// libjpeg: every call that may fail runs after setjmp; the handlers below jump back to it.

struct jpeg_failure {
  struct jpeg_error_mgr manager;
  jmp_buf back;
  char *message;
};

static void fail(j_common_ptr info) {
  struct jpeg_failure *failure = (struct jpeg_failure *)info->err;
  char text[JMSG_LENGTH_MAX];
  info->err->format_message(info, text);
  snprintf(failure->message, PICTURE_MESSAGE_BYTES, "%s", text);
  longjmp(failure->back, 1);
}

static void refuse(j_common_ptr info, const char *why) {
  struct jpeg_failure *failure = (struct jpeg_failure *)info->err;
  snprintf(failure->message, PICTURE_MESSAGE_BYTES, "%s", why);
  longjmp(failure->back, 1);
}

static void note(j_common_ptr info, int level) {
  if (level >= 0) return;
  // Harmless in files that cameras and editors write; everything else is damage.
  int code = info->err->msg_code;
  if (code == JWRN_EXTRANEOUS_DATA || code == JWRN_ADOBE_XFORM || code == JWRN_JFIF_MAJOR) return;
  fail(info);
}

// A small file can ask for thousands of passes over a large picture.
enum { MOST_SCANS = 500 };

static void watch(j_common_ptr info) {
  if (((j_decompress_ptr)info)->input_scan_number > MOST_SCANS) refuse(info, "too many scans");
}

struct jpeg_reader {
  struct jpeg_decompress_struct info;
  struct jpeg_failure failure;
  struct jpeg_progress_mgr progress;
};

static void open_jpeg(struct jpeg_reader *r, const uint8_t *bytes, size_t count) {
  jpeg_create_decompress(&r->info);
  r->info.progress = &r->progress;
  jpeg_mem_src(&r->info, bytes, count);
  jpeg_read_header(&r->info, TRUE);
}

static void prepare(struct jpeg_reader *r, char *message) {
  memset(r, 0, sizeof *r);
  r->info.err = jpeg_std_error(&r->failure.manager);
  r->failure.manager.error_exit = fail;
  r->failure.manager.emit_message = note;
  r->failure.message = message;
  r->progress.progress_monitor = watch;
}

int picture_jpeg_size(const uint8_t *bytes, size_t count, struct picture_size *size,
                      char *message) {
  struct jpeg_reader r;
  prepare(&r, message);
  if (setjmp(r.failure.back)) {
    jpeg_destroy_decompress(&r.info);
    return -1;
  }
  open_jpeg(&r, bytes, count);
  size->width = r.info.image_width;
  size->height = r.info.image_height;
  jpeg_destroy_decompress(&r.info);
  return 0;
}

int picture_jpeg_decode(const uint8_t *bytes, size_t count, uint8_t *rgb, size_t rgb_bytes,
                        char *message) {
  struct jpeg_reader r;
  prepare(&r, message);
  if (setjmp(r.failure.back)) {
    jpeg_destroy_decompress(&r.info);
    return -1;
  }
  open_jpeg(&r, bytes, count);
  r.info.out_color_space = JCS_RGB;
  jpeg_start_decompress(&r.info);
  size_t row = (size_t)r.info.output_width * 3;
  if (r.info.output_components != 3 || row * r.info.output_height > rgb_bytes)
    refuse((j_common_ptr)&r.info, "the decoded size differs from the header's");
  while (r.info.output_scanline < r.info.output_height) {
    JSAMPROW line = rgb + row * r.info.output_scanline;
    jpeg_read_scanlines(&r.info, &line, 1);
  }
  jpeg_finish_decompress(&r.info);
  jpeg_destroy_decompress(&r.info);
  return 0;
}

// libspng answers error codes.

static int failed(spng_ctx *png, int code, char *message) {
  snprintf(message, PICTURE_MESSAGE_BYTES, "%s", spng_strerror(code));
  spng_ctx_free(png);
  return -1;
}

static spng_ctx *open_png(const uint8_t *bytes, size_t count) {
  spng_ctx *png = spng_ctx_new(0);
  if (!png) return NULL;
  // Text and colour profiles that unpack to gigabytes are refused.
  spng_set_chunk_limits(png, 1 << 24, 1 << 26);
  spng_set_png_buffer(png, bytes, count);
  return png;
}

int picture_png_size(const uint8_t *bytes, size_t count, struct picture_size *size,
                     char *message) {
  spng_ctx *png = open_png(bytes, count);
  if (!png) return failed(NULL, SPNG_EMEM, message);
  struct spng_ihdr header;
  int code = spng_get_ihdr(png, &header);
  if (code) return failed(png, code, message);
  size->width = header.width;
  size->height = header.height;
  spng_ctx_free(png);
  return 0;
}

int picture_png_decode(const uint8_t *bytes, size_t count, uint8_t *rgb, size_t rgb_bytes,
                       char *message) {
  spng_ctx *png = open_png(bytes, count);
  if (!png) return failed(NULL, SPNG_EMEM, message);
  size_t needed = 0;
  int code = spng_decoded_image_size(png, SPNG_FMT_RGB8, &needed);
  if (!code && needed > rgb_bytes) code = SPNG_EBUFSIZ;
  if (!code) code = spng_decode_image(png, rgb, rgb_bytes, SPNG_FMT_RGB8, 0);
  // What follows the pixels must be there too.
  if (!code) code = spng_decode_chunks(png);
  if (code) return failed(png, code, message);
  spng_ctx_free(png);
  return 0;
}

size_t picture_png_exif(const uint8_t *bytes, size_t count, uint8_t *exif, size_t room) {
  spng_ctx *png = open_png(bytes, count);
  if (!png) return 0;
  struct spng_exif found;
  size_t length = 0;
  if (!spng_get_exif(png, &found) && found.length <= room) {
    length = found.length;
    memcpy(exif, found.data, length);
  }
  spng_ctx_free(png);
  return length;
}

int picture_png_encode(const uint8_t *rgb, struct picture_size size, uint8_t **png_bytes,
                       size_t *count, char *message) {
  spng_ctx *png = spng_ctx_new(SPNG_CTX_ENCODER);
  if (!png) return failed(NULL, SPNG_EMEM, message);
  struct spng_ihdr header = {.width = size.width,
                             .height = size.height,
                             .bit_depth = 8,
                             .color_type = SPNG_COLOR_TYPE_TRUECOLOR};
  int code = spng_set_option(png, SPNG_ENCODE_TO_BUFFER, 1);
  if (!code) code = spng_set_ihdr(png, &header);
  size_t bytes = (size_t)size.width * size.height * 3;
  if (!code) code = spng_encode_image(png, rgb, bytes, SPNG_FMT_PNG, SPNG_ENCODE_FINALIZE);
  if (!code) *png_bytes = spng_get_png_buffer(png, count, &code);
  if (code) return failed(png, code, message);
  spng_ctx_free(png);
  return 0;
}

void picture_free(void *png) { free(png); }
