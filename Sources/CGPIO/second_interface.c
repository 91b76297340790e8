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

static uint64_t flags_of(const struct cgpio_config *config) {
  uint64_t flags = config->is_input ? GPIO_V2_LINE_FLAG_INPUT : GPIO_V2_LINE_FLAG_OUTPUT;
  if (config->active_low) flags |= GPIO_V2_LINE_FLAG_ACTIVE_LOW;
  if (config->open_drain) flags |= GPIO_V2_LINE_FLAG_OPEN_DRAIN;
  switch (config->bias) {
  case CGPIO_BIAS_NONE: return flags | GPIO_V2_LINE_FLAG_BIAS_DISABLED;
  case CGPIO_BIAS_UP: return flags | GPIO_V2_LINE_FLAG_BIAS_PULL_UP;
  case CGPIO_BIAS_DOWN: return flags | GPIO_V2_LINE_FLAG_BIAS_PULL_DOWN;
  }
  return flags;
}

int second_interface_take(int chip, uint32_t offset, const char *consumer,
                          const struct cgpio_config *config) {
  struct gpio_v2_line_request request = {.offsets = {offset}, .num_lines = 1};
  snprintf(request.consumer, sizeof request.consumer, "%s", consumer);
  request.config.flags = flags_of(config);
  struct gpio_v2_line_config_attribute *attribute = &request.config.attrs[0];
  attribute->mask = 1;
  if (!config->is_input) {
    attribute->attr.id = GPIO_V2_LINE_ATTR_ID_OUTPUT_VALUES;
    attribute->attr.values = config->is_on != 0;
    request.config.num_attrs = 1;
  } else if (config->debounce_us) {
    attribute->attr.id = GPIO_V2_LINE_ATTR_ID_DEBOUNCE;
    attribute->attr.debounce_period_us = config->debounce_us;
    request.config.num_attrs = 1;
  }
  return ioctl(chip, GPIO_V2_GET_LINE_IOCTL, &request) < 0 ? -1 : request.fd;
}

int second_interface_set(int line, int is_on) {
  struct gpio_v2_line_values values = {.bits = is_on != 0, .mask = 1};
  return ioctl(line, GPIO_V2_LINE_SET_VALUES_IOCTL, &values);
}

int second_interface_get(int line) {
  struct gpio_v2_line_values values = {.mask = 1};
  if (ioctl(line, GPIO_V2_LINE_GET_VALUES_IOCTL, &values) < 0) return -1;
  return values.bits & 1;
}
