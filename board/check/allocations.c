// Counts what a program asks of the heap while it works, to be put in front with LD_PRELOAD.
//
// A program's life has three phases: start, steady, end. Steady begins with the line that has
// ALLOCATIONS_FROM (default "ev=started"), seen in what any thread gives to write or writev, and
// ends when a read of a pipe finds its end: threads and memory are given back from then on. The
// report goes to the file ALLOCATIONS_REPORT when the program ends: a line for each function, one
// for the peak of resident and of locked memory in KiB, and for the first calls of the steady phase
// who made them.
//
// glibc only: its allocator is called by the names it exports for that, so no symbol need be looked
// up, which would allocate. So that strace, which sees the memory map's calls, knows the phases
// too, each change of phase is one write of its name to the file descriptor -1.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

void *__libc_malloc(size_t bytes);
void *__libc_calloc(size_t count, size_t bytes);
void *__libc_realloc(void *old, size_t bytes);
void __libc_free(void *old);
void *__libc_memalign(size_t alignment, size_t bytes);
void *__libc_valloc(size_t bytes);
void *__libc_pvalloc(size_t bytes);

enum function {
  MALLOC, CALLOC, REALLOC, REALLOCARRAY, FREE, POSIX_MEMALIGN, ALIGNED_ALLOC, MEMALIGN, VALLOC,
  PVALLOC, FUNCTIONS
};
static const char *const phase_marks[] = {"phase start", "phase steady", "phase end"};
static const char *const names[FUNCTIONS] = {
  "malloc", "calloc", "realloc", "reallocarray", "free", "posix_memalign", "aligned_alloc",
  "memalign", "valloc", "pvalloc",
};
enum phase { START, STEADY, END, PHASES };
enum { CALLERS = 16, STREAMS = 64 };

static _Atomic unsigned long counts[PHASES][FUNCTIONS];
static _Atomic int phase = START;
static _Atomic int callers_seen;
static struct {
  enum function function;
  void *address;
} callers[CALLERS];

static void count(enum function function, void *caller) {
  int now = atomic_load(&phase);
  atomic_fetch_add(&counts[now][function], 1);
  if (now != STEADY) return;
  int index = atomic_fetch_add(&callers_seen, 1);
  if (index < CALLERS) {
    callers[index].function = function;
    callers[index].address = caller;
  }
}
#define COUNT(function) count(function, __builtin_return_address(0))

void *malloc(size_t bytes) {
  COUNT(MALLOC);
  return __libc_malloc(bytes);
}

void *calloc(size_t number, size_t bytes) {
  COUNT(CALLOC);
  return __libc_calloc(number, bytes);
}

void *realloc(void *old, size_t bytes) {
  COUNT(REALLOC);
  return __libc_realloc(old, bytes);
}

void *reallocarray(void *old, size_t number, size_t bytes) {
  COUNT(REALLOCARRAY);
  size_t total;
  if (__builtin_mul_overflow(number, bytes, &total)) {
    errno = ENOMEM;
    return NULL;
  }
  return __libc_realloc(old, total);
}

void free(void *old) {
  COUNT(FREE);
  __libc_free(old);
}

int posix_memalign(void **into, size_t alignment, size_t bytes) {
  COUNT(POSIX_MEMALIGN);
  if (alignment < sizeof(void *) || (alignment & (alignment - 1))) return EINVAL;
  void *made = __libc_memalign(alignment, bytes);
  if (!made) return ENOMEM;
  *into = made;
  return 0;
}

void *aligned_alloc(size_t alignment, size_t bytes) {
  COUNT(ALIGNED_ALLOC);
  return __libc_memalign(alignment, bytes);
}

void *memalign(size_t alignment, size_t bytes) {
  COUNT(MEMALIGN);
  return __libc_memalign(alignment, bytes);
}

void *valloc(size_t bytes) {
  COUNT(VALLOC);
  return __libc_valloc(bytes);
}

void *pvalloc(size_t bytes) {
  COUNT(PVALLOC);
  return __libc_pvalloc(bytes);
}

