#include "second_interface.h"

#include <linux/gpio.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>

int second_interface_find(int chip, uint32_t line_count, const char *name) {
  for (uint32_t offset = 0; offset < line_count; offset++) {
    struct gpio_v2_line_info info = {.offset = offset};
    if (ioctl(chip, GPIO_V2_GET_LINEINFO_IOCTL, &info) < 0) continue;
    if (strncmp(info.name, name, sizeof info.name) == 0) return (int)offset;
  }
  return -1;
}

void second_interface_consumer(int chip, uint32_t offset, char *into, size_t size) {
  struct gpio_v2_line_info info = {.offset = offset};
  if (ioctl(chip, GPIO_V2_GET_LINEINFO_IOCTL, &info) == 0)
    snprintf(into, size, "%s", info.consumer);
}

int second_interface_take(int chip, uint32_t offset, const char *consumer, int active_low,
                          int is_on) {
  struct gpio_v2_line_request request = {.offsets = {offset}, .num_lines = 1};
  snprintf(request.consumer, sizeof request.consumer, "%s", consumer);
  request.config.flags = GPIO_V2_LINE_FLAG_OUTPUT;
  if (active_low) request.config.flags |= GPIO_V2_LINE_FLAG_ACTIVE_LOW;
  request.config.num_attrs = 1;
  request.config.attrs[0].mask = 1;
  request.config.attrs[0].attr.id = GPIO_V2_LINE_ATTR_ID_OUTPUT_VALUES;
  request.config.attrs[0].attr.values = is_on != 0;
  return ioctl(chip, GPIO_V2_GET_LINE_IOCTL, &request) < 0 ? -1 : request.fd;
}

int second_interface_set(int line, int is_on) {
  struct gpio_v2_line_values values = {.bits = is_on != 0, .mask = 1};
  return ioctl(line, GPIO_V2_LINE_SET_VALUES_IOCTL, &values);
}
