// A plugin for qemu's user-mode emulators (plugin API 1, as of qemu 7.2): counts the guest's
// instructions that were executed, by function.
//
//     qemu-aarch64 -plugin ./instructions.so,functions=on -d plugin -D COUNTS PROGRAM
//
// COUNTS gets "total N" and, with functions=on, one line "N SYMBOL" a function; code without a symbol
// goes to "?". Before that a line "mark N" for each getppid of the program, which nobody needs: what
// lies between two of them is the difference of their N. Debian ships no header for plugins: what is used of the API is declared here.
#include <inttypes.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define EXPORT __attribute__((visibility("default")))

typedef uint64_t plugin_id;
struct qemu_plugin_tb;
struct qemu_plugin_insn;
enum plugin_operation { ADD_U64 };

void qemu_plugin_register_vcpu_tb_trans_cb(
    plugin_id id, void (*callback)(plugin_id id, struct qemu_plugin_tb *block));
void qemu_plugin_register_vcpu_tb_exec_inline(
    struct qemu_plugin_tb *block, enum plugin_operation operation, void *counter, uint64_t value);
void qemu_plugin_register_vcpu_syscall_cb(
    plugin_id id, void (*callback)(plugin_id id, unsigned vcpu, int64_t number, uint64_t, uint64_t,
                                   uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t));
void qemu_plugin_register_atexit_cb(plugin_id id, void (*callback)(plugin_id id, void *), void *);
size_t qemu_plugin_tb_n_insns(const struct qemu_plugin_tb *block);
struct qemu_plugin_insn *qemu_plugin_tb_get_insn(const struct qemu_plugin_tb *block, size_t index);
const char *qemu_plugin_insn_symbol(const struct qemu_plugin_insn *instruction);
void qemu_plugin_outs(const char *text);

EXPORT int qemu_plugin_version = 1;

struct function {
  struct function *next;
  uint64_t count;
  char name[];
};

// A hash table whose entries stay where they are: the emulator adds to them.
static struct function *functions[4096];
static uint64_t total;
static bool by_function;

static uint64_t *counter(const char *name) {
  uint32_t hash = 2166136261u;
  for (const char *c = name; *c; c++) hash = (hash ^ (uint8_t)*c) * 16777619u;
  struct function **head = &functions[hash % 4096];
  for (struct function *f = *head; f; f = f->next)
    if (!strcmp(f->name, name)) return &f->count;
  struct function *f = calloc(1, sizeof *f + strlen(name) + 1);
  if (!f) abort();
  strcpy(f->name, name);
  f->next = *head;
  *head = f;
  return &f->count;
}

// A translated block is executed whole but for an exception in it. It lies in one function mostly;
// where it does not, every stretch is counted for its own.
static void translated(plugin_id id, struct qemu_plugin_tb *block) {
  (void)id;
  size_t count = qemu_plugin_tb_n_insns(block);
  qemu_plugin_register_vcpu_tb_exec_inline(block, ADD_U64, &total, count);
  if (!by_function) return;
  uint64_t *stretch = NULL;
  uint64_t length = 0;
  for (size_t i = 0; i < count; i++) {
    const char *name = qemu_plugin_insn_symbol(qemu_plugin_tb_get_insn(block, i));
    uint64_t *own = counter(name && *name ? name : "?");
    if (own != stretch) {
      if (length) qemu_plugin_register_vcpu_tb_exec_inline(block, ADD_U64, stretch, length);
      stretch = own;
      length = 0;
    }
    length++;
  }
  if (length) qemu_plugin_register_vcpu_tb_exec_inline(block, ADD_U64, stretch, length);
}

static void called(plugin_id id, unsigned vcpu, int64_t number, uint64_t a, uint64_t b, uint64_t c,
                   uint64_t d, uint64_t e, uint64_t f, uint64_t g, uint64_t h) {
  (void)id, (void)vcpu, (void)a, (void)b, (void)c, (void)d, (void)e, (void)f, (void)g, (void)h;
  const int64_t getppid_on_arm64 = 173;
  if (number != getppid_on_arm64) return;
  char line[64];
  snprintf(line, sizeof line, "mark %" PRIu64 "\n", total);
  qemu_plugin_outs(line);
}

static void finished(plugin_id id, void *data) {
  (void)id;
  (void)data;
  char line[64];
  snprintf(line, sizeof line, "total %" PRIu64 "\n", total);
  qemu_plugin_outs(line);
  for (size_t i = 0; i < 4096; i++)
    for (struct function *f = functions[i]; f; f = f->next)
      if (f->count) {
        snprintf(line, sizeof line, "%" PRIu64 " ", f->count);
        qemu_plugin_outs(line);
        qemu_plugin_outs(f->name);
        qemu_plugin_outs("\n");
      }
}

EXPORT int qemu_plugin_install(plugin_id id, const void *info, int argc, char **argv) {
  (void)info;
  for (int i = 0; i < argc; i++) {
    if (strcmp(argv[i], "functions=on")) {
      fprintf(stderr, "instructions.so: what is %s?\n", argv[i]);
      return -1;
    }
    by_function = true;
  }
  qemu_plugin_register_vcpu_tb_trans_cb(id, translated);
  qemu_plugin_register_vcpu_syscall_cb(id, called);
  qemu_plugin_register_atexit_cb(id, finished, NULL);
  return 0;
}
