#define _GNU_SOURCE
#include "CFakeCamera.h"

#include <CCamera.h>
#include <errno.h>
#include <linux/videodev2.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

enum { BUFFERS = 8, MOST_BYTES = 1 << 20 };

struct buffer {
  void *start;
  size_t bytes;
  int queued;
};

static _Thread_local struct fake_camera camera;
// What the driver would know.
static _Thread_local struct {
  int fd;
  int streams, is_gone;
  struct v4l2_pix_format format;
  struct buffer buffers[BUFFERS];
  uint32_t buffer_count, next_buffer, memory;
  uint32_t step, sequence;
  int has_ended;
} driver = {.fd = -1};

struct fake_camera *fake_camera_here(void) { return &camera; }

void fake_camera_reset(void) {
  memset(&camera, 0, sizeof camera);
  if (driver.fd >= 0) close(driver.fd);
  memset(&driver, 0, sizeof driver);
  driver.fd = -1;
  camera.card = "Fake";
  camera.driver = "fake";
  camera.capabilities = V4L2_CAP_VIDEO_CAPTURE | V4L2_CAP_STREAMING;
}

static int fails(int code) {
  errno = code;
  return -1;
}

// ── Script ───────────────────────────────────────────────────────────────────────────────────────

// poll() sees the descriptor: it is ready unless the camera is silent.
static void show_readiness(void) {
  uint64_t count = 0;
  if (driver.fd < 0) return;
  (void)!read(driver.fd, &count, sizeof count); // not ready
  int is_silent = driver.step < camera.step_count && camera.steps[driver.step].kind == FAKE_SILENCE;
  count = 1;
  if (driver.streams && !is_silent) (void)!write(driver.fd, &count, sizeof count);
}

static void advance(void) {
  driver.step++;
  show_readiness();
}

static void end_silence(void) {
  if (driver.step < camera.step_count && camera.steps[driver.step].kind == FAKE_SILENCE) advance();
}

// ── Calls ────────────────────────────────────────────────────────────────────────────────────────

static int open_device(const char *path) {
  if (strcmp(path, "/dev/video3") != 0) return fails(ENOENT);
  if (camera.absent > 0) {
    camera.absent--;
    return fails(ENOENT);
  }
  if (driver.fd >= 0) close(driver.fd);
  driver.fd = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
  driver.is_gone = 0;
  driver.streams = 0;
  driver.buffer_count = 0;
  memset(driver.buffers, 0, sizeof driver.buffers);
  camera.queued = 0;
  camera.opened++;
  return driver.fd;
}

static int close_device(int fd) {
  if (fd != driver.fd) return fails(EBADF);
  close(fd);
  driver.fd = -1;
  driver.streams = 0;
  camera.closed++;
  end_silence();
  return 0;
}

static void *map_buffer(size_t bytes, int fd, int64_t offset) {
  (void)fd, (void)offset;
  void *at = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (at == MAP_FAILED) return NULL;
  driver.buffers[offset / MOST_BYTES].start = at;
  camera.mapped++;
  return at;
}

static int unmap_buffer(void *start, size_t bytes) {
  camera.mapped--;
  return munmap(start, bytes);
}

static const struct fake_format *offered(uint32_t fourcc) {
  for (uint32_t i = 0; i < camera.format_count; i++)
    if (camera.formats[i].fourcc == fourcc) return &camera.formats[i];
  return NULL;
}

static uint32_t row_bytes(uint32_t fourcc, uint32_t width) {
  switch (fourcc) {
    case V4L2_PIX_FMT_YUYV:
    case V4L2_PIX_FMT_UYVY: return width * 2;
    case V4L2_PIX_FMT_RGB24:
    case V4L2_PIX_FMT_BGR24: return width * 3;
    default: return width;
  }
}

static int has_chroma_plane(uint32_t fourcc) {
  return fourcc == V4L2_PIX_FMT_NV12 || fourcc == V4L2_PIX_FMT_NV21 ||
         fourcc == V4L2_PIX_FMT_YUV420;
}

