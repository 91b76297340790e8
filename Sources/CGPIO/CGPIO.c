#include "CGPIO.h"
#include "second_interface.h"

#include <errno.h>
#include <fcntl.h>
#include <gpiod.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

// What the two versions of the library spell differently.
//   read_chip       label, kernel's name and count of lines of an open chip; 0 or -1
//   find_line       offset of the line with that name, or -1
//   take_line       requests the line; NULL with errno
//   read_consumer   who holds a line; empty where that is not known

static const char consumer[] = "livelatch";

struct chip_facts {
  char name[32];
  char label[32];
  uint32_t line_count;
};

static void copy_text(char *into, size_t size, const char *from) {
  snprintf(into, size, "%s", from ? from : "");
}

#ifdef GPIOD_LINE_BULK_MAX_LINES // libgpiod 1.x

struct cgpio_line {
  int is_debounced;
  struct gpiod_chip *chip; // lines of 1.x live no longer than their chip; NULL with a descriptor
  struct gpiod_line *line;
  int descriptor; // of the kernel's second interface; -1 with the library's line
};

static int read_chip(struct gpiod_chip *chip, struct chip_facts *facts) {
  copy_text(facts->name, sizeof facts->name, gpiod_chip_name(chip));
  copy_text(facts->label, sizeof facts->label, gpiod_chip_label(chip));
  facts->line_count = gpiod_chip_num_lines(chip);
  return 0;
}

// libgpiod 1.x speaks the kernel's first interface alone. Newer kernels are built without it
// (GPIO_CDEV_V1), Debian's 7.3 for one, and answer EINVAL: there the second one serves.
static int open_second_interface(struct gpiod_chip *chip) {
  if (errno != EINVAL) return -1;
  char path[CGPIO_NAME_BYTES];
  snprintf(path, sizeof path, "/dev/%s", gpiod_chip_name(chip));
  return open(path, O_RDWR | O_CLOEXEC);
}

static int find_line(struct gpiod_chip *chip, const char *name) {
  struct gpiod_line *line = gpiod_chip_find_line(chip, name);
  if (line) return (int)gpiod_line_offset(line);
  int second = open_second_interface(chip);
  if (second < 0) return -1;
  int found = second_interface_find(second, gpiod_chip_num_lines(chip), name);
  close(second);
  return found;
}

static void read_consumer(struct gpiod_chip *chip, uint32_t offset, char *into, size_t size) {
  struct gpiod_line *line = gpiod_chip_get_line(chip, offset);
  copy_text(into, size, line ? gpiod_line_consumer(line) : NULL);
  int second = line ? -1 : open_second_interface(chip);
  if (second < 0) return;
  second_interface_consumer(second, offset, into, size);
  close(second);
}

static int flags_of(const struct cgpio_config *config) {
  int flags = config->active_low ? GPIOD_LINE_REQUEST_FLAG_ACTIVE_LOW : 0;
  if (config->open_drain) flags |= GPIOD_LINE_REQUEST_FLAG_OPEN_DRAIN;
  switch (config->bias) {
  case CGPIO_BIAS_NONE: return flags | GPIOD_LINE_REQUEST_FLAG_BIAS_DISABLE;
  case CGPIO_BIAS_UP: return flags | GPIOD_LINE_REQUEST_FLAG_BIAS_PULL_UP;
  case CGPIO_BIAS_DOWN: return flags | GPIOD_LINE_REQUEST_FLAG_BIAS_PULL_DOWN;
  }
  return flags;
}

// The first interface cannot debounce.
static int request_line(struct gpiod_line *line, const struct cgpio_config *config) {
  int flags = flags_of(config);
  return config->is_input
             ? gpiod_line_request_input_flags(line, consumer, flags)
             : gpiod_line_request_output_flags(line, consumer, flags, config->is_on != 0);
}

static struct cgpio_line *take_line(struct gpiod_chip *chip, uint32_t offset,
                                    const struct cgpio_config *config) {
  struct cgpio_line *taken = malloc(sizeof *taken);
  if (!taken) return NULL;
  *taken = (struct cgpio_line){.chip = chip, .descriptor = -1};
  taken->line = gpiod_chip_get_line(chip, offset);
  if (taken->line) {
    if (request_line(taken->line, config) == 0) return taken;
  } else {
    int second = open_second_interface(chip);
    if (second >= 0) {
      taken->descriptor = second_interface_take(second, offset, consumer, config);
      taken->is_debounced = config->debounce_us != 0;
      int code = errno;
      close(second);
      errno = code;
    }
    if (taken->descriptor >= 0) {
      gpiod_chip_close(chip); // a line of the second interface stands on its own
      taken->chip = NULL;
      return taken;
    }
  }
  int code = errno;
  free(taken);
  errno = code;
  return NULL;
}

int cgpio_set(struct cgpio_line *line, int is_on) {
  if (line->descriptor >= 0) return second_interface_set(line->descriptor, is_on);
  return gpiod_line_set_value(line->line, is_on != 0);
}

