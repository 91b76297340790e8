#define _GNU_SOURCE
#include "CPlatform.h"

#include <linux/futex.h>
#include <pthread.h>
#include <stdatomic.h>
#include <sys/random.h>
#include <sys/syscall.h>

int platform_direct_flag(void) { return O_DIRECT; }

void *platform_map(size_t bytes) {
  void *at = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  return at == MAP_FAILED ? NULL : at;
}

int64_t platform_now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

static struct timespec timespec_of(int64_t nanoseconds) {
  return (struct timespec){.tv_sec = nanoseconds / 1000000000, .tv_nsec = nanoseconds % 1000000000};
}

void platform_sleep(int64_t nanoseconds) {
  if (nanoseconds <= 0) return;
  struct timespec t = timespec_of(nanoseconds);
  clock_nanosleep(CLOCK_MONOTONIC, 0, &t, NULL);
}

ssize_t platform_entropy(void *into, size_t bytes) { return getrandom(into, bytes, 0); }

static int argument_count;
static char **arguments;

// glibc hands a constructor what main() gets; Embedded Swift's own main() keeps it to itself.
__attribute__((constructor)) static void keep_arguments(int count, char **words) {
  argument_count = count;
  arguments = words;
}

int platform_argument_count(void) { return argument_count; }

char *platform_argument(int index) {
  return index >= 0 && index < argument_count ? arguments[index] : NULL;
}

enum { THREAD_SLOTS = 16 };
static struct {
  _Atomic int used;
  pthread_t thread;
  platform_thread_body body;
  void *context;
} slots[THREAD_SLOTS];

static void *trampoline(void *slot) {
  int i = (int)(intptr_t)slot;
  slots[i].body(slots[i].context);
  return NULL;
}

int platform_thread_start(platform_thread_body body, void *context, const char *name,
                          size_t stack_bytes) {
  // 16 KiB on x86_64, 128 KiB on arm64.
  long least = sysconf(_SC_THREAD_STACK_MIN);
  if (stack_bytes && least > 0 && stack_bytes < (size_t)least) stack_bytes = (size_t)least;
  for (int i = 0; i < THREAD_SLOTS; i++) {
    int expected = 0;
    if (!atomic_compare_exchange_strong(&slots[i].used, &expected, 1)) continue;
    slots[i].body = body;
    slots[i].context = context;
    pthread_attr_t attributes;
    pthread_attr_init(&attributes);
    int result = stack_bytes ? pthread_attr_setstacksize(&attributes, stack_bytes) : 0;
    if (!result)
      result = pthread_create(&slots[i].thread, &attributes, trampoline, (void *)(intptr_t)i);
    pthread_attr_destroy(&attributes);
    if (result) {
      atomic_store(&slots[i].used, 0);
      return -result;
    }
    if (name) pthread_setname_np(slots[i].thread, name);
    return i;
  }
  return -EAGAIN;
}

int platform_thread_id(void) { return gettid(); }

int platform_thread_join(int slot) {
  int result = pthread_join(slots[slot].thread, NULL);
  atomic_store(&slots[slot].used, 0);
  return result;
}

int platform_futex_wait(const uint32_t *word, uint32_t expected, int64_t nanoseconds) {
  struct timespec limit = timespec_of(nanoseconds < 0 ? 0 : nanoseconds);
  long result = syscall(SYS_futex, word, FUTEX_WAIT_PRIVATE, expected,
                        nanoseconds < 0 ? NULL : &limit, NULL, 0);
  if (result == 0 || errno == EAGAIN || errno == EINTR) return 0;
  return -1;
}

void platform_futex_wake(const uint32_t *word) {
  syscall(SYS_futex, word, FUTEX_WAKE_PRIVATE, INT32_MAX, NULL, NULL, 0);
}

static volatile sig_atomic_t stop_requested;
static void (*_Atomic before_sudden_end)(void);

// The signal's own course was restored when this was called: it comes again, by itself or from here,
// and ends the process.
static void end_suddenly(int number) {
  void (*before)(void) = atomic_load(&before_sudden_end);
  if (before) before();
  raise(number);
}

static void remember_stop(int number) {
  if (stop_requested) {
    signal(number, SIG_DFL);
    end_suddenly(number);
  }
  stop_requested = 1;
}

static void catch(int number, void (*handler)(int), int flags) {
  struct sigaction before, action = {.sa_handler = handler, .sa_flags = flags};
  sigemptyset(&action.sa_mask);
  // Whoever started the program may want it to outlive the terminal (nohup).
  if (sigaction(number, NULL, &before) == 0 && before.sa_handler == SIG_IGN) return;
  sigaction(number, &action, NULL);
}

void platform_catch_stop_signals(void) {
  static const int stops[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT};
  for (size_t i = 0; i < sizeof stops / sizeof stops[0]; i++) catch(stops[i], remember_stop, 0);
}

void platform_before_sudden_end(void (*call)(void)) {
  static const int fatal[] = {SIGSEGV, SIGBUS,  SIGILL,  SIGFPE,  SIGTRAP, SIGABRT,
                              SIGSYS,  SIGXCPU, SIGXFSZ, SIGUSR1, SIGUSR2, SIGALRM};
  atomic_store(&before_sudden_end, call);
  for (size_t i = 0; i < sizeof fatal / sizeof fatal[0]; i++)
    catch(fatal[i], end_suddenly, SA_RESETHAND | SA_NODEFER);
}

int platform_stop_was_requested(void) { return stop_requested; }

long platform_peak_resident_kib(void) {
  char text[4096];
  int fd = open("/proc/self/status", O_RDONLY | O_CLOEXEC);
  if (fd < 0) return -1;
  ssize_t count = read(fd, text, sizeof text - 1);
  close(fd);
  if (count <= 0) return -1;
  text[count] = 0;
  const char *line = strstr(text, "VmHWM:");
  return line ? strtol(line + 6, NULL, 10) : -1;
}
