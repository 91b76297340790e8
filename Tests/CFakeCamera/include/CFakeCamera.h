// A camera without a kernel: it answers the calls of Video4Linux as a driver does, and delivers what
// a script says. Each thread has its own.
#pragma once

#include <stdint.h>

enum { FAKE_FORMATS = 8, FAKE_STEPS = 256, FAKE_CONTROLS = 32 };

struct fake_format {
  uint32_t fourcc;
  /// As libv4l2 lists what it would convert to.
  int32_t converted;
  /// The one size that it comes in; 0: any.
  uint32_t width, height;
  /// The highest rate; 0: does not tell.
  uint32_t fps;
};

enum fake_kind {
  FAKE_FRAME,   // `value` bytes of it, 0: all
  FAKE_BROKEN,  // a frame that the driver marks as damaged
  FAKE_LOST,    // `value` numbers that no frame gets
  FAKE_NOTHING, // ready, but nothing there
  FAKE_ERROR,   // taking a frame fails with `value`
  FAKE_SILENCE, // nothing comes until the stream is stopped
  FAKE_GONE,    // the device is unplugged: every call fails with ENODEV until it is opened again
};

struct fake_step {
  enum fake_kind kind;
  int32_t value;
};

struct fake_camera {
  // What it is. Set these before it is used.
  const char *card, *driver;
  uint32_t capabilities;
  struct fake_format formats[FAKE_FORMATS];
  uint32_t format_count;
  /// Bytes that rows are longer than their pixels need.
  uint32_t row_padding;
  /// Bytes that buffers are longer than their frames.
  uint32_t buffer_padding;
  int32_t takes_own_memory;
  /// Another program has the stream.
  int32_t is_busy;
  /// So many attempts to open it find nothing.
  uint32_t absent;
  struct fake_step steps[FAKE_STEPS];
  uint32_t step_count;
  /// At the end of the script; what it delivered last stays.
  void (*at_end)(void *context);
  void *context;

  // What happened to it.
  uint32_t opened, closed, started, stopped, served;
  uint32_t asked_width, asked_height, asked_fps, asked_fourcc;
  int32_t controls[FAKE_CONTROLS][2]; // number of V4L2, value
  uint32_t control_count;
  int32_t used_own_memory;
  uint32_t queued; // buffers that the driver has
  uint32_t mapped; // buffers that are mapped
};

/// The thread's camera: of no formats and no script after `fake_camera_reset`.
struct fake_camera *fake_camera_here(void);
void fake_camera_reset(void);

struct camera_calls;
/// The way to it. Its device file is /dev/video3.
const struct camera_calls *fake_camera_calls(void);