static int set_format(struct v4l2_format *f) {
  struct v4l2_pix_format *p = &f->fmt.pix;
  camera.asked_width = p->width;
  camera.asked_height = p->height;
  camera.asked_fourcc = p->pixelformat;
  if (camera.is_busy) return fails(EBUSY);
  if (camera.format_count == 0) return fails(EINVAL);
  const struct fake_format *format = offered(p->pixelformat);
  if (!format) format = &camera.formats[0];
  p->pixelformat = format->fourcc;
  if (format->width) p->width = format->width;
  if (format->height) p->height = format->height;
  p->bytesperline = row_bytes(format->fourcc, p->width) + camera.row_padding;
  p->sizeimage = p->bytesperline * p->height;
  if (has_chroma_plane(format->fourcc)) p->sizeimage += p->sizeimage / 2;
  p->sizeimage += camera.buffer_padding;
  p->field = V4L2_FIELD_NONE;
  driver.format = *p;
  return 0;
}

static int queue_buffer(struct v4l2_buffer *b) {
  if (b->index >= driver.buffer_count || driver.buffers[b->index].queued) return fails(EINVAL);
  struct buffer *buffer = &driver.buffers[b->index];
  if (b->memory == V4L2_MEMORY_USERPTR) {
    if (b->length < driver.format.sizeimage) return fails(EINVAL);
    buffer->start = (void *)b->m.userptr;
    buffer->bytes = b->length;
  }
  buffer->queued = 1;
  camera.queued++;
  return 0;
}

static int fill_buffer(struct v4l2_buffer *b, const struct fake_step *step) {
  if (camera.queued == 0) return fails(EAGAIN);
  while (!driver.buffers[driver.next_buffer % driver.buffer_count].queued) driver.next_buffer++;
  b->index = driver.next_buffer++ % driver.buffer_count;
  struct buffer *buffer = &driver.buffers[b->index];
  buffer->queued = 0;
  camera.queued--;
  camera.served++;
  memset(buffer->start, (int)camera.served, driver.format.sizeimage);
  b->bytesused = step->value ? (uint32_t)step->value : driver.format.sizeimage;
  b->sequence = driver.sequence++;
  b->flags = V4L2_BUF_FLAG_TIMESTAMP_MONOTONIC;
  if (step->kind == FAKE_BROKEN) b->flags |= V4L2_BUF_FLAG_ERROR;
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  b->timestamp.tv_sec = now.tv_sec;
  b->timestamp.tv_usec = now.tv_nsec / 1000;
  return 0;
}

static int dequeue_buffer(struct v4l2_buffer *b) {
  if (!driver.streams || b->memory != driver.memory) return fails(EINVAL);
  while (driver.step < camera.step_count) {
    const struct fake_step *step = &camera.steps[driver.step];
    switch (step->kind) {
      case FAKE_LOST:
        driver.sequence += (uint32_t)step->value;
        advance();
        continue;
      case FAKE_FRAME:
      case FAKE_BROKEN: {
        int result = fill_buffer(b, step);
        if (result == 0) advance();
        return result;
      }
      case FAKE_NOTHING: advance(); return fails(EAGAIN);
      case FAKE_SILENCE: return fails(EAGAIN);
      case FAKE_GONE:
        advance();
        driver.is_gone = 1;
        return fails(ENODEV);
      case FAKE_ERROR:
        advance();
        return fails(step->value);
    }
  }
  if (camera.at_end && !driver.has_ended) camera.at_end(camera.context);
  driver.has_ended = 1;
  return fails(EAGAIN);
}

static int stream(int on) {
  if (on && camera.is_busy) return fails(EBUSY);
  if (on) {
    driver.streams = 1;
    driver.sequence = 0;
    camera.started++;
  } else {
    if (driver.streams) camera.stopped++;
    driver.streams = 0;
    end_silence();
    for (uint32_t i = 0; i < driver.buffer_count; i++) driver.buffers[i].queued = 0;
    camera.queued = 0;
  }
  show_readiness();
  return 0;
}

