// webcam SIZE FPS [OPTION]... YUYV_FILE|MJPEG_FILE...: a USB webcam in software, for tests.
//
// It speaks USB/IP to the kernel's vhci-hcd driver over a socket pair, so that the kernel's own
// uvcvideo driver finds a USB Video Class device (version 1.0, one bulk endpoint) and makes a
// /dev/video node of it. A file that ends in .yuyv holds raw frames, any other JPEG pictures one
// after the other; each is a format of the camera. From its end a file is played again. The camera
// is unplugged when the process ends.
//
//   --damaged N  every Nth frame is marked as damaged
//   --short N    every Nth frame lacks its second half
//
// Signals: USR1 stops the frames without a word, or lets them go on; USR2 plays from the start.
//
// Sources: USB/IP protocol (Documentation/usb/usbip_protocol.rst), USB Video Class 1.0.
#define _GNU_SOURCE
#include <endian.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum {
  MOST_FORMATS = 2,
  MOST_FRAMES = 4096,
  MOST_PENDING = 64,
  PAYLOAD_BYTES = 16384,
  PAYLOAD_HEADER = 2,
  ENDPOINT = 1, // IN
  INTERFACE_CONTROL = 0,
  INTERFACE_STREAM = 1,
};

static void fail(const char *what) {
  perror(what);
  exit(1);
}

// ── What it shows ────────────────────────────────────────────────────────────────────────────────

struct picture {
  const uint8_t *bytes;
  size_t count;
};

struct format {
  int is_jpeg;
  int count;
  struct picture frames[MOST_FRAMES];
};

static struct format formats[MOST_FORMATS];
static int format_count;
static unsigned width, height, fps;
static unsigned every_damaged, every_short;

static size_t raw_bytes(void) { return (size_t)width * height * 2; }

static void add_file(const char *path) {
  if (format_count == MOST_FORMATS) {
    fprintf(stderr, "webcam: more than %d files\n", MOST_FORMATS);
    exit(64);
  }
  struct format *format = &formats[format_count++];
  int file = open(path, O_RDONLY);
  struct stat status;
  if (file < 0 || fstat(file, &status) < 0) fail(path);
  size_t size = (size_t)status.st_size;
  const uint8_t *bytes = mmap(NULL, size, PROT_READ, MAP_PRIVATE, file, 0);
  if (bytes == MAP_FAILED) fail(path);
  const char *ending = strrchr(path, '.');
  format->is_jpeg = !ending || strcmp(ending, ".yuyv") != 0;
  for (size_t at = 0; at < size && format->count < MOST_FRAMES;) {
    size_t count = raw_bytes();
    if (format->is_jpeg) {
      // From a start of image to the next one; within a picture FF is never followed by D8.
      const uint8_t *next = memmem(bytes + at + 2, size - at - 2, "\xff\xd8\xff", 3);
      count = next ? (size_t)(next - bytes) - at : size - at;
    }
    if (count > size - at) break;
    format->frames[format->count++] = (struct picture){bytes + at, count};
    at += count;
  }
  if (!format->count) {
    fprintf(stderr, "webcam: no frame in %s\n", path);
    exit(64);
  }
}

// ── Controls ─────────────────────────────────────────────────────────────────────────────────────

struct control {
  uint8_t unit, selector;
  uint8_t bytes, bit; // bit: of the unit's bmControls
  int32_t least, most, step, initial, now;
};

enum { CAMERA_UNIT = 1, PROCESSING_UNIT = 2, OUTPUT_UNIT = 3 };

static struct control controls[] = {
    {CAMERA_UNIT, 0x02, 1, 1, 1, 8, 5, 8, 8},            // exposure mode: manual 1, aperture 8
    {CAMERA_UNIT, 0x04, 4, 3, 1, 10000, 1, 157, 157},    // exposure time, 100 µs
    {PROCESSING_UNIT, 0x02, 2, 0, -64, 64, 1, 0, 0},     // brightness
    {PROCESSING_UNIT, 0x04, 2, 9, 0, 255, 1, 16, 16},    // gain
    {PROCESSING_UNIT, 0x05, 1, 10, 0, 2, 1, 1, 1},       // power line: off, 50 Hz, 60 Hz
    {PROCESSING_UNIT, 0x0a, 2, 6, 2800, 6500, 1, 4600, 4600}, // white balance, kelvin
    {PROCESSING_UNIT, 0x0b, 1, 12, 0, 1, 1, 1, 1},       // white balance, automatic
};
enum { CONTROL_COUNT = sizeof controls / sizeof controls[0] };

