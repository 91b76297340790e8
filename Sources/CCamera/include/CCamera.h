// Video4Linux: its variadic calls with fixed arguments, and its structs and macros, which Swift cannot
// import, as plain numbers. Functions answer -1 with errno on failure unless they say otherwise.
#pragma once

#include <stddef.h>
#include <stdint.h>

/// How a camera is reached: the system calls, or what stands in for them.
struct camera_calls {
  int (*open)(const char *path);
  int (*close)(int fd);
  int (*control)(int fd, unsigned long request, void *argument);
  /// NULL on failure.
  void *(*map)(size_t bytes, int fd, int64_t offset);
  int (*unmap)(void *start, size_t bytes);
};

/// libv4l2, which converts what the camera gives, and keeps what it converts to for itself.
const struct camera_calls *camera_through_libv4l2(void);
/// The C library, so that a library loaded before it (libcamera's v4l2-compat) sees every call.
const struct camera_calls *camera_directly(void);
/// Whether libcamera's v4l2-compat was loaded before the program. libv4l2 makes its calls in a way
/// that it never sees.
int camera_has_compat_layer(void);

/// What a device file is good for.
enum camera_kind {
  CAMERA_CAPTURES,
  CAMERA_CAPTURES_PLANES, // in several planes, which only libv4l2 can take
  CAMERA_IS_METADATA,
  CAMERA_IS_OUTPUT,
  CAMERA_IS_CODEC,
  CAMERA_IS_OTHER,
};

struct camera_identity {
  enum camera_kind kind;
  char card[32];   // zero terminated
  char driver[16]; // zero terminated
};

/// Looks who is behind a path and lets go of it again. ENOTTY for what is no Video4Linux device.
int camera_identify(const struct camera_calls *calls, const char *path,
                    struct camera_identity *identity);

// Pixel formats as V4L2's fourcc codes.
extern const uint32_t camera_yuyv, camera_uyvy, camera_nv12, camera_nv21, camera_yuv420, camera_grey,
    camera_rgb24, camera_bgr24;
/// JPEG pictures, one a frame.
int camera_is_jpeg(uint32_t fourcc);
/// What a sensor sees, before anybody made colours of it.
int camera_is_raw(uint32_t fourcc);

/// The format at `index` of the device's list; `converted`: libv4l2 would make it. EINVAL past the
/// end.
int camera_offered(const struct camera_calls *calls, int fd, uint32_t index, uint32_t *fourcc,
                   int32_t *converted);
/// Whether frames of that format and size can be had: 1, 0, or -1 where the driver does not tell.
int camera_has_size(const struct camera_calls *calls, int fd, uint32_t fourcc, uint32_t width,
                    uint32_t height);
/// The highest rate of that format and size in frames per 1000 s; -1 where the driver does not tell.
int64_t camera_fastest(const struct camera_calls *calls, int fd, uint32_t fourcc, uint32_t width,
                       uint32_t height);

struct camera_format {
  uint32_t fourcc;
  uint32_t width;
  uint32_t height;
  uint32_t bytes_per_line;
  uint32_t bytes;
  /// Black is 0 and white 255.
  int32_t full_range;
};

/// Asks for fourcc, width and height; answers what the driver gives.
int camera_set_format(const struct camera_calls *calls, int fd, struct camera_format *format);
/// Answers the rate that the driver gives, in frames per 1000 s; 0 where it does not say.
int64_t camera_set_rate(const struct camera_calls *calls, int fd, uint32_t frames_per_second);
/// Sets the control at `index` of the list in CCamera.c; answers the value that the driver took.
int camera_set_control(const struct camera_calls *calls, int fd, uint32_t index, int32_t *value);

/// Where the frames lie: in memory of the driver that is mapped here, or in the caller's own.
enum camera_memory { CAMERA_MAPPED, CAMERA_OWN };

/// Asks for so many buffers; answers how many the driver made. 0 gives them all back.
int camera_request(const struct camera_calls *calls, int fd, enum camera_memory memory,
                   uint32_t count);
/// Maps a buffer; NULL on failure.
void *camera_map(const struct camera_calls *calls, int fd, uint32_t index, size_t *bytes);
int camera_unmap(const struct camera_calls *calls, void *start, size_t bytes);
/// Hands a buffer to the driver; `start` and `bytes` are the caller's own memory, or NULL and 0.
int camera_queue(const struct camera_calls *calls, int fd, uint32_t index, void *start,
                 size_t bytes);

struct camera_frame {
  uint32_t index;
  uint32_t bytes;
  uint32_t sequence;
  /// The driver says that the frame is damaged.
  int32_t broken;
  /// Monotonic nanoseconds; 0 when the driver stamps with another clock.
  int64_t nanoseconds;
};

int camera_dequeue(const struct camera_calls *calls, int fd, enum camera_memory memory,
                   struct camera_frame *frame);
int camera_stream(const struct camera_calls *calls, int fd, int on);

int camera_open(const struct camera_calls *calls, const char *path);
int camera_close(const struct camera_calls *calls, int fd);
