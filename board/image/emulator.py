"""A card and a board to put it into, for tests of the image."""

import pathlib
import shutil
import socket
import subprocess
import tempfile
import time

FAT_AT = 4 << 20
# Levels of lines 0 to 31 of the Pi 3's GPIO block (BCM2835 ARM Peripherals, GPLEV0).
LEVELS = 0x3F200034
GIVE_UP = 120


class Card:
    """A copy of an image that can be changed."""

    def __init__(self, image, folder):
        self.path = pathlib.Path(folder) / "card.img"
        subprocess.run(["cp", "--sparse=always", image, self.path], check=True)
        self.fat = f"{self.path}@@{FAT_AT}"

    def read(self, name):
        return subprocess.run(
            ["mtype", "-i", self.fat, f"::{name}"], capture_output=True, check=True).stdout

    def extract(self, name, into):
        subprocess.run(["mcopy", "-n", "-o", "-i", self.fat, f"::{name}", into], check=True)
        return into

    def write(self, name, content):
        with tempfile.NamedTemporaryFile() as file:
            file.write(content)
            file.flush()
            subprocess.run(["mcopy", "-o", "-i", self.fat, file.name, f"::{name}"], check=True)

    def delete(self, name):
        subprocess.run(["mdel", "-i", self.fat, f"::{name}"], check=True)

    def fat_bytes(self):
        """Everything but the part that livelatchd may write."""
        with open(self.path, "rb") as file:
            return file.read(124 << 20)


class Board:
    """QEMU with a card, started as the boot firmware would: kernel, initramfs and command line are
    those that the card's own config.txt and cmdline.txt name."""

    def __init__(self, card, words="", machine=("raspi3b",), tree="bcm2837-rpi-3-b.dtb",
                 more=(), serial=1, overlay=None):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="board."))
        config = dict(line.replace(" ", "=", 1).split("=", 1)
                      for line in card.read("config.txt").decode().split("\n")
                      if line.strip() and not line.startswith("#"))
        kernel = card.extract(config["kernel"].strip(), self.folder / "kernel")
        initramfs = card.extract(config["initramfs"].split()[0], self.folder / "initramfs")
        if overlay:
            with open(initramfs, "ab") as file:
                # Archives follow each other at a multiple of four.
                file.write(b"\0" * (-file.tell() % 4))
                file.write(overlay)
        line = card.read("cmdline.txt").decode().strip() + " livelatch.watchdog=off " + words
        self.console = self.folder / "console"
        self.monitor_path = self.folder / "monitor"
        command = [
            "qemu-system-aarch64", "-M", *machine, "-nodefaults", "-display", "none", "-no-reboot",
            *["-serial", "null"] * serial, "-serial", f"file:{self.console}",
            "-monitor", f"unix:{self.monitor_path},server=on,wait=off",
            "-kernel", str(kernel), "-initrd", str(initramfs), "-append", line, *more]
        if tree:
            command += ["-dtb", str(card.extract(tree, self.folder / "tree")),
                        "-drive", f"file={card.path},if=sd,format=raw"]
        else:
            command += ["-drive", f"file={card.path},if=none,id=card,format=raw",
                        "-device", "virtio-blk-pci,drive=card"]
        self.started = time.monotonic()
        self.process = subprocess.Popen(command, stdin=subprocess.DEVNULL)
        self.monitor_socket = None

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.cut_power()
        shutil.rmtree(self.folder)

    def cut_power(self):
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait()

    def elapsed(self):
        return time.monotonic() - self.started

    def log(self):
        text = self.console.read_bytes() if self.console.exists() else b""
        return text.decode(errors="replace").replace("\r", "")

    def wait_for(self, text, count=1, seconds=GIVE_UP, poll=None):
        """Until the serial line has said `text` so often; returns when that was, by the host's
        clock. `poll` is called in between."""
        limit = time.monotonic() + seconds
        while self.log().count(text) < count:
            if self.process.poll() is not None:
                raise AssertionError(f"the board ended before {text!r}:\n{self.log()[-3000:]}")
            if time.monotonic() > limit:
                raise AssertionError(f"no {text!r} within {seconds} s:\n{self.log()[-3000:]}")
            if poll:
                poll()
            time.sleep(0.05)
        return self.elapsed()

    def monitor(self, command):
        if self.monitor_socket is None:
            self.monitor_socket = socket.socket(socket.AF_UNIX)
            self.monitor_socket.settimeout(60)
            self.monitor_socket.connect(str(self.monitor_path))
            self._until_prompt()
        self.monitor_socket.sendall(command.encode() + b"\n")
        return self._until_prompt()

    def _until_prompt(self):
        answer = b""
        while not answer.endswith(b"(qemu) "):
            part = self.monitor_socket.recv(4096)
            if not part:
                raise AssertionError("the emulator's monitor is gone")
            answer += part
        return answer.decode(errors="replace")

    def is_high(self, line):
        """The pin's level, read from outside the guest."""
        answer = self.monitor(f"xp /1wx {LEVELS:#x}")
        return bool(int(answer.split(f"{LEVELS:016x}:")[1].split()[0], 16) >> line & 1)
