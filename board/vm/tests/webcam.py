"""A USB webcam: the kernel's uvcvideo driver with a camera in software behind it."""

from guest import CLIPS, Event, Webcam, expect, main, running, write_settings

SESSION = ("session.started", "prompt", "passed", "verdict")


def session_of(events):
    """What happened in the first session, without its times."""
    steps = []
    for event in events:
        if event.name in SESSION:
            kept = ("challenge", "challenges", "verdict", "reason")
            steps.append((event.name, *(event[key] for key in kept if key in event)))
            if event.name == "verdict":
                break
    return steps


def same_as_the_file(clip):
    expected = session_of(Event(line) for line in (CLIPS / "actions.log").read_text().splitlines())
    expect(expected and expected[-1] == ("verdict", "live"), f"on the file: {expected}")
    camera = Webcam(clip)
    settings = write_settings(camera.device, lines={})
    try:
        with running(settings) as firmware:
            firmware.wait("verdict", within=60)
            code, _ = firmware.stop()
            expect(code == 0, f"exit code {code}")
            seen = session_of(firmware.events)
            expect(seen == expected, f"from the camera: {seen}; from the file: {expected}")
            return firmware.all("stopped")[0].line
    finally:
        camera.unplug()


def yuyv_gives_the_verdict_of_the_file():
    return same_as_the_file("actions.yuyv")


def mjpeg_gives_the_verdict_of_the_file():
    return same_as_the_file("actions.mjpeg")


main(yuyv_gives_the_verdict_of_the_file, mjpeg_gives_the_verdict_of_the_file)
