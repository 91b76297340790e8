#include "CCamera.h"

#include <errno.h>
#include <fcntl.h>
#include <libv4l2.h>
#include <linux/videodev2.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

const uint32_t camera_yuyv = V4L2_PIX_FMT_YUYV, camera_uyvy = V4L2_PIX_FMT_UYVY,
               camera_nv12 = V4L2_PIX_FMT_NV12, camera_nv21 = V4L2_PIX_FMT_NV21,
               camera_yuv420 = V4L2_PIX_FMT_YUV420, camera_grey = V4L2_PIX_FMT_GREY,
               camera_rgb24 = V4L2_PIX_FMT_RGB24, camera_bgr24 = V4L2_PIX_FMT_BGR24;

int camera_open(const char *path) {
  // libv4l2 complains on standard error about what is no camera; look first, and keep quiet then.
  int flags = O_RDWR | O_NONBLOCK | O_CLOEXEC;
  int fd = open(path, flags);
  if (fd < 0) return -1;
  struct v4l2_capability c = {0};
  int result = ioctl(fd, VIDIOC_QUERYCAP, &c);
  int code = errno;
  close(fd);
  if (result < 0) {
    errno = code;
    return -1;
  }
  return v4l2_open(path, flags, 0);
}

int camera_close(int fd) { return v4l2_close(fd); }

int camera_captures(int fd) {
  struct v4l2_capability c = {0};
  if (v4l2_ioctl(fd, VIDIOC_QUERYCAP, &c) < 0) return -1;
  uint32_t caps = c.capabilities & V4L2_CAP_DEVICE_CAPS ? c.device_caps : c.capabilities;
  return (caps & V4L2_CAP_VIDEO_CAPTURE) && (caps & V4L2_CAP_STREAMING);
}

int camera_offered(int fd, uint32_t index, uint32_t *fourcc, int32_t *emulated) {
  struct v4l2_fmtdesc d = {.index = index, .type = V4L2_BUF_TYPE_VIDEO_CAPTURE};
  if (v4l2_ioctl(fd, VIDIOC_ENUM_FMT, &d) < 0) return -1;
  *fourcc = d.pixelformat;
  *emulated = (d.flags & V4L2_FMT_FLAG_EMULATED) != 0;
  return 0;
}

int camera_set_format(int fd, struct camera_format *format) {
  struct v4l2_format f = {.type = V4L2_BUF_TYPE_VIDEO_CAPTURE};
  struct v4l2_pix_format *p = &f.fmt.pix;
  p->pixelformat = format->fourcc;
  p->width = format->width;
  p->height = format->height;
  p->field = V4L2_FIELD_ANY;
  if (v4l2_ioctl(fd, VIDIOC_S_FMT, &f) < 0) return -1;
  format->fourcc = p->pixelformat;
  format->width = p->width;
  format->height = p->height;
  format->bytes_per_line = p->bytesperline;
  uint32_t range = p->quantization;
  if (range == V4L2_QUANTIZATION_DEFAULT)
    range = p->colorspace == V4L2_COLORSPACE_JPEG ? V4L2_QUANTIZATION_FULL_RANGE
                                                  : V4L2_QUANTIZATION_LIM_RANGE;
  format->full_range = range == V4L2_QUANTIZATION_FULL_RANGE;
  return 0;
}

int camera_set_rate(int fd, uint32_t frames_per_second) {
  struct v4l2_streamparm s = {.type = V4L2_BUF_TYPE_VIDEO_CAPTURE};
  s.parm.capture.timeperframe.numerator = 1;
  s.parm.capture.timeperframe.denominator = frames_per_second;
  return v4l2_ioctl(fd, VIDIOC_S_PARM, &s);
}

int camera_request(int fd, uint32_t count) {
  struct v4l2_requestbuffers r = {
      .count = count, .type = V4L2_BUF_TYPE_VIDEO_CAPTURE, .memory = V4L2_MEMORY_MMAP};
  return v4l2_ioctl(fd, VIDIOC_REQBUFS, &r) < 0 ? -1 : (int)r.count;
}

void *camera_map(int fd, uint32_t index, size_t *bytes) {
  struct v4l2_buffer b = {
      .index = index, .type = V4L2_BUF_TYPE_VIDEO_CAPTURE, .memory = V4L2_MEMORY_MMAP};
  if (v4l2_ioctl(fd, VIDIOC_QUERYBUF, &b) < 0) return NULL;
  void *at = v4l2_mmap(NULL, b.length, PROT_READ | PROT_WRITE, MAP_SHARED, fd, b.m.offset);
  if (at == MAP_FAILED) return NULL;
  *bytes = b.length;
  return at;
}

int camera_unmap(void *start, size_t bytes) { return v4l2_munmap(start, bytes); }

int camera_queue(int fd, uint32_t index) {
  struct v4l2_buffer b = {
      .index = index, .type = V4L2_BUF_TYPE_VIDEO_CAPTURE, .memory = V4L2_MEMORY_MMAP};
  return v4l2_ioctl(fd, VIDIOC_QBUF, &b);
}

int camera_dequeue(int fd, struct camera_frame *frame) {
  struct v4l2_buffer b = {.type = V4L2_BUF_TYPE_VIDEO_CAPTURE, .memory = V4L2_MEMORY_MMAP};
  if (v4l2_ioctl(fd, VIDIOC_DQBUF, &b) < 0) return -1;
  frame->index = b.index;
  frame->bytes = b.bytesused;
  frame->sequence = b.sequence;
  frame->broken = (b.flags & V4L2_BUF_FLAG_ERROR) != 0;
  int monotonic = (b.flags & V4L2_BUF_FLAG_TIMESTAMP_MASK) == V4L2_BUF_FLAG_TIMESTAMP_MONOTONIC;
  frame->nanoseconds =
      monotonic ? (int64_t)b.timestamp.tv_sec * 1000000000 + (int64_t)b.timestamp.tv_usec * 1000 : 0;
  return 0;
}

int camera_stream(int fd, int on) {
  int type = V4L2_BUF_TYPE_VIDEO_CAPTURE;
  return v4l2_ioctl(fd, on ? VIDIOC_STREAMON : VIDIOC_STREAMOFF, &type);
}
