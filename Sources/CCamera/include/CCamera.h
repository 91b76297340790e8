// Video4Linux through libv4l2: its variadic calls with fixed arguments, and its structs and macros,
// which Swift cannot import, as plain numbers. All answer -1 with errno on failure.
#pragma once

#include <stddef.h>
#include <stdint.h>

// Pixel formats as V4L2's fourcc codes.
extern const uint32_t camera_yuyv, camera_uyvy, camera_nv12, camera_nv21, camera_yuv420, camera_grey,
    camera_rgb24, camera_bgr24;

struct camera_format {
  uint32_t fourcc;
  uint32_t width;
  uint32_t height;
  uint32_t bytes_per_line;
  /// Black is 0 and white 255.
  int32_t full_range;
};

struct camera_frame {
  uint32_t index;
  uint32_t bytes;
  uint32_t sequence;
  /// The driver says that the frame is damaged.
  int32_t broken;
  /// Monotonic nanoseconds; 0 when the driver stamps with another clock.
  int64_t nanoseconds;
};

/// ENOTTY for what is no Video4Linux device.
int camera_open(const char *path);
int camera_close(int fd);
/// 1: captures video into buffers; 0: does not.
int camera_captures(int fd);
/// The format at `index` of the device's list; `emulated`: libv4l2 converts to it. -1 past the end.
int camera_offered(int fd, uint32_t index, uint32_t *fourcc, int32_t *emulated);
/// Asks for fourcc, width and height; answers what the driver gives.
int camera_set_format(int fd, struct camera_format *format);
int camera_set_rate(int fd, uint32_t frames_per_second);
/// Asks the driver for that many mapped buffers; answers how many it made.
int camera_request(int fd, uint32_t count);
/// Maps a buffer; NULL on failure.
void *camera_map(int fd, uint32_t index, size_t *bytes);
int camera_unmap(void *start, size_t bytes);
int camera_queue(int fd, uint32_t index);
int camera_dequeue(int fd, struct camera_frame *frame);
int camera_stream(int fd, int on);
