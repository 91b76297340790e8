// GPIO lines through libgpiod, whose two lines of versions (1.x and 2.x) have nothing in common but
// the idea. Everything here that may allocate happens while a line is requested.
#pragma once

#include <stdint.h>

enum {
  CGPIO_NAME_BYTES = 64,   // of a chip's label or path, with the zero
  CGPIO_CHIPS_BYTES = 256  // of the list of chips, with the zero
};

/// What kept a line from being had.
enum cgpio_problem {
  CGPIO_OK,
  CGPIO_UNKNOWN_CHIP,  // `text` lists the chips there are
  CGPIO_NO_PERMISSION, // `chip` is the path that may not be opened
  CGPIO_CHIP_FAILED,   // `code`, `chip`
  CGPIO_UNKNOWN_LINE,  // `chip` has `line_count` lines, none of them this
  CGPIO_BUSY,          // `text` is the consumer, or empty
  CGPIO_LINE_FAILED,   // `code`
};

struct cgpio_failure {
  enum cgpio_problem problem;
  int code; // errno
  uint32_t line_count;
  char chip[CGPIO_NAME_BYTES];
  char text[CGPIO_CHIPS_BYTES];
};

/// Which way a pin is drawn while nobody drives it.
enum cgpio_bias { CGPIO_BIAS_NONE, CGPIO_BIAS_UP, CGPIO_BIAS_DOWN };

/// How a line is taken: all of it in the request itself, so that the pin has no other state before.
struct cgpio_config {
  int is_input;
  int active_low;       // on is a low pin
  enum cgpio_bias bias; // left out where the chip has none
  int open_drain;       // output: a high pin is left to whoever pulls it up
  int is_on;            // output: the value from the first moment
  int is_on_at_exit;    // output: the value that cgpio_leave_outputs gives it
  uint32_t debounce_us; // input: how long the kernel wants a level to stand; 0: not at all
};

/// A line that is held.
struct cgpio_line;

/// Takes a line.
/// - chip: a path, a name (gpiochip0), a label, or `auto`: the first chip labelled pinctrl-….
/// - name: the line's name, or NULL to take it by `offset`.
/// Returns NULL and fills `failure` where it cannot be had.
struct cgpio_line *cgpio_request(const char *chip, const char *name, uint32_t offset,
                                 const struct cgpio_config *config, struct cgpio_failure *failure);

/// Sets an output's value. 0, or -1 with errno. Allocates nothing, and works in a signal handler.
int cgpio_set(struct cgpio_line *line, int is_on);

/// An input's value: 0 or 1; -1 with errno. Allocates nothing.
int cgpio_get(struct cgpio_line *line);

/// Whether the kernel debounces the line.
int cgpio_is_debounced(const struct cgpio_line *line);

/// Gives the line back.
void cgpio_release(struct cgpio_line *line);

/// Leaves every output that is held at its value for the exit. For signal handlers: what else the
/// process did at that moment does not matter.
void cgpio_leave_outputs(void);