static uint32_t control_bits(uint8_t unit) {
  uint32_t bits = 0;
  for (int i = 0; i < CONTROL_COUNT; i++)
    if (controls[i].unit == unit) bits |= 1u << controls[i].bit;
  return bits;
}

static struct control *find_control(uint8_t unit, uint8_t selector) {
  for (int i = 0; i < CONTROL_COUNT; i++)
    if (controls[i].unit == unit && controls[i].selector == selector) return &controls[i];
  return NULL;
}

// ── Descriptors ──────────────────────────────────────────────────────────────────────────────────

static uint8_t configuration[512];
static size_t configuration_bytes;

// Appends `count` little-endian fields, each as (width in bytes, value).
static void append(const uint32_t (*fields)[2], size_t count) {
  for (size_t i = 0; i < count; i++)
    for (uint32_t byte = 0; byte < fields[i][0]; byte++)
      configuration[configuration_bytes++] = (uint8_t)(fields[i][1] >> (8 * byte));
}
#define APPEND(...) \
  append((const uint32_t[][2]){__VA_ARGS__}, sizeof((const uint32_t[][2]){__VA_ARGS__}) / 8)

static void put16(size_t at, size_t value) {
  configuration[at] = (uint8_t)value;
  configuration[at + 1] = (uint8_t)(value >> 8);
}

static uint32_t interval(void) { return 10000000 / fps; } // 100 ns

// Interfaces as in the specification's example: control with camera, processing and output units;
// stream with one format a file, each of one frame size and rate.
static void make_configuration(void) {
  APPEND({1, 9}, {1, 2}, {2, 0}, {1, 2}, {1, 1}, {1, 0}, {1, 0x80}, {1, 50});
  APPEND({1, 8}, {1, 11}, {1, 0}, {1, 2}, {1, 14}, {1, 3}, {1, 0}, {1, 0});

  APPEND({1, 9}, {1, 4}, {1, INTERFACE_CONTROL}, {1, 0}, {1, 0}, {1, 14}, {1, 1}, {1, 0}, {1, 0});
  size_t header = configuration_bytes;
  APPEND({1, 13}, {1, 0x24}, {1, 1}, {2, 0x100}, {2, 0}, {4, 48000000}, {1, 1},
         {1, INTERFACE_STREAM});
  APPEND({1, 18}, {1, 0x24}, {1, 2}, {1, CAMERA_UNIT}, {2, 0x201}, {1, 0}, {1, 0}, {2, 0}, {2, 0},
         {2, 0}, {1, 3}, {3, control_bits(CAMERA_UNIT)});
  APPEND({1, 11}, {1, 0x24}, {1, 5}, {1, PROCESSING_UNIT}, {1, CAMERA_UNIT}, {2, 0}, {1, 2},
         {2, control_bits(PROCESSING_UNIT)}, {1, 0});
  APPEND({1, 9}, {1, 0x24}, {1, 3}, {1, OUTPUT_UNIT}, {2, 0x101}, {1, 0}, {1, PROCESSING_UNIT},
         {1, 0});
  put16(header + 5, configuration_bytes - header);

  APPEND({1, 9}, {1, 4}, {1, INTERFACE_STREAM}, {1, 0}, {1, 1}, {1, 14}, {1, 2}, {1, 0}, {1, 0});
  size_t stream = configuration_bytes;
  APPEND({1, 13u + (unsigned)format_count}, {1, 0x24}, {1, 1}, {1, (unsigned)format_count}, {2, 0},
         {1, 0x80 | ENDPOINT}, {1, 0}, {1, OUTPUT_UNIT}, {1, 0}, {1, 0}, {1, 0}, {1, 1});
  for (int i = 0; i < format_count; i++) APPEND({1, 0});
  uint32_t bits = (uint32_t)raw_bytes() * 8;
  for (unsigned i = 1; i <= (unsigned)format_count; i++) {
    int is_jpeg = formats[i - 1].is_jpeg;
    if (is_jpeg)
      APPEND({1, 11}, {1, 0x24}, {1, 6}, {1, i}, {1, 1}, {1, 1}, {1, 1}, {1, 0}, {1, 0}, {1, 0},
             {1, 0});
    else // the format's GUID begins with the letters YUY2
      APPEND({1, 27}, {1, 0x24}, {1, 4}, {1, i}, {1, 1}, {4, 0x32595559}, {4, 0x00100000},
             {4, 0xaa000080}, {4, 0x719b3800}, {1, 16}, {1, 1}, {1, 0}, {1, 0}, {1, 0}, {1, 0});
    APPEND({1, 30}, {1, 0x24}, {1, is_jpeg ? 7 : 5}, {1, 1}, {1, 0}, {2, width}, {2, height},
           {4, bits}, {4, bits * fps}, {4, (uint32_t)raw_bytes()}, {4, interval()}, {1, 1},
           {4, interval()});
    APPEND({1, 6}, {1, 0x24}, {1, 13}, {1, 1}, {1, 1}, {1, 4});
  }
  put16(stream + 4, configuration_bytes - stream);
  APPEND({1, 7}, {1, 5}, {1, 0x80 | ENDPOINT}, {1, 2}, {2, 512}, {1, 0});
  put16(2, configuration_bytes);
}

