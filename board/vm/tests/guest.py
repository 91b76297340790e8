"""What the tests in the virtual machine share: kernel drivers, the firmware, the lines it drives.

Runs inside the guest, as root, on its own copy of the host's files. Every wait has a deadline in the
guest's time, which counts the guest's instructions: it does not run out because the host is slow.
"""

import contextlib
import os
import pathlib
import re
import signal
import subprocess
import sys
import threading
import time
import traceback

TOP = pathlib.Path(__file__).resolve().parents[3]
CLIPS = TOP / "build/vm/clips"
PROGRAMS = TOP / "build/vm/programs"
FIRMWARE = TOP / ".build-x86_64/release/livelatchd"
WORK = pathlib.Path("/run/test")

# The chip's lines that the tests' settings use.
LINES = {"relay": 17, "ready": 22, "face": 23, "prompt": 24, "pass": 25, "fail": 27, "fault": 5}


class Failed(Exception):
    """What a test expected and did not see."""


def expect(condition, text):
    if not condition:
        raise Failed(text)


def wait_until(condition, within, text):
    """The first true answer of `condition`; fails with `text` after `within` seconds."""
    end = time.monotonic() + within
    while True:
        answer = condition()
        if answer:
            return answer
        if time.monotonic() > end:
            raise Failed(f"not within {within} s: {text}")
        time.sleep(0.02)


def run(*words, check=True):
    """A command's output; fails with it when the command does."""
    result = subprocess.run(
        words, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    )
    if check and result.returncode != 0:
        raise Failed(f"{' '.join(map(str, words))} ended with {result.returncode}: {result.stdout}")
    return result.stdout


def modprobe(module, **parameters):
    run("modprobe", module, *(f"{key}={value}" for key, value in parameters.items()))


# ── Lines ────────────────────────────────────────────────────────────────────────────────────────


class Chip:
    """A GPIO chip of gpio-sim, whose pins can be seen and pulled from outside."""

    CONFIG = pathlib.Path("/sys/kernel/config/gpio-sim")

    def __init__(self, label="pinctrl-sim", lines=54, name="chip"):
        if not self.CONFIG.exists():
            modprobe("gpio-sim")
            if not self.CONFIG.exists():
                run("mount", "-t", "configfs", "config", "/sys/kernel/config")
        self.config = self.CONFIG / name
        bank = self.config / "bank"
        bank.mkdir(parents=True)
        (bank / "label").write_text(label)
        (bank / "num_lines").write_text(str(lines))
        for offset in range(lines):
            line = bank / f"line{offset}"
            line.mkdir()
            (line / "name").write_text(f"GPIO{offset}")
        (self.config / "live").write_text("1")
        device = (self.config / "dev_name").read_text().strip()
        self.name = (bank / "chip_name").read_text().strip()
        self.pins = pathlib.Path("/sys/devices/platform") / device / self.name
        self.bank = bank

    def value(self, offset):
        return int((self.pins / f"sim_gpio{offset}/value").read_text())

    def pull(self, offset, direction):
        """Pulls the pin "up" or "down" while nobody drives it."""
        (self.pins / f"sim_gpio{offset}/pull").write_text(f"pull-{direction}")

    def remove(self):
        (self.config / "live").write_text("0")
        for line in self.bank.glob("line*"):
            line.rmdir()
        self.bank.rmdir()
        self.config.rmdir()


class Sampler:
    """Looks at pins fifty times a second and keeps their changes as (time, name, value)."""

    def __init__(self, chip, lines=None):
        lines = LINES if lines is None else lines
        self.files = {
            name: os.open(chip.pins / f"sim_gpio{offset}/value", os.O_RDONLY)
            for name, offset in lines.items()
        }
        self.now = {name: self._read(name) for name in self.files}
        self.changes = []
        self.running = True
        self.thread = threading.Thread(target=self._watch, daemon=True)
        self.thread.start()

    def _read(self, name):
        return int(os.pread(self.files[name], 4, 0))

    def _watch(self):
        while self.running:
            for name in self.files:
                value = self._read(name)
                if value != self.now[name]:
                    self.now[name] = value
                    self.changes.append((time.monotonic(), name, value))
            time.sleep(0.02)

    def stop(self):
        self.running = False
        self.thread.join()
        for file in self.files.values():
            os.close(file)


# ── Cameras ──────────────────────────────────────────────────────────────────────────────────────


def video_nodes():
    """Device file by the name that its driver gives it."""
    nodes = {}
    for entry in sorted(pathlib.Path("/sys/class/video4linux").glob("video*")):
        nodes.setdefault((entry / "name").read_text().strip(), f"/dev/{entry.name}")
    return nodes


class Vivid:
    """The kernel's test camera, wired so that what is written to its output is what it sees: a PAL
    picture, 720x576 at 25 frames a second.
    """

    def __init__(self):
        self.start()

    def start(self):
        modprobe(
            "vivid", n_devs=1, node_types="0x101", num_inputs=1, input_types="0x2", num_outputs=1,
            output_types="0x0",
        )
        nodes = wait_until(
            lambda: (lambda n: n if len(n) >= 2 else None)(video_nodes()), 10, "vivid's nodes"
        )
        self.device = nodes["vivid-000-vid-cap"]
        self.output = nodes["vivid-000-vid-out"]
        for node in (self.device, self.output):
            run("v4l2-ctl", "-d", node, "--set-standard=pal")
        self.control(s_video_000_0_is_connected_to=2, osd_text_mode=2)

    def control(self, **values):
        for key, value in values.items():
            run("v4l2-ctl", "-d", self.device, "-c", f"{key}={value}")

    def play(self, clip):
        """Plays raw frames once; the picture stays noise before and after."""
        return subprocess.Popen(
            ["v4l2-ctl", "-d", self.output, "--stream-out-mmap=4", f"--stream-from={clip}"],
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
        )

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.remove()

    def remove(self):
        run("rmmod", "vivid")

    def try_remove(self):
        """False while somebody has a node open."""
        return run("rmmod", "vivid", check=False) == ""