int cgpio_get(struct cgpio_line *line) {
  if (line->descriptor >= 0) return second_interface_get(line->descriptor);
  return gpiod_line_get_value(line->line);
}

static void give_back(struct cgpio_line *line) {
  if (line->descriptor >= 0) {
    close(line->descriptor);
  } else {
    gpiod_line_release(line->line);
    gpiod_chip_close(line->chip);
  }
  free(line);
}

#else // libgpiod 2.x

struct cgpio_line {
  int is_debounced;
  struct gpiod_line_request *request;
  unsigned offset;
};

static int read_chip(struct gpiod_chip *chip, struct chip_facts *facts) {
  struct gpiod_chip_info *info = gpiod_chip_get_info(chip);
  if (!info) return -1;
  copy_text(facts->name, sizeof facts->name, gpiod_chip_info_get_name(info));
  copy_text(facts->label, sizeof facts->label, gpiod_chip_info_get_label(info));
  facts->line_count = (uint32_t)gpiod_chip_info_get_num_lines(info);
  gpiod_chip_info_free(info);
  return 0;
}

static int find_line(struct gpiod_chip *chip, const char *name) {
  return gpiod_chip_get_line_offset_from_name(chip, name);
}

static void read_consumer(struct gpiod_chip *chip, uint32_t offset, char *into, size_t size) {
  struct gpiod_line_info *info = gpiod_chip_get_line_info(chip, offset);
  copy_text(into, size, info ? gpiod_line_info_get_consumer(info) : NULL);
  if (info) gpiod_line_info_free(info);
}

static enum gpiod_line_bias bias_of(enum cgpio_bias bias) {
  switch (bias) {
  case CGPIO_BIAS_NONE: return GPIOD_LINE_BIAS_DISABLED;
  case CGPIO_BIAS_UP: return GPIOD_LINE_BIAS_PULL_UP;
  case CGPIO_BIAS_DOWN: return GPIOD_LINE_BIAS_PULL_DOWN;
  }
  return GPIOD_LINE_BIAS_AS_IS;
}

static int set_up(struct gpiod_line_settings *settings, const struct cgpio_config *config) {
  gpiod_line_settings_set_active_low(settings, config->active_low != 0);
  if (config->is_input)
    gpiod_line_settings_set_debounce_period_us(settings, config->debounce_us);
  else if (gpiod_line_settings_set_output_value(
               settings, config->is_on ? GPIOD_LINE_VALUE_ACTIVE : GPIOD_LINE_VALUE_INACTIVE) < 0)
    return -1;
  if (gpiod_line_settings_set_direction(settings, config->is_input
                                                      ? GPIOD_LINE_DIRECTION_INPUT
                                                      : GPIOD_LINE_DIRECTION_OUTPUT) < 0)
    return -1;
  if (config->open_drain &&
      gpiod_line_settings_set_drive(settings, GPIOD_LINE_DRIVE_OPEN_DRAIN) < 0)
    return -1;
  return gpiod_line_settings_set_bias(settings, bias_of(config->bias));
}

static struct cgpio_line *take_line(struct gpiod_chip *chip, uint32_t offset,
                                    const struct cgpio_config *config) {
  struct cgpio_line *taken = malloc(sizeof *taken);
  struct gpiod_line_settings *settings = gpiod_line_settings_new();
  struct gpiod_line_config *lines = gpiod_line_config_new();
  struct gpiod_request_config *request = gpiod_request_config_new();
  unsigned offsets[1] = {offset};
  if (taken) taken->request = NULL;
  if (taken && settings && lines && request && set_up(settings, config) == 0) {
    gpiod_request_config_set_consumer(request, consumer);
    if (gpiod_line_config_add_line_settings(lines, offsets, 1, settings) == 0) {
      taken->request = gpiod_chip_request_lines(chip, request, lines);
      taken->offset = offset;
      taken->is_debounced = config->debounce_us != 0;
    }
  }
  int code = errno;
  if (request) gpiod_request_config_free(request);
  if (lines) gpiod_line_config_free(lines);
  if (settings) gpiod_line_settings_free(settings);
  if (taken && taken->request) {
    gpiod_chip_close(chip); // a request of 2.x stands on its own
    return taken;
  }
  free(taken);
  errno = code;
  return NULL;
}

int cgpio_set(struct cgpio_line *line, int is_on) {
  return gpiod_line_request_set_value(line->request, line->offset,
                                      is_on ? GPIOD_LINE_VALUE_ACTIVE : GPIOD_LINE_VALUE_INACTIVE);
}

int cgpio_get(struct cgpio_line *line) {
  enum gpiod_line_value value = gpiod_line_request_get_value(line->request, line->offset);
  return value == GPIOD_LINE_VALUE_ERROR ? -1 : value == GPIOD_LINE_VALUE_ACTIVE;
}

static void give_back(struct cgpio_line *line) {
  gpiod_line_request_release(line->request);
  free(line);
}

