#include "CGPIO.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/gpio.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

static const char consumer[] = "livelatch";

static void copy_text(char *into, size_t size, const char *from) {
  snprintf(into, size, "%s", from);
}

static int find_line(int chip, uint32_t line_count, const char *name, uint32_t *offset) {
  for (uint32_t at = 0; at < line_count; at++) {
    struct gpio_v2_line_info info = {.offset = at};
    if (ioctl(chip, GPIO_V2_GET_LINEINFO_IOCTL, &info) < 0) continue;
    if (strncmp(info.name, name, sizeof info.name) != 0) continue;
    *offset = at;
    return 1;
  }
  return 0;
}

static int take_line(int chip, uint32_t offset, int active_low, int is_on) {
  struct gpio_v2_line_request request = {.offsets = {offset}, .num_lines = 1};
  copy_text(request.consumer, sizeof request.consumer, consumer);
  request.config.flags = GPIO_V2_LINE_FLAG_OUTPUT;
  if (active_low) request.config.flags |= GPIO_V2_LINE_FLAG_ACTIVE_LOW;
  request.config.num_attrs = 1;
  request.config.attrs[0].mask = 1;
  request.config.attrs[0].attr.id = GPIO_V2_LINE_ATTR_ID_OUTPUT_VALUES;
  request.config.attrs[0].attr.values = is_on != 0;
  return ioctl(chip, GPIO_V2_GET_LINE_IOCTL, &request) < 0 ? -1 : request.fd;
}

int cgpio_set(int line, int is_on) {
  struct gpio_v2_line_values values = {.bits = is_on != 0, .mask = 1};
  return ioctl(line, GPIO_V2_LINE_SET_VALUES_IOCTL, &values);
}

void cgpio_release(int line) { close(line); }

static int is_wanted(const char *wanted, const struct gpiochip_info *facts) {
  if (strcmp(wanted, "auto") == 0) return strncmp(facts->label, "pinctrl-", 8) == 0;
  return strcmp(wanted, facts->label) == 0 || strcmp(wanted, facts->name) == 0;
}

// Numbers have gaps, and a board with expanders has few dozens of chips.
enum { HIGHEST_CHIP = 63 };

static int open_chip(const char *wanted, struct gpiochip_info *facts,
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
    int chip = open(path, O_RDWR | O_CLOEXEC);
    int is_chip = chip >= 0 && ioctl(chip, GPIO_GET_CHIPINFO_IOCTL, facts) == 0;
    int code = errno;
    if (is_chip) {
      if (is_path || is_wanted(wanted, facts)) return chip;
      int length = snprintf(failure->text + used, sizeof failure->text - used, "%s%s [%s]",
                            used ? ", " : "", facts->name, facts->label);
      if (length > 0 && used + (size_t)length < sizeof failure->text)
        used += (size_t)length;
      else
        failure->text[used] = 0; // no half names
    } else if ((code == EACCES || code == EPERM) && !forbidden) {
      forbidden = 1;
      copy_text(failure->chip, sizeof failure->chip, path);
    } else if (is_path && code != ENOENT && !forbidden) {
      failure->problem = CGPIO_CHIP_FAILED;
      failure->code = code;
      copy_text(failure->chip, sizeof failure->chip, path);
    }
    if (chip >= 0) close(chip);
    if (failure->problem != CGPIO_OK) return -1;
  }
  failure->problem = forbidden ? CGPIO_NO_PERMISSION : CGPIO_UNKNOWN_CHIP;
  return -1;
}

int cgpio_request(const char *wanted, const char *name, uint32_t offset, int active_low, int is_on,
                  struct cgpio_failure *failure) {
  memset(failure, 0, sizeof *failure);
  struct gpiochip_info facts;
  int chip = open_chip(wanted, &facts, failure);
  if (chip < 0) return -1;
  copy_text(failure->chip, sizeof failure->chip, facts.label);
  failure->text[0] = 0;
  failure->line_count = facts.lines;
  int line = -1;
  if (name ? !find_line(chip, facts.lines, name, &offset) : offset >= facts.lines) {
    failure->problem = CGPIO_UNKNOWN_LINE;
  } else if ((line = take_line(chip, offset, active_low, is_on)) < 0) {
    failure->code = errno;
    failure->problem = failure->code == EBUSY ? CGPIO_BUSY : CGPIO_LINE_FAILED;
    struct gpio_v2_line_info info = {.offset = offset};
    if (failure->code == EBUSY && ioctl(chip, GPIO_V2_GET_LINEINFO_IOCTL, &info) == 0)
      copy_text(failure->text, sizeof failure->text, info.consumer);
  }
  // A line that was taken stands on its own.
  close(chip);
  return line;
}
