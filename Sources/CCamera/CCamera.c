#include "CCamera.h"

#include <errno.h>
#include <fcntl.h>
#include <libv4l2.h>
#include <linux/videodev2.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

// ── Ways to a camera ─────────────────────────────────────────────────────────────────────────────

enum { OPEN_FLAGS = O_RDWR | O_NONBLOCK | O_CLOEXEC };

static int library_open(const char *path) { return v4l2_open(path, OPEN_FLAGS, 0); }
static int library_control(int fd, unsigned long request, void *argument) {
  return v4l2_ioctl(fd, request, argument);
}
static void *library_map(size_t bytes, int fd, int64_t offset) {
  void *at = v4l2_mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, offset);
  return at == MAP_FAILED ? NULL : at;
}

const struct camera_calls *camera_through_libv4l2(void) {
  static const struct camera_calls calls = {library_open, v4l2_close, library_control, library_map,
                                            v4l2_munmap};
  return &calls;
}

static int direct_open(const char *path) { return open(path, OPEN_FLAGS); }
static int direct_control(int fd, unsigned long request, void *argument) {
  return ioctl(fd, request, argument);
}
static void *direct_map(size_t bytes, int fd, int64_t offset) {
  void *at = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, offset);
  return at == MAP_FAILED ? NULL : at;
}

const struct camera_calls *camera_directly(void) {
  static const struct camera_calls calls = {direct_open, close, direct_control, direct_map, munmap};
  return &calls;
}

int camera_has_compat_layer(void) {
  const char *preloaded = getenv("LD_PRELOAD");
  return preloaded && strstr(preloaded, "v4l2-compat") != NULL;
}

int camera_open(const struct camera_calls *calls, const char *path) { return calls->open(path); }

int camera_close(const struct camera_calls *calls, int fd) { return calls->close(fd); }

// ── Who it is ────────────────────────────────────────────────────────────────────────────────────

static enum camera_kind kind_of(uint32_t caps) {
  int streams = (caps & V4L2_CAP_STREAMING) != 0;
  if (caps & (V4L2_CAP_VIDEO_M2M | V4L2_CAP_VIDEO_M2M_MPLANE)) return CAMERA_IS_CODEC;
  if ((caps & V4L2_CAP_VIDEO_CAPTURE) && streams) return CAMERA_CAPTURES;
  if ((caps & V4L2_CAP_VIDEO_CAPTURE_MPLANE) && streams) return CAMERA_CAPTURES_PLANES;
  if (caps & V4L2_CAP_META_CAPTURE) return CAMERA_IS_METADATA;
  if (caps & (V4L2_CAP_VIDEO_OUTPUT | V4L2_CAP_VIDEO_OUTPUT_MPLANE | V4L2_CAP_META_OUTPUT))
    return CAMERA_IS_OUTPUT;
  return CAMERA_IS_OTHER;
}

static void copy_text(char *into, size_t size, const uint8_t *from, size_t count) {
  size_t length = strnlen((const char *)from, count < size ? count : size - 1);
  memcpy(into, from, length);
  into[length] = 0;
}

int camera_identify(const struct camera_calls *calls, const char *path,
                    struct camera_identity *identity) {
  int fd = calls->open(path);
  if (fd < 0) return -1;
  struct v4l2_capability c = {0};
  int result = calls->control(fd, VIDIOC_QUERYCAP, &c);
  int code = errno;
  calls->close(fd);
  errno = code;
  if (result < 0) return -1;
  identity->kind = kind_of(c.capabilities & V4L2_CAP_DEVICE_CAPS ? c.device_caps : c.capabilities);
  copy_text(identity->card, sizeof identity->card, c.card, sizeof c.card);
  copy_text(identity->driver, sizeof identity->driver, c.driver, sizeof c.driver);
  return 0;
}

// ── Formats ──────────────────────────────────────────────────────────────────────────────────────

