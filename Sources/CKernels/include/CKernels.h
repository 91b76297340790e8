// What Swift cannot import by itself: intrinsics that clang has as macros, and processor features.
#pragma once

#include <stddef.h>
#include <stdint.h>

/// Whether the processor and the kernel support AVX2. 0 on anything but x86_64.
int kernels_cpu_has_avx2(void);
/// Whether LIVELATCH_KERNELS is set to exactly these bytes.
int kernels_environment_is(const uint8_t *name, ptrdiff_t length);