static const uint8_t device[18] = {18, 1, 0, 2, 0xef, 2, 1, 64, 0x6b, 0x1d, 0x02, 0x01, 0, 1,
                                   1,  2, 3, 1};
static const char *const strings[] = {NULL, "livelatch tests", "Software webcam", "0001"};

static size_t string_descriptor(unsigned index, uint8_t *into) {
  if (index >= sizeof strings / sizeof strings[0]) return 0;
  size_t count = 2;
  if (index == 0) { // the list of languages: US English
    into[count++] = 0x09;
    into[count++] = 0x04;
  } else {
    for (const char *letter = strings[index]; *letter; letter++) {
      into[count++] = (uint8_t)*letter;
      into[count++] = 0;
    }
  }
  into[0] = (uint8_t)count;
  into[1] = 3;
  return count;
}

// ── USB/IP ───────────────────────────────────────────────────────────────────────────────────────

enum { SUBMIT = 1, UNLINK = 2, SUBMITTED = 3, UNLINKED = 4 };

struct header {
  uint32_t command, sequence, device, direction, endpoint;
  union {
    struct {
      uint32_t flags, length, start, packets, interval;
      uint8_t setup[8];
    } submit;
    struct {
      uint32_t status, length, start, packets, errors;
      uint8_t padding[8];
    } submitted;
    struct {
      uint32_t sequence;
      uint8_t padding[24];
    } unlink;
  };
};
_Static_assert(sizeof(struct header) == 48, "as in the protocol");

static int bus;

// False when the kernel hung up.
static int read_fully(void *into, size_t count) {
  for (size_t done = 0; done < count;) {
    ssize_t got = read(bus, (char *)into + done, count - done);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return 0;
    done += (size_t)got;
  }
  return 1;
}

static void write_fully(const void *from, size_t count) {
  for (size_t done = 0; done < count;) {
    ssize_t put = write(bus, (const char *)from + done, count - done);
    if (put < 0 && errno == EINTR) continue;
    if (put < 0) exit(0); // unplugged from the other side
    done += (size_t)put;
  }
}

static void answer(uint32_t sequence, int status, const void *bytes, size_t count, int sends) {
  struct header header = {.command = htobe32(SUBMITTED), .sequence = sequence};
  header.submitted.status = htobe32((uint32_t)status);
  header.submitted.length = htobe32((uint32_t)count);
  write_fully(&header, sizeof header);
  if (sends) write_fully(bytes, count);
}

// ── Stream ───────────────────────────────────────────────────────────────────────────────────────

static struct {
  uint32_t sequence; // as the kernel sent it
  size_t length;
} pending[MOST_PENDING];
static int pending_count;

static int streams;
static int shown_format;       // of `formats`
static unsigned long position; // in the format's frames
static unsigned long number;   // of the frame since the stream began
static size_t sent;            // bytes of the frame
static uint8_t frame_bit;
static int64_t due;            // of the frame; monotonic ns
static volatile sig_atomic_t is_stalled, plays_again;

static void stall(int signal_number) {
  (void)signal_number;
  is_stalled = !is_stalled;
}
static void play_again(int signal_number) {
  (void)signal_number;
  plays_again = 1;
}

static int64_t now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (int64_t)time.tv_sec * 1000000000 + time.tv_nsec;
}

static int is_every(unsigned every) { return every && number % every == every - 1; }

static void next_frame(void) {
  sent = 0;
  frame_bit ^= 1;
  position++;
  number++;
  due += 1000000000 / fps;
  if (due < now() - 1000000000) due = now(); // the driver was slow: no burst of late frames
}