const uint32_t camera_yuyv = V4L2_PIX_FMT_YUYV, camera_uyvy = V4L2_PIX_FMT_UYVY,
               camera_nv12 = V4L2_PIX_FMT_NV12, camera_nv21 = V4L2_PIX_FMT_NV21,
               camera_yuv420 = V4L2_PIX_FMT_YUV420, camera_grey = V4L2_PIX_FMT_GREY,
               camera_rgb24 = V4L2_PIX_FMT_RGB24, camera_bgr24 = V4L2_PIX_FMT_BGR24;

int camera_is_jpeg(uint32_t fourcc) {
  return fourcc == V4L2_PIX_FMT_MJPEG || fourcc == V4L2_PIX_FMT_JPEG;
}

int camera_is_raw(uint32_t fourcc) {
  // The four orders of colours in each depth, packed or not; and what the Pi 5 makes of them.
  static const uint32_t raw[] = {
      V4L2_PIX_FMT_SBGGR8,   V4L2_PIX_FMT_SGBRG8,   V4L2_PIX_FMT_SGRBG8,   V4L2_PIX_FMT_SRGGB8,
      V4L2_PIX_FMT_SBGGR10,  V4L2_PIX_FMT_SGBRG10,  V4L2_PIX_FMT_SGRBG10,  V4L2_PIX_FMT_SRGGB10,
      V4L2_PIX_FMT_SBGGR10P, V4L2_PIX_FMT_SGBRG10P, V4L2_PIX_FMT_SGRBG10P, V4L2_PIX_FMT_SRGGB10P,
      V4L2_PIX_FMT_SBGGR12,  V4L2_PIX_FMT_SGBRG12,  V4L2_PIX_FMT_SGRBG12,  V4L2_PIX_FMT_SRGGB12,
      V4L2_PIX_FMT_SBGGR12P, V4L2_PIX_FMT_SGBRG12P, V4L2_PIX_FMT_SGRBG12P, V4L2_PIX_FMT_SRGGB12P,
      V4L2_PIX_FMT_SBGGR14P, V4L2_PIX_FMT_SGBRG14P, V4L2_PIX_FMT_SGRBG14P, V4L2_PIX_FMT_SRGGB14P,
      V4L2_PIX_FMT_SBGGR16,  V4L2_PIX_FMT_SGBRG16,  V4L2_PIX_FMT_SGRBG16,  V4L2_PIX_FMT_SRGGB16,
      v4l2_fourcc('P', 'C', '1', 'R'), v4l2_fourcc('P', 'C', '1', 'B'),
      v4l2_fourcc('P', 'C', '1', 'g'), v4l2_fourcc('P', 'C', '1', 'G'),
  };
  for (size_t i = 0; i < sizeof raw / sizeof raw[0]; i++)
    if (raw[i] == fourcc) return 1;
  return 0;
}

int camera_offered(const struct camera_calls *calls, int fd, uint32_t index, uint32_t *fourcc,
                   int32_t *converted) {
  struct v4l2_fmtdesc d = {.index = index, .type = V4L2_BUF_TYPE_VIDEO_CAPTURE};
  if (calls->control(fd, VIDIOC_ENUM_FMT, &d) < 0) return -1;
  *fourcc = d.pixelformat;
  *converted = (d.flags & V4L2_FMT_FLAG_EMULATED) != 0;
  return 0;
}

// A driver that never ends its list must not hold us up: no camera lists as many.
enum { LONGEST_LIST = 256 };

static int is_in_steps(uint32_t value, uint32_t least, uint32_t most, uint32_t step) {
  return value >= least && value <= most && (step == 0 || (value - least) % step == 0);
}

