// GPIO output lines through libgpiod, whose two lines of versions (1.x and 2.x) have nothing in
// common but the idea. Everything here that may allocate happens while a line is requested.
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

/// A line that is held as an output.
struct cgpio_line;

/// Takes a line as an output.
/// - chip: a path, a name (gpiochip0), a label, or `auto`: the first chip labelled pinctrl-….
/// - name: the line's name, or NULL to take it by `offset`.
/// - is_on: the value from the first moment; with `active_low` the pin is low while it is on.
/// Returns NULL and fills `failure` where it cannot be had.
struct cgpio_line *cgpio_request(const char *chip, const char *name, uint32_t offset,
                                 int active_low, int is_on, struct cgpio_failure *failure);

/// Sets the value. 0, or -1 with errno. Allocates nothing.
int cgpio_set(struct cgpio_line *line, int is_on);

/// Gives the line back.
void cgpio_release(struct cgpio_line *line);