// Sends what is due into the buffers that the driver offers.
static void pump(void) {
  static uint8_t payload[PAYLOAD_BYTES];
  while (streams && pending_count > 0) {
    if (sent == 0) {
      if (is_stalled || now() < due) return;
      if (plays_again) {
        plays_again = 0;
        position = 0;
      }
    }
    const struct format *format = &formats[shown_format];
    struct picture picture = format->frames[position % (unsigned long)format->count];
    size_t end = is_every(every_short) ? picture.count / 2 : picture.count;
    size_t room = pending[0].length < PAYLOAD_BYTES ? pending[0].length : PAYLOAD_BYTES;
    size_t count = end - sent < room - PAYLOAD_HEADER ? end - sent : room - PAYLOAD_HEADER;
    int is_last = sent + count == end;
    payload[0] = PAYLOAD_HEADER;
    payload[1] = (uint8_t)(0x80 | frame_bit | (is_last ? 2 : 0) |
                           (is_last && is_every(every_damaged) ? 0x40 : 0));
    memcpy(payload + PAYLOAD_HEADER, picture.bytes + sent, count);
    answer(pending[0].sequence, 0, payload, count + PAYLOAD_HEADER, 1);
    pending_count--;
    memmove(&pending[0], &pending[1], (size_t)pending_count * sizeof pending[0]);
    sent += count;
    if (is_last) next_frame();
  }
}

// ── Requests ─────────────────────────────────────────────────────────────────────────────────────

// Negotiation of the stream (video probe and commit), version 1.0.
static uint8_t probe[26];

static void set_probe(const uint8_t *bytes, size_t count) {
  memset(probe, 0, sizeof probe);
  memcpy(probe, bytes, count < 4 ? count : 4); // hint, format, frame
  if (probe[2] < 1 || probe[2] > format_count) probe[2] = 1;
  probe[3] = 1;
  uint32_t fields[] = {htole32(interval()), htole32((uint32_t)raw_bytes()), htole32(PAYLOAD_BYTES)};
  memcpy(probe + 4, &fields[0], 4);
  memcpy(probe + 18, &fields[1], 8);
}

static void begin_stream(void) {
  shown_format = probe[2] - 1;
  streams = 1;
  sent = 0;
  position = number = 0;
  due = now();
}

static int32_t little_endian(const uint8_t *bytes, size_t count) {
  uint32_t value = 0;
  for (size_t i = 0; i < count; i++) value |= (uint32_t)bytes[i] << (8 * i);
  int shift = (int)(32 - 8 * count);
  return count == 2 ? (int32_t)(value << shift) >> shift : (int32_t)value;
}

enum { SET_CUR = 0x01, GET_CUR = 0x81, GET_MIN, GET_MAX, GET_RES, GET_LEN, GET_INFO, GET_DEF };

// The value that a request asks of a control; -1 bytes: none such.
static int control_answer(uint8_t request, const struct control *control, uint8_t *into) {
  int32_t value = 0;
  size_t count = control->bytes;
  switch (request) {
    case GET_CUR: value = control->now; break;
    case GET_MIN: value = control->least; break;
    case GET_MAX: value = control->most; break;
    case GET_RES: value = control->step; break;
    case GET_DEF: value = control->initial; break;
    case GET_INFO: value = 3, count = 1; break; // can be read and set
    case GET_LEN: value = control->bytes, count = 2; break;
    default: return -1;
  }
  for (size_t i = 0; i < count; i++) into[i] = (uint8_t)((uint32_t)value >> (8 * i));
  return (int)count;
}

// Bytes of the answer in `into`, or -1 for a stall.
static int control_request(const uint8_t *setup, const uint8_t *out, size_t out_count,
                           uint8_t *into) {
  uint8_t type = setup[0], request = setup[1];
  unsigned value = setup[2] | setup[3] << 8, index = setup[4] | setup[5] << 8;
  if (type == 0x80 && request == 6) { // get descriptor
    if (value >> 8 == 1) return memcpy(into, device, sizeof device), (int)sizeof device;
    if (value >> 8 == 2)
      return memcpy(into, configuration, configuration_bytes), (int)configuration_bytes;
    size_t count = value >> 8 == 3 ? string_descriptor(value & 255, into) : 0;
    return count ? (int)count : -1;
  }
  if ((type & 0xe0) == 0x80 && request == 0) return memset(into, 0, 2), 2; // get status
  if (type == 0x02 && request == 1) { // clear halt: how uvcvideo ends a bulk stream
    streams = 0;
    return 0;
  }
  if (type == 0x00 || type == 0x01) return 0; // set configuration, interface
  int is_class = type == 0x21 || type == 0xa1;
  if (is_class && (index & 255) == INTERFACE_STREAM) {
    if (request == SET_CUR) {
      set_probe(out, out_count);
      if (value >> 8 == 2) begin_stream();
      return 0;
    }
    if (request == GET_LEN) return memcpy(into, "\x1a\0", 2), 2;
    if (request == GET_INFO) return into[0] = 3, 1;
    return memcpy(into, probe, sizeof probe), (int)sizeof probe;
  }
  struct control *control =
      is_class ? find_control((uint8_t)(index >> 8), (uint8_t)(value >> 8)) : NULL;
  if (!control) return -1;
  if (request != SET_CUR) return control_answer(request, control, into);
  if (out_count < control->bytes) return -1;
  control->now = little_endian(out, control->bytes);
  return 0;
}

