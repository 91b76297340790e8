// The kernel's own second interface of GPIO lines (linux/gpio.h, since 5.10), for where the library
// that is there knows the first one only. Allocates nothing.
#pragma once

#include "CGPIO.h"

#include <stddef.h>
#include <stdint.h>

/// Offset of the line with that name on an open chip, or -1.
int second_interface_find(int chip, uint32_t line_count, const char *name);

/// Who holds a line; left as it is where that is not known.
void second_interface_consumer(int chip, uint32_t offset, char *into, size_t size);

/// Takes a line and answers its own descriptor, which lives longer than the chip's; -1 with errno.
int second_interface_take(int chip, uint32_t offset, const char *consumer,
                          const struct cgpio_config *config);

/// Sets the value. 0, or -1 with errno.
int second_interface_set(int line, int is_on);

/// The value: 0 or 1; -1 with errno.
int second_interface_get(int line);
