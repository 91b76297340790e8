// The C library, as Swift can import it: headers, fixed-arity wrappers of variadic calls, and a
// thread start whose trampoline needs no heap.
//
// No feature macro such as _GNU_SOURCE here: it changes structures that Swift's own C library
// module has too, and a test that imports both then does not compile. What needs one is in
// CPlatform.c.
#pragma once

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <poll.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <termios.h>
#include <time.h>
#include <unistd.h>

static inline int platform_open(const char *path, int flags, unsigned mode) {
  return open(path, flags, mode);
}
static inline int platform_ioctl(int fd, unsigned long request, void *argument) {
  return ioctl(fd, request, argument);
}
/// A write to a pipe that nobody reads answers EPIPE instead of ending the process.
static inline void platform_ignore_sigpipe(void) { signal(SIGPIPE, SIG_IGN); }
/// It ends the process again.
static inline void platform_obey_sigpipe(void) { signal(SIGPIPE, SIG_DFL); }
static inline int platform_errno(void) { return errno; }
static inline void platform_set_errno(int code) { errno = code; }

/// O_DIRECT, which is only defined with _GNU_SOURCE.
int platform_direct_flag(void);

/// Anonymous private memory, zeroed and page aligned; NULL when the kernel has none.
void *platform_map(size_t bytes);
/// Monotonic time in nanoseconds.
int64_t platform_now(void);
/// Sleeps at least that long; a signal ends it early.
void platform_sleep(int64_t nanoseconds);
/// Bytes from the kernel's entropy, up to 256 at once and more in parts: how many came, or -1 with
/// errno.
ssize_t platform_entropy(void *into, size_t bytes);
/// The program's words, its own name among them; 0 and NULL before the C library's start-up and
/// past the end.
int platform_argument_count(void);
char *platform_argument(int index);

/// The kernel's number of the calling thread.
int platform_thread_id(void);

typedef void (*platform_thread_body)(void *context);
/// Starts a thread with a stack of `stack_bytes` (0: the default; too few become the least that the
/// system allows). Returns a slot below 16, or
/// -errno. The slot is free again after `platform_thread_join`.
int platform_thread_start(platform_thread_body body, void *context, const char *name,
                          size_t stack_bytes);
/// Waits for the thread to end. 0 or an error number.
int platform_thread_join(int slot);

/// Waits while `*word == expected`, at most `nanoseconds` (negative: for ever).
/// 0 when woken or when the word differs; -1 with errno ETIMEDOUT otherwise.
int platform_futex_wait(const uint32_t *word, uint32_t expected, int64_t nanoseconds);
/// Wakes every waiter of `word`.
void platform_futex_wake(const uint32_t *word);

/// From now on SIGINT, SIGTERM, SIGHUP and SIGQUIT do not end the process but are remembered; a
/// second one does. Not those that the process ignores.
void platform_catch_stop_signals(void);
/// Whether one came.
int platform_stop_was_requested(void);
/// Calls `call`, on whichever thread it hits, when a signal ends the process at once: a crash, an
/// abort, a second wish to stop. Only what is safe in a signal handler.
void platform_before_sudden_end(void (*call)(void));
/// Highest resident memory of the process so far in KiB (VmHWM of /proc/self/status); -1 without.
/// Allocates nothing.
long platform_peak_resident_kib(void);