#endif

int cgpio_is_debounced(const struct cgpio_line *line) { return line->is_debounced; }

// ── Outputs that a sudden end must not leave on ──────────────────────────────────────────────────

// More than a board has.
enum { MOST_OUTPUTS = 32 };
static struct {
  _Atomic(struct cgpio_line *) line;
  int is_on_at_exit;
} outputs[MOST_OUTPUTS];

static void remember(struct cgpio_line *line, int is_on_at_exit) {
  for (int i = 0; i < MOST_OUTPUTS; i++) {
    if (atomic_load(&outputs[i].line)) continue;
    outputs[i].is_on_at_exit = is_on_at_exit;
    atomic_store(&outputs[i].line, line);
    return;
  }
}

void cgpio_release(struct cgpio_line *line) {
  for (int i = 0; i < MOST_OUTPUTS; i++)
    if (atomic_load(&outputs[i].line) == line) atomic_store(&outputs[i].line, NULL);
  give_back(line);
}

void cgpio_leave_outputs(void) {
  for (int i = 0; i < MOST_OUTPUTS; i++) {
    struct cgpio_line *line = atomic_load(&outputs[i].line);
    if (line) cgpio_set(line, outputs[i].is_on_at_exit);
  }
}

// ── Chips and lines by their names ───────────────────────────────────────────────────────────────

static int is_wanted(const char *wanted, const struct chip_facts *facts) {
  if (strcmp(wanted, "auto") == 0) return strncmp(facts->label, "pinctrl-", 8) == 0;
  return strcmp(wanted, facts->label) == 0 || strcmp(wanted, facts->name) == 0;
}

// Numbers have gaps, and a board with expanders has few dozens of chips.
enum { HIGHEST_CHIP = 63 };

static struct gpiod_chip *open_chip(const char *wanted, struct chip_facts *facts,
                                    struct cgpio_failure *failure) {
  char path[CGPIO_NAME_BYTES];
  int is_path = wanted[0] == '/';
  int forbidden = 0;
  size_t used = 0;
  for (int number = 0; number <= (is_path ? 0 : HIGHEST_CHIP); number++) {
    if (is_path)
      copy_text(path, sizeof path, wanted);
    else
      snprintf(path, sizeof path, "/dev/gpiochip%d", number);
    struct gpiod_chip *chip = gpiod_chip_open(path);
    if (!chip) {
      int code = errno;
      if (is_path && code != ENOENT && code != EACCES && code != EPERM) {
        failure->problem = CGPIO_CHIP_FAILED;
        failure->code = code;
        copy_text(failure->chip, sizeof failure->chip, path);
        return NULL;
      }
      if ((code == EACCES || code == EPERM) && !forbidden) {
        forbidden = 1;
        copy_text(failure->chip, sizeof failure->chip, path);
      }
      continue;
    }
    if (read_chip(chip, facts) == 0) {
      if (is_path || is_wanted(wanted, facts)) return chip;
      int length = snprintf(failure->text + used, sizeof failure->text - used, "%s%s [%s]",
                            used ? ", " : "", facts->name, facts->label);
      if (length > 0 && used + (size_t)length < sizeof failure->text)
        used += (size_t)length;
      else
        failure->text[used] = 0; // no half names
    }
    gpiod_chip_close(chip);
  }
  failure->problem = forbidden ? CGPIO_NO_PERMISSION : CGPIO_UNKNOWN_CHIP;
  return NULL;
}

struct cgpio_line *cgpio_request(const char *wanted, const char *name, uint32_t offset,
                                 const struct cgpio_config *config, struct cgpio_failure *failure) {
  memset(failure, 0, sizeof *failure);
  struct chip_facts facts;
  struct gpiod_chip *chip = open_chip(wanted, &facts, failure);
  if (!chip) return NULL;
  copy_text(failure->chip, sizeof failure->chip, facts.label);
  failure->text[0] = 0;
  failure->line_count = facts.line_count;
  if (name) {
    int found = find_line(chip, name);
    offset = found < 0 ? UINT32_MAX : (uint32_t)found;
  }
  if (offset >= facts.line_count) {
    failure->problem = CGPIO_UNKNOWN_LINE;
    gpiod_chip_close(chip);
    return NULL;
  }
  struct cgpio_line *line = take_line(chip, offset, config);
  if (!line && config->debounce_us && errno != EBUSY) {
    // A line without an interrupt cannot be debounced by the kernel.
    struct cgpio_config plain = *config;
    plain.debounce_us = 0;
    line = take_line(chip, offset, &plain);
  }
  if (line) {
    if (!config->is_input) remember(line, config->is_on_at_exit);
    return line;
  }
  failure->code = errno;
  if (failure->code == EBUSY) {
    failure->problem = CGPIO_BUSY;
    read_consumer(chip, offset, failure->text, sizeof failure->text);
  } else {
    failure->problem = CGPIO_LINE_FAILED;
  }
  gpiod_chip_close(chip);
  return NULL;
}