static int request_buffers(struct v4l2_requestbuffers *r) {
  if (r->memory == V4L2_MEMORY_USERPTR && !camera.takes_own_memory) return fails(EINVAL);
  if (r->count > BUFFERS) r->count = BUFFERS;
  memset(driver.buffers, 0, sizeof driver.buffers);
  driver.buffer_count = r->count;
  driver.next_buffer = 0;
  driver.memory = r->memory;
  camera.used_own_memory = r->memory == V4L2_MEMORY_USERPTR && r->count > 0;
  return 0;
}

static int set_control(const struct v4l2_control *c) {
  if (c->id == V4L2_CID_SHARPNESS) return fails(EINVAL); // the one that it has not
  if (camera.control_count == FAKE_CONTROLS) return fails(ENOSPC);
  camera.controls[camera.control_count][0] = (int32_t)c->id;
  camera.controls[camera.control_count++][1] = c->value;
  return 0;
}

// No gain above 100.
static int get_control(struct v4l2_control *c) {
  for (uint32_t i = 0; i < camera.control_count; i++)
    if (camera.controls[i][0] == (int32_t)c->id) c->value = camera.controls[i][1];
  if (c->id == V4L2_CID_GAIN && c->value > 100) c->value = 100;
  return 0;
}

static int control_device(int fd, unsigned long request, void *argument) {
  if (fd != driver.fd) return fails(EBADF);
  if (driver.is_gone) return fails(ENODEV);
  switch (request) {
    case VIDIOC_QUERYCAP: {
      struct v4l2_capability *c = argument;
      strncpy((char *)c->card, camera.card, sizeof c->card);
      strncpy((char *)c->driver, camera.driver, sizeof c->driver);
      c->capabilities = c->device_caps = camera.capabilities;
      c->capabilities |= V4L2_CAP_DEVICE_CAPS;
      return 0;
    }
    case VIDIOC_ENUM_FMT: {
      struct v4l2_fmtdesc *d = argument;
      if (d->index >= camera.format_count) return fails(EINVAL);
      d->pixelformat = camera.formats[d->index].fourcc;
      d->flags = camera.formats[d->index].converted ? V4L2_FMT_FLAG_EMULATED : 0;
      return 0;
    }
    case VIDIOC_ENUM_FRAMESIZES: {
      struct v4l2_frmsizeenum *s = argument;
      const struct fake_format *format = offered(s->pixel_format);
      if (!format || s->index > 0 || !format->width) return fails(EINVAL);
      s->type = V4L2_FRMSIZE_TYPE_DISCRETE;
      s->discrete.width = format->width;
      s->discrete.height = format->height;
      return 0;
    }
    case VIDIOC_ENUM_FRAMEINTERVALS: {
      struct v4l2_frmivalenum *i = argument;
      const struct fake_format *format = offered(i->pixel_format);
      if (!format || i->index > 0 || !format->fps) return fails(EINVAL);
      i->type = V4L2_FRMIVAL_TYPE_DISCRETE;
      i->discrete = (struct v4l2_fract){1, format->fps};
      return 0;
    }
    case VIDIOC_S_FMT: return set_format(argument);
    case VIDIOC_S_PARM: {
      struct v4l2_streamparm *s = argument;
      camera.asked_fps = s->parm.capture.timeperframe.denominator;
      return 0;
    }
    case VIDIOC_S_CTRL: return set_control(argument);
    case VIDIOC_G_CTRL: return get_control(argument);
    case VIDIOC_REQBUFS: return request_buffers(argument);
    case VIDIOC_QUERYBUF: {
      struct v4l2_buffer *b = argument;
      if (b->index >= driver.buffer_count) return fails(EINVAL);
      b->length = driver.format.sizeimage;
      b->m.offset = b->index * MOST_BYTES;
      return 0;
    }
    case VIDIOC_QBUF: return queue_buffer(argument);
    case VIDIOC_DQBUF: return dequeue_buffer(argument);
    case VIDIOC_STREAMON: return stream(1);
    case VIDIOC_STREAMOFF: return stream(0);
    default: return fails(ENOTTY);
  }
}

const struct camera_calls *fake_camera_calls(void) {
  static const struct camera_calls calls = {open_device, close_device, control_device, map_buffer,
                                            unmap_buffer};
  return &calls;
}
