"""boot_test.py IMAGE [TEST]...: boots the image on emulated boards and looks at it from outside: at
the serial line, and at the pins by the emulator's monitor. Nothing in the guest is changed for it but
what an installer could change on the card."""

import pathlib
import random
import shutil
import subprocess
import sys
import tempfile
import time

from emulator import Board, Card

TOP = pathlib.Path(__file__).resolve().parents[2]
RELAY, READY, PASS, FAULT = 17, 22, 25, 5
RASPI = ["-accel", "tcg,thread=single"]

image = pathlib.Path(sys.argv[1])
build = TOP / "build/image"


def check(holds, text):
    if not holds:
        raise AssertionError(text)


def clip():
    """The demo clip as livelatchd reads it itself, small and with few frames: an emulated processor
    takes half a second for one."""
    made = build / "demo-320x240.y4m"
    if not made.exists():
        subprocess.run(
            ["ffmpeg", "-nostdin", "-v", "error", "-y", "-i", TOP / "board/demo/demo.mp4",
             "-vf", "scale=320:240,fps=12", "-pix_fmt", "yuv420p", made], check=True)
    return made.read_bytes()


def demo_settings(card, more=b""):
    """The demo's challenges, in the settings that are on the card."""
    text = card.read("livelatch.toml")
    for old, new in [
            (b'challenges = ["smile", "turn_left", "turn_right", "mouth_open", "head_up", "head_down"]',
             b'challenges = ["smile", "turn_left", "mouth_open"]'),
            (b'order = "random"', b'order = "fixed"'),
            (b'\ninput = "320x240"', b'\ninput = "160x120"')]:
        check(text.count(old) == 1, f"{old} is not once in the settings")
        text = text.replace(old, new)
    return text + more


def raspi3b(card, words=""):
    return Board(card, words, more=RASPI)


def test_boot(folder):
    card = Card(image, folder)
    before = card.fat_bytes()
    with raspi3b(card) as board:
        board.wait_for("ev=init.ready board=pi3")
        # No camera is there: that is said, and tried again.
        board.wait_for("/dev/video0", count=2)
        check(not board.is_high(RELAY), "the relay has power")
        check("card=/dev/mmcblk0p1" in board.log(), "the card is not said")
    check(card.fat_bytes() == before, "the card was written to")


def test_demo(folder):
    card = Card(image, folder)
    card.write("livelatch.toml", demo_settings(card))
    card.write("demo.y4m", clip())
    before = card.fat_bytes()
    seen = {"relay": False, "pass": False}
    with raspi3b(card, "livelatch.clip=demo.y4m") as board:
        boot = board.wait_for("ev=boot ")
        check(not board.is_high(RELAY), "the relay has power at the start")
        board.wait_for("ev=started")

        def look():
            high = board.is_high(RELAY)
            # The pin cannot be ahead of the log by more than the line that is on its way.
            if high and not seen["relay"]:
                board.wait_for("ev=verdict verdict=live", seconds=10)
            seen["relay"] |= high
            seen["pass"] |= high and board.is_high(PASS)

        board.wait_for("ev=stopped", seconds=600, poll=look)
        check(seen["relay"], f"the relay's pin was never high:\n{board.log()[-3000:]}")
        check(seen["pass"], "the light for a pass was never on")
        check(not board.is_high(RELAY), "the relay still has power")
        print(f"    ev=boot after {boot:.1f} s of this machine's time")
    check(card.fat_bytes() == before, "the card was written to")


def test_settings(folder):
    """Another line and a BOM; the name that old programs make of it; then two mistakes."""
    card = Card(image, folder)
    text = b"\xef\xbb\xbf" + demo_settings(card).replace(b"[led.fault]\r\nline = 5", b"[led.fault]\r\nline = 6")
    card.write("demo.y4m", clip())
    card.delete("livelatch.toml")
    card.write("LIVELATCH.TOM", text.replace(b'level = "info"', b'level = "debug"'))
    with raspi3b(card, "livelatch.clip=demo.y4m") as board:
        board.wait_for("settings=livelatch.tom")
        board.wait_for("ev=started")
    card.write("LIVELATCH.TOM", text.replace(b"fps = 30", b"fps = 3000").replace(b"hold_ms = 3000", b"hold_ms = 1"))
    with raspi3b(card, "livelatch.clip=demo.y4m") as board:
        board.wait_for("errors=2")
        log = board.log()
        check("camera.fps = 3000 is out of range" in log, "the first mistake is not said")
        check("relay.hold_ms = 1 is out of range" in log, "the second mistake is not said")
        levels = set()
        board.wait_for("errors=2", count=2, poll=lambda: levels.add(board.is_high(FAULT)))
        check(levels == {True, False}, "the light for faults does not blink")
        check(not board.is_high(RELAY), "the relay has power")
        check("ev=boot " not in board.log(), "livelatchd started in spite of it")


def test_crashes(folder):
    """Memory that is not enough: livelatchd cannot start, and after five times it is given up."""
    card = Card(image, folder)
    text = card.read("livelatch.toml").replace(b"memory_mib = 16", b"memory_mib = 4")
    card.write("livelatch.toml", text.replace(b"\nslots = 4", b"\nslots = 16"))
    card.write("demo.y4m", clip())
    with raspi3b(card, "livelatch.clip=demo.y4m") as board:
        board.wait_for("ev=init.broken", seconds=240)
        check(board.log().count("ev=init.restart") == 4, "not given up after five ends")
        levels = set()
        limit = time.monotonic() + 60
        while levels != {True, False} and time.monotonic() < limit:
            levels.add(board.is_high(FAULT))
        check(levels == {True, False}, "the light for faults does not blink")
        check(not board.is_high(RELAY), "the relay has power")


def test_power_cuts(folder, times=5):
    card = Card(image, folder)
    before = card.fat_bytes()
    seed = random.SystemRandom().randrange(1 << 32)
    print(f"    seed {seed}")
    draw = random.Random(seed)
    for _ in range(times):
        with raspi3b(card) as board:
            time.sleep(draw.uniform(0.5, 15))
    check(card.fat_bytes() == before, "the card was written to")
    with raspi3b(card) as board:
        board.wait_for("ev=init.ready board=pi3")


def test_soak(folder):
    test_power_cuts(folder, times=50)


tests = {name[5:]: test for name, test in globals().items() if name.startswith("test_")}
chosen = sys.argv[2:] or [name for name in tests if name != "soak"]
failed = []
for name in chosen:
    folder = tempfile.mkdtemp(prefix="test.", dir=build)
    start = time.monotonic()
    try:
        tests[name](folder)
        print(f"passed  {name} ({time.monotonic() - start:.0f} s)", flush=True)
    except AssertionError as error:
        failed.append(name)
        print(f"FAILED  {name}: {error}", flush=True)
    finally:
        shutil.rmtree(folder)
sys.exit(f"failed: {', '.join(failed)}" if failed else 0)
