#include "CGPIO.h"
#include "second_interface.h"

#include <errno.h>
#include <fcntl.h>
#include <gpiod.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

// What the two versions of the library spell differently.
//   read_chip       label, kernel's name and count of lines of an open chip; 0 or -1
//   find_line       offset of the line with that name, or -1
//   take_line       requests the line as an output; NULL with errno
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

static struct cgpio_line *take_line(struct gpiod_chip *chip, uint32_t offset, int active_low,
                                    int is_on) {
  struct cgpio_line *taken = malloc(sizeof *taken);
  if (!taken) return NULL;
  *taken = (struct cgpio_line){.chip = chip, .descriptor = -1};
  taken->line = gpiod_chip_get_line(chip, offset);
  if (taken->line) {
    int flags = active_low ? GPIOD_LINE_REQUEST_FLAG_ACTIVE_LOW : 0;
    if (gpiod_line_request_output_flags(taken->line, consumer, flags, is_on) == 0) return taken;
  } else {
    int second = open_second_interface(chip);
    if (second >= 0) {
      taken->descriptor = second_interface_take(second, offset, consumer, active_low, is_on);
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

void cgpio_release(struct cgpio_line *line) {
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

static struct cgpio_line *take_line(struct gpiod_chip *chip, uint32_t offset, int active_low,
                                    int is_on) {
  struct cgpio_line *taken = malloc(sizeof *taken);
  struct gpiod_line_settings *settings = gpiod_line_settings_new();
  struct gpiod_line_config *lines = gpiod_line_config_new();
  struct gpiod_request_config *request = gpiod_request_config_new();
  unsigned offsets[1] = {offset};
  if (taken) taken->request = NULL;
  if (taken && settings && lines && request &&
      gpiod_line_settings_set_direction(settings, GPIOD_LINE_DIRECTION_OUTPUT) == 0 &&
      gpiod_line_settings_set_output_value(
          settings, is_on ? GPIOD_LINE_VALUE_ACTIVE : GPIOD_LINE_VALUE_INACTIVE) == 0) {
    gpiod_line_settings_set_active_low(settings, active_low != 0);
    gpiod_request_config_set_consumer(request, consumer);
    if (gpiod_line_config_add_line_settings(lines, offsets, 1, settings) == 0) {
      taken->request = gpiod_chip_request_lines(chip, request, lines);
      taken->offset = offset;
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

void cgpio_release(struct cgpio_line *line) {
  gpiod_line_request_release(line->request);
  free(line);
}

#endif

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
                                 int active_low, int is_on, struct cgpio_failure *failure) {
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
  struct cgpio_line *line = take_line(chip, offset, active_low, is_on);
  if (line) return line;
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
