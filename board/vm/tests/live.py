"""The whole firmware on real drivers: vivid as the camera, gpio-sim as the board's lines."""

from guest import LINES, CLIPS, Chip, Sampler, Vivid, expect, main, running, wait_until
from guest import write_settings

CLIP = CLIPS / "pal.yuyv"


def order_of(changes, *names):
    return [(name, value) for _, name, value in changes if name in names]


def logged_order(firmware, *names):
    lines = [(e["name"].removeprefix("led."), int(e["value"] == "on")) for e in firmware.all("line")]
    return [(name, value) for name, value in lines if name in names]


def verdict_live_drives_the_lines():
    chip = Chip()
    camera = Vivid()
    sampler = Sampler(chip)
    settings = write_settings(camera.device, camera="width = 720\nheight = 576\nfps = 25")
    with running(settings) as firmware:
        firmware.wait("started")
        wait_until(lambda: chip.value(LINES["ready"]), 10, "the ready light")
        player = camera.play(CLIP)
        verdict = firmware.wait("verdict", within=60)
        expect(verdict["verdict"] == "live", f"the verdict is {verdict.line}")
        wait_until(lambda: ("relay", 0) in order_of(sampler.changes, "relay"), 10, "relay off")
        player.wait()
        code, took = firmware.stop()
        sampler.stop()
        expect(code == 0, f"exit code {code}")
        expect(took < 1, f"SIGTERM took {took:.2f} s")
        slow = ("relay", "face", "pass", "fail")
        seen, said = order_of(sampler.changes, *slow), logged_order(firmware, *slow)
        expect(seen == said, f"the pins changed {seen}, the log says {said}")
        expect(
            order_of(sampler.changes, "relay") == [("relay", 1), ("relay", 0)], "one pulse, ended"
        )
        on = next(t for t, n, v in sampler.changes if (n, v) == ("relay", 1))
        off = next(t for t, n, v in sampler.changes if (n, v) == ("relay", 0))
        expect(2.8 < off - on < 3.5, f"the pulse took {off - on:.2f} s, not 3")
        for name, offset in LINES.items():
            expect(chip.value(offset) == 0, f"{name} is on after the end")
        stopped = firmware.all("stopped")[0]
        heartbeat = firmware.all("heartbeat")[-1]
    return f"{stopped.line}; {heartbeat.line}"


main(verdict_live_drives_the_lines)