int camera_has_size(const struct camera_calls *calls, int fd, uint32_t fourcc, uint32_t width,
                    uint32_t height) {
  for (uint32_t index = 0; index < LONGEST_LIST; index++) {
    struct v4l2_frmsizeenum s = {.index = index, .pixel_format = fourcc};
    if (calls->control(fd, VIDIOC_ENUM_FRAMESIZES, &s) < 0) return index == 0 ? -1 : 0;
    if (s.type != V4L2_FRMSIZE_TYPE_DISCRETE)
      return is_in_steps(width, s.stepwise.min_width, s.stepwise.max_width, s.stepwise.step_width) &&
             is_in_steps(height, s.stepwise.min_height, s.stepwise.max_height,
                         s.stepwise.step_height);
    if (s.discrete.width == width && s.discrete.height == height) return 1;
  }
  return 0;
}

// Frames per 1000 s of a time per frame; 0 for what is no time.
static int64_t rate_of(struct v4l2_fract interval) {
  return interval.numerator ? (int64_t)interval.denominator * 1000 / interval.numerator : 0;
}

int64_t camera_fastest(const struct camera_calls *calls, int fd, uint32_t fourcc, uint32_t width,
                       uint32_t height) {
  int64_t fastest = -1;
  for (uint32_t index = 0; index < LONGEST_LIST; index++) {
    struct v4l2_frmivalenum i = {
        .index = index, .pixel_format = fourcc, .width = width, .height = height};
    if (calls->control(fd, VIDIOC_ENUM_FRAMEINTERVALS, &i) < 0) break;
    int is_discrete = i.type == V4L2_FRMIVAL_TYPE_DISCRETE;
    int64_t rate = rate_of(is_discrete ? i.discrete : i.stepwise.min);
    if (rate > fastest) fastest = rate;
    if (!is_discrete) break;
  }
  return fastest;
}

int camera_set_format(const struct camera_calls *calls, int fd, struct camera_format *format) {
  struct v4l2_format f = {.type = V4L2_BUF_TYPE_VIDEO_CAPTURE};
  struct v4l2_pix_format *p = &f.fmt.pix;
  p->pixelformat = format->fourcc;
  p->width = format->width;
  p->height = format->height;
  p->field = V4L2_FIELD_ANY;
  if (calls->control(fd, VIDIOC_S_FMT, &f) < 0) return -1;
  format->fourcc = p->pixelformat;
  format->width = p->width;
  format->height = p->height;
  format->bytes_per_line = p->bytesperline;
  format->bytes = p->sizeimage;
  uint32_t range = p->quantization;
  if (range == V4L2_QUANTIZATION_DEFAULT)
    range = p->colorspace == V4L2_COLORSPACE_JPEG ? V4L2_QUANTIZATION_FULL_RANGE
                                                  : V4L2_QUANTIZATION_LIM_RANGE;
  format->full_range = range == V4L2_QUANTIZATION_FULL_RANGE;
  return 0;
}

int64_t camera_set_rate(const struct camera_calls *calls, int fd, uint32_t frames_per_second) {
  struct v4l2_streamparm s = {.type = V4L2_BUF_TYPE_VIDEO_CAPTURE};
  s.parm.capture.timeperframe.numerator = 1;
  s.parm.capture.timeperframe.denominator = frames_per_second;
  if (calls->control(fd, VIDIOC_S_PARM, &s) < 0) return -1;
  return rate_of(s.parm.capture.timeperframe);
}

// In the order of CameraControl in Swift. What is automatic comes before what it would override.
static const uint32_t control_ids[] = {
    V4L2_CID_EXPOSURE_AUTO,
    V4L2_CID_EXPOSURE_AUTO_PRIORITY,
    V4L2_CID_EXPOSURE_ABSOLUTE,
    V4L2_CID_EXPOSURE,
    V4L2_CID_AUTOGAIN,
    V4L2_CID_GAIN,
    V4L2_CID_AUTO_WHITE_BALANCE,
    V4L2_CID_WHITE_BALANCE_TEMPERATURE,
    V4L2_CID_POWER_LINE_FREQUENCY,
    V4L2_CID_HFLIP,
    V4L2_CID_VFLIP,
    V4L2_CID_BRIGHTNESS,
    V4L2_CID_CONTRAST,
    V4L2_CID_SATURATION,
    V4L2_CID_SHARPNESS,
    V4L2_CID_BACKLIGHT_COMPENSATION,
    V4L2_CID_FOCUS_AUTO,
    V4L2_CID_FOCUS_ABSOLUTE,
};