class Webcam:
    """A USB webcam in software, behind the kernel's uvcvideo driver; unplugged by `unplug()`."""

    NAME = "Software webcam"

    def __init__(self, *files, size="640x480", fps=12, options=(), plugged=True):
        modprobe("vhci-hcd")
        modprobe("uvcvideo")
        self.words = [PROGRAMS / "webcam", size, str(fps), *options, *(CLIPS / f for f in files)]
        self.process = None
        if plugged:
            self.plug_in()

    def plug_in(self):
        self.process = subprocess.Popen(self.words, stdin=subprocess.DEVNULL)

        def find():
            if self.process.poll() is not None:
                raise Failed(f"the software webcam ended with {self.process.returncode}")
            device = video_nodes().get(self.NAME)
            return device if device and os.path.exists(device) else None

        self.device = wait_until(find, 20, f"a node of the webcam; there are {video_nodes()}")
        return self.device

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.process is not None and self.process.poll() is None:
            self.unplug()

    def unplug(self):
        self.process.kill()
        self.process.wait()
        wait_until(lambda: self.NAME not in video_nodes(), 20, "the node is still there")

    def stall(self):
        """Sends no frames any more, or does again."""
        self.process.send_signal(signal.SIGUSR1)

    def play_again(self):
        self.process.send_signal(signal.SIGUSR2)


# ── Firmware ─────────────────────────────────────────────────────────────────────────────────────

def write_settings(device, chip="pinctrl-sim", lines=None, camera="", more="", heartbeat=2):
    """A settings file for the clip's actions; returns its path.

    `camera` has more keys of [camera], `more` more sections.
    """
    lines = LINES if lines is None else lines
    text = (TOP / "board/vm/tests/actions.toml").read_text()
    text += f'[camera]\ndevice = "{device}"\n{camera}\n[board]\nchip = "{chip}"\n'
    for name, offset in lines.items():
        text += f"[{'relay' if name == 'relay' else 'led.' + name}]\nline = {offset}\n"
    text += f"[pipeline]\nheartbeat_s = {heartbeat}\n{more}"
    path = WORK / "livelatch.toml"
    path.write_text(text)
    return path


class Event(dict):
    """A line of the log: its keys and values; `name`, `time` (guest's seconds)."""

    PAIR = re.compile(r'(\S+?)=("(?:[^"\\]|\\.)*"|\S*)')

    def __init__(self, line):
        super().__init__(
            (key, value[1:-1] if value.startswith('"') else value)
            for key, value in self.PAIR.findall(line)
        )
        self.line = line
        self.name = self.get("ev", "")
        self.time = time.monotonic()


class Firmware:
    """livelatchd as a child process, its log read as it comes."""

    def __init__(self, settings, *words, wrapper=(), environment=None):
        self.events = []
        self.process = subprocess.Popen(
            [*wrapper, FIRMWARE, "run", "--config", settings, "--models", TOP / "Models", *words], stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
            env={**os.environ, **(environment or {})},
        )
        self.reader = threading.Thread(target=self._read, daemon=True)
        self.reader.start()

    def _read(self):
        for line in self.process.stdout:
            self.events.append(Event(line.rstrip("\n")))

    def find(self, name, after=0, **values):
        """The first event of that name and values from position `after` on."""
        for event in self.events[after:]:
            if event.name == name and all(event.get(k) == str(v) for k, v in values.items()):
                return event
        return None

    def wait(self, name, within=30, after=0, **values):
        def look():
            found = self.find(name, after, **values)
            if found is None and self.process.poll() is not None and not self.reader.is_alive():
                raise Failed(f"the firmware ended with {self.process.returncode} before {name}")
            return found

        wanted = " ".join([name, *(f"{k}={v}" for k, v in values.items())])
        return wait_until(look, within, f"ev={wanted}")

    def all(self, name):
        return [event for event in self.events if event.name == name]

    def stop(self, within=5):
        """Asks it to end; its exit code and how long that took."""
        start = time.monotonic()
        self.process.send_signal(signal.SIGTERM)
        try:
            code = self.process.wait(within)
        except subprocess.TimeoutExpired:
            raise Failed(f"did not end within {within} s of SIGTERM") from None
        took = time.monotonic() - start
        self.reader.join()
        return code, took

    def kill(self):
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait()
        self.reader.join()


@contextlib.contextmanager
def running(settings, *words, **options):
    """The firmware while the block runs; what it logged is shown when the block fails."""
    firmware = Firmware(settings, *words, **options)
    try:
        yield firmware
    except BaseException:
        firmware.kill()
        for event in firmware.events[-60:]:
            print("    |", event.line)
        raise
    finally:
        firmware.kill()


# ── Tests ────────────────────────────────────────────────────────────────────────────────────────


def main(*tests):
    """Runs the tests in order, or those whose names are given; says how each went."""
    WORK.mkdir(parents=True, exist_ok=True)
    chosen = [test for test in tests if not sys.argv[1:] or test.__name__ in sys.argv[1:]]
    failures = 0
    for test in chosen:
        start = time.monotonic()
        try:
            remark = test()
        except Exception as error:
            failures += 1
            text = str(error) if isinstance(error, Failed) else traceback.format_exc()
            print(f"FAILED {test.__name__}: {text}", flush=True)
        else:
            took = time.monotonic() - start
            print(f"ok {test.__name__} ({took:.1f} s{', ' + remark if remark else ''})", flush=True)
    sys.exit(1 if failures else 0)