static void submit(const struct header *header) {
  static uint8_t out[4096], in[4096];
  size_t length = be32toh(header->submit.length);
  int is_out = be32toh(header->direction) == 0;
  if (is_out && length > sizeof out) exit(1);
  if (is_out && length && !read_fully(out, length)) exit(0);
  if (be32toh(header->endpoint) == 0) {
    int count = control_request(header->submit.setup, out, is_out ? length : 0, in);
    if (count < 0)
      answer(header->sequence, -EPIPE, NULL, 0, 0);
    else if (is_out)
      answer(header->sequence, 0, NULL, length, 0);
    else
      answer(header->sequence, 0, in, (size_t)count < length ? (size_t)count : length, 1);
  } else if (pending_count < MOST_PENDING) {
    pending[pending_count].sequence = header->sequence;
    pending[pending_count++].length = length;
  } else {
    answer(header->sequence, -EPIPE, NULL, 0, 0);
  }
}

static void unlink_request(const struct header *header) {
  int found = 0;
  for (int i = 0; i < pending_count && !found; i++) {
    if (pending[i].sequence != header->unlink.sequence) continue;
    found = 1;
    pending_count--;
    memmove(&pending[i], &pending[i + 1], (size_t)(pending_count - i) * sizeof pending[0]);
  }
  struct header reply = {.command = htobe32(UNLINKED), .sequence = header->sequence};
  reply.submitted.status = htobe32(found ? (uint32_t)-ECONNRESET : 0);
  write_fully(&reply, sizeof reply);
}

static void plug_in(void) {
  int ends[2];
  if (socketpair(AF_UNIX, SOCK_STREAM, 0, ends) < 0) fail("socketpair");
  bus = ends[0];
  // Port, socket, a device number of our own, high speed.
  char line[64];
  int count = snprintf(line, sizeof line, "0 %d 1 3", ends[1]);
  int file = open("/sys/devices/platform/vhci_hcd.0/attach", O_WRONLY);
  if (file < 0 || write(file, line, (size_t)count) != count) fail("attach");
  close(file);
  close(ends[1]);
}

int main(int count, char **words) {
  int word = 3;
  for (; word + 1 < count && strncmp(words[word], "--", 2) == 0; word += 2) {
    unsigned *every = strcmp(words[word], "--damaged") == 0 ? &every_damaged
                      : strcmp(words[word], "--short") == 0 ? &every_short
                                                            : NULL;
    if (!every || sscanf(words[word + 1], "%u", every) != 1) count = 0;
  }
  if (word >= count || sscanf(words[1], "%ux%u", &width, &height) != 2 ||
      sscanf(words[2], "%u", &fps) != 1 || fps == 0) {
    fprintf(stderr, "usage: webcam SIZE FPS [--damaged|--short N]... FILE...\n");
    return 64;
  }
  for (; word < count; word++) add_file(words[word]);
  make_configuration();
  set_probe(probe, 0);
  struct sigaction action = {.sa_handler = stall};
  sigaction(SIGUSR1, &action, NULL);
  action.sa_handler = play_again;
  sigaction(SIGUSR2, &action, NULL);
  // Signals come during the wait below only, and end it.
  sigset_t waiting, working;
  sigemptyset(&working);
  sigaddset(&working, SIGUSR1);
  sigaddset(&working, SIGUSR2);
  sigprocmask(SIG_BLOCK, &working, &waiting);
  plug_in();

  for (;;) {
    pump();
    int waits_for_time = streams && !is_stalled && pending_count > 0 && sent == 0;
    int64_t left = due - now();
    struct timespec limit = {.tv_sec = left / 1000000000, .tv_nsec = left % 1000000000};
    if (left < 0) limit = (struct timespec){0};
    struct pollfd request = {.fd = bus, .events = POLLIN};
    if (ppoll(&request, 1, waits_for_time ? &limit : NULL, &waiting) <= 0) continue;
    struct header header;
    if (!read_fully(&header, sizeof header)) return 0;
    if (be32toh(header.command) == SUBMIT)
      submit(&header);
    else
      unlink_request(&header);
  }
}