int camera_set_control(const struct camera_calls *calls, int fd, uint32_t index, int32_t *value) {
  if (index >= sizeof control_ids / sizeof control_ids[0]) {
    errno = EINVAL;
    return -1;
  }
  struct v4l2_control c = {.id = control_ids[index], .value = *value};
  if (calls->control(fd, VIDIOC_S_CTRL, &c) < 0) return -1;
  // Some drivers answer with what was asked for, so they are asked what they have.
  if (calls->control(fd, VIDIOC_G_CTRL, &c) < 0) return -1;
  *value = c.value;
  return 0;
}

// ── Buffers ──────────────────────────────────────────────────────────────────────────────────────

static uint32_t memory_type(enum camera_memory memory) {
  return memory == CAMERA_OWN ? V4L2_MEMORY_USERPTR : V4L2_MEMORY_MMAP;
}

int camera_request(const struct camera_calls *calls, int fd, enum camera_memory memory,
                   uint32_t count) {
  struct v4l2_requestbuffers r = {
      .count = count, .type = V4L2_BUF_TYPE_VIDEO_CAPTURE, .memory = memory_type(memory)};
  return calls->control(fd, VIDIOC_REQBUFS, &r) < 0 ? -1 : (int)r.count;
}

void *camera_map(const struct camera_calls *calls, int fd, uint32_t index, size_t *bytes) {
  struct v4l2_buffer b = {
      .index = index, .type = V4L2_BUF_TYPE_VIDEO_CAPTURE, .memory = V4L2_MEMORY_MMAP};
  if (calls->control(fd, VIDIOC_QUERYBUF, &b) < 0) return NULL;
  *bytes = b.length;
  return calls->map(b.length, fd, b.m.offset);
}

int camera_unmap(const struct camera_calls *calls, void *start, size_t bytes) {
  return calls->unmap(start, bytes);
}

int camera_queue(const struct camera_calls *calls, int fd, uint32_t index, void *start,
                 size_t bytes) {
  struct v4l2_buffer b = {.index = index, .type = V4L2_BUF_TYPE_VIDEO_CAPTURE};
  b.memory = memory_type(start ? CAMERA_OWN : CAMERA_MAPPED);
  if (start) {
    b.m.userptr = (unsigned long)start;
    b.length = (uint32_t)bytes;
  }
  return calls->control(fd, VIDIOC_QBUF, &b);
}

int camera_dequeue(const struct camera_calls *calls, int fd, enum camera_memory memory,
                   struct camera_frame *frame) {
  struct v4l2_buffer b = {.type = V4L2_BUF_TYPE_VIDEO_CAPTURE, .memory = memory_type(memory)};
  if (calls->control(fd, VIDIOC_DQBUF, &b) < 0) return -1;
  frame->index = b.index;
  frame->bytes = b.bytesused;
  frame->sequence = b.sequence;
  frame->broken = (b.flags & V4L2_BUF_FLAG_ERROR) != 0;
  int monotonic = (b.flags & V4L2_BUF_FLAG_TIMESTAMP_MASK) == V4L2_BUF_FLAG_TIMESTAMP_MONOTONIC;
  frame->nanoseconds =
      monotonic ? (int64_t)b.timestamp.tv_sec * 1000000000 + (int64_t)b.timestamp.tv_usec * 1000 : 0;
  return 0;
}

int camera_stream(const struct camera_calls *calls, int fd, int on) {
  int type = V4L2_BUF_TYPE_VIDEO_CAPTURE;
  return calls->control(fd, on ? VIDIOC_STREAMON : VIDIOC_STREAMOFF, &type);
}