static const char *from = "ev=started";
static const char *report_path;

__attribute__((constructor)) static void read_environment(void) {
  report_path = getenv("ALLOCATIONS_REPORT");
  if (getenv("ALLOCATIONS_FROM")) from = getenv("ALLOCATIONS_FROM");
}

static void enter(enum phase next) {
  int before = next - 1;
  if (!atomic_compare_exchange_strong(&phase, &before, next)) return;
  syscall(SYS_write, -1, phase_marks[next], strlen(phase_marks[next]));
}

/// Looks for the mark that begins the steady phase; it may lie across two writes. It does not begin
/// anew inside itself, so on a difference only the byte at hand can be a new beginning.
static void look(int fd, const unsigned char *bytes, size_t length) {
  static int matched[STREAMS];
  if (fd < 0 || fd >= STREAMS || atomic_load(&phase) != START) return;
  for (size_t i = 0; i < length; i++) {
    if (bytes[i] != (unsigned char)from[matched[fd]]) matched[fd] = 0;
    if (bytes[i] == (unsigned char)from[matched[fd]]) matched[fd]++;
    if (from[matched[fd]] == 0) {
      enter(STEADY);
      return;
    }
  }
}

ssize_t write(int fd, const void *bytes, size_t length) {
  look(fd, bytes, length);
  return syscall(SYS_write, fd, bytes, length);
}

ssize_t writev(int fd, const struct iovec *parts, int number) {
  for (int i = 0; i < number; i++) look(fd, parts[i].iov_base, parts[i].iov_len);
  return syscall(SYS_writev, fd, parts, number);
}

ssize_t read(int fd, void *into, size_t length) {
  ssize_t got = syscall(SYS_read, fd, into, length);
  struct stat status;
  if (got == 0 && length > 0 && fstat(fd, &status) == 0 && S_ISFIFO(status.st_mode)) enter(END);
  return got;
}

static void put(int fd, const char *text) { syscall(SYS_write, fd, text, strlen(text)); }

/// A number of KiB out of /proc/self/status, -1 where it is not there.
static long status_kib(const char *key) {
  char text[8192];
  int fd = open("/proc/self/status", O_RDONLY);
  ssize_t length = fd < 0 ? 0 : read(fd, text, sizeof text - 1);
  if (fd >= 0) close(fd);
  text[length > 0 ? length : 0] = 0;
  const char *line = strstr(text, key);
  return line ? strtol(line + strlen(key), NULL, 10) : -1;
}

static void report(void) {
  static atomic_flag once = ATOMIC_FLAG_INIT;
  if (!report_path || atomic_flag_test_and_set(&once)) return;
  long peak = status_kib("VmHWM:"), locked = status_kib("VmLck:");
  int reached = atomic_exchange(&phase, END);
  int fd = open(report_path, O_WRONLY | O_CREAT | O_TRUNC, 0644);
  if (fd < 0) return;
  char line[512];
  snprintf(line, sizeof line, "%s\npeak_kib %ld\nlocked_kib %ld\n", phase_marks[reached], peak,
           locked);
  put(fd, line);
  for (int f = 0; f < FUNCTIONS; f++) {
    snprintf(line, sizeof line, "%s start %lu steady %lu end %lu\n", names[f], counts[START][f],
             counts[STEADY][f], counts[END][f]);
    put(fd, line);
  }
  for (int i = 0; i < callers_seen && i < CALLERS; i++) {
    Dl_info where = {0};
    dladdr(callers[i].address, &where);
    snprintf(line, sizeof line, "caller %s %s+0x%lx %s\n", names[callers[i].function],
             where.dli_fname ? where.dli_fname : "?",
             (unsigned long)((uintptr_t)callers[i].address - (uintptr_t)where.dli_fbase),
             where.dli_sname ? where.dli_sname : "");
    put(fd, line);
  }
  close(fd);
}

__attribute__((destructor)) static void at_exit(void) { report(); }

void _exit(int code) {
  report();
  syscall(SYS_exit_group, code);
  __builtin_unreachable();
}
