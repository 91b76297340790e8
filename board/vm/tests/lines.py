"""Inputs, and what ends the relay's pulse: on gpio-sim's pins, which are pulled as a finger would."""

import os
import signal

from guest import CLIPS, LINES, WORK, Chip, Sampler, Vivid, expect, main, run, running, wait_until
from guest import write_settings

BUTTON, DOOR, TAMPER = 10, 11, 12
INPUTS = f"""
[exit_button]
line = {BUTTON}
[door_contact]
line = "GPIO{DOOR}"
[tamper]
line = {TAMPER}
"""

camera = None
chip = None


def start():
    """The chip with all contacts closed, and a camera that sees noise."""
    global camera, chip
    if camera is None:
        chip, camera = Chip(), Vivid()
    chip.pull(BUTTON, "up")
    return chip, camera


def close_contacts():
    # A request with a pull-up moves the simulated pin: it is pulled again, as a closed contact would.
    for offset in (DOOR, TAMPER):
        chip.pull(offset, "down")


def relay(sampler):
    return [value for _, name, value in sampler.changes if name == "relay"]


def wait_level(firmware, event, name, value, after=0, within=30):
    """The first event of that kind that gives that level to the line of that name."""
    def look():
        return next((e for e in firmware.events[after:]
                     if e.name == event and (e["name"], e["value"]) == (name, value)), None)

    return wait_until(look, within, f"ev={event} name={name} value={value}")


def child_of(process):
    return int(run("pgrep", "-P", str(process.pid)).split()[0])


def the_button_opens_without_a_face():
    start()
    with running(write_settings(camera.device, more=INPUTS)) as firmware:
        wait_level(firmware, "input", "exit_button", "off")
        close_contacts()
        sampler = Sampler(chip)
        # It bounces a dozen times, going down and coming up.
        for direction in ("down", "up") * 6 + ("down",):
            chip.pull(BUTTON, direction)
        wait_until(lambda: relay(sampler) == [1, 0], 10, "a pulse")
        for direction in ("up", "down") * 6 + ("up",):
            chip.pull(BUTTON, direction)
        pressed = wait_level(firmware, "input", "exit_button", "on")
        wait_level(
            firmware, "input", "exit_button", "off", after=firmware.events.index(pressed))
        code, _ = firmware.stop()
        sampler.stop()
        expect(code == 0, f"exit code {code}")
        expect(relay(sampler) == [1, 0], f"the relay was {relay(sampler)}")
        said = [e["value"] for e in firmware.all("input") if e["name"] == "exit_button"]
        expect(said == ["off", "on", "off"], f"the button was {said}")


def contacts_are_told():
    start()
    with running(write_settings(camera.device, more=INPUTS)) as firmware:
        wait_level(firmware, "input", "tamper", "on")
        close_contacts()
        wait_level(firmware, "input", "tamper", "off")
        wait_level(firmware, "input", "door_contact", "off")
        seen = len(firmware.events)
        chip.pull(DOOR, "up")
        wait_level(firmware, "input", "door_contact", "on", after=seen)
        chip.pull(TAMPER, "up")
        wait_level(firmware, "input", "tamper", "on", after=seen)


def no_verdict_opens_an_open_case():
    start()
    settings = write_settings(camera.device, camera="width = 720\nheight = 576", more=INPUTS)
    with running(settings) as firmware:
        wait_level(firmware, "input", "tamper", "on")
        sampler = Sampler(chip)
        player = camera.play(CLIPS / "pal.yuyv")
        verdict = firmware.wait("verdict", within=60)
        expect(verdict["verdict"] == "live", f"the verdict is {verdict.line}")
        firmware.wait("open.refused", reason="tamper")
        player.kill()
        player.wait()
        firmware.stop()
        sampler.stop()
        expect(relay(sampler) == [], f"the relay was {relay(sampler)}")


def outputs_are_drawn_to_their_level_for_the_exit():
    start()
    more = INPUTS + "[led.prompt_nod]\nline = 30\nactive_low = true\n"
    for offset, direction in ((LINES["relay"], "up"), (30, "down")):
        chip.pull(offset, direction)
    with running(write_settings(camera.device, more=more)) as firmware:
        wait_level(firmware, "input", "exit_button", "off")
        expect(chip.value(LINES["relay"]) == 0 and chip.value(30) == 1, "off is not off")
        firmware.process.kill()
        firmware.process.wait()
    # Nobody drives them any more, not even on their way out.
    expect(chip.value(LINES["relay"]) == 0, "the relay's pin is not drawn to ground")
    expect(chip.value(30) == 1, "the pin of a light that is on when low is not drawn up")


def a_sudden_end_sets_the_outputs_first():
    start()
    for number, count in ((signal.SIGSEGV, 1), (signal.SIGABRT, 1), (signal.SIGINT, 2)):
        trace = WORK / "trace"
        strace = ("strace", "-f", "-o", str(trace), "-e", "trace=ioctl", "-e", "signal=all")
        settings = write_settings(camera.device, more=INPUTS)
        with running(settings, wrapper=strace) as firmware:
            wait_level(firmware, "input", "exit_button", "off")
            chip.pull(BUTTON, "down")
            wait_level(firmware, "line", "relay", "on")
            process = child_of(firmware.process)
            for _ in range(count):
                os.kill(process, number)
            firmware.process.wait(20)
        chip.pull(BUTTON, "up")
        lines = trace.read_text().splitlines()
        last = max(i for i, text in enumerate(lines) if f"--- {number.name}" in text)
        first = min(i for i, text in enumerate(lines) if f"--- {number.name}" in text)
        sets = [text for text in lines[first:] if "GPIO_V2_LINE_SET_VALUES" in text or
                "0xc010b40f" in text.lower()]
        expect(len(sets) >= 7, f"{number.name}: {len(sets)} outputs were set; {lines[last:]}")


main(
    the_button_opens_without_a_face, contacts_are_told, no_verdict_opens_an_open_case,
    outputs_are_drawn_to_their_level_for_the_exit, a_sudden_end_sets_the_outputs_first,
)
