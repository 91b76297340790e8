// A program that reads a Y4M clip and logs as livelatchd does, with one fault that is asked for by
// name: what allocations-test.sh shows to the check.
#define _DEFAULT_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static char frame[1 << 18];
static void *kept, *made;

static void say(const char *text) {
  if (write(1, text, strlen(text)) < 0) exit(2);
}

static void *allocate(void *unused) {
  made = malloc(100);
  return unused;
}

static void fail_as(const char *fault) {
  if (!strcmp(fault, "malloc")) made = malloc(100);
  if (!strcmp(fault, "free")) {
    free(kept);
    kept = 0;
  }
  if (!strcmp(fault, "stdio")) made = fopen("/dev/null", "r");
  if (!strcmp(fault, "map")) made = mmap(0, 4096, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (!strcmp(fault, "break") && sbrk(4096) == (void *)-1) exit(2);
  if (!strcmp(fault, "thread")) {
    pthread_t thread;
    pthread_create(&thread, 0, allocate, 0);
    pthread_join(thread, 0);
  }
}

int main(int count, char **words) {
  if (count != 3) return 64;
  const char *fault = words[1];
  int clip = open(words[2], O_RDONLY);
  if (clip < 0) return 66;
  kept = malloc(100);
  if (!strcmp(fault, "big")) memset(malloc(32 << 20), 1, 32 << 20);
  // Where it is not allowed, the check does not ask for it.
  if (strcmp(fault, "unlocked")) mlockall(MCL_CURRENT | MCL_FUTURE);
  if (strcmp(fault, "silent")) {
    // In two pieces, as a full log ring may write it.
    say("<6>t=0.001 ev=boot\n<6>t=0.002 ev=sta");
    say("rted\n");
  }
  long total = 0, got;
  while ((got = read(clip, frame, sizeof frame)) > 0) {
    if (total == 0) fail_as(fault);
    total += got;
    if (!strcmp(fault, "short") && total > 100000) break;
  }
  if (!strcmp(fault, "crash")) abort();
  // 64x48 in I420, with "FRAME\n" before each.
  char line[100];
  snprintf(line, sizeof line, "<6>t=9.000 ev=stopped frames=%ld\n", total / (64 * 72 + 6));
  say(line);
  free(kept);
  return strcmp(fault, "code") ? 0 : 3;
}
