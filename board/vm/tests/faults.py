"""Cameras that are missing, pulled out, silent, taken or damaged, while the lines are driven: the
firmware stays up, says what is wrong, and goes on by itself.
"""

import pathlib
import subprocess
import time

from guest import LINES, Chip, Sampler, Vivid, Webcam, expect, main, running, wait_until
from guest import write_settings

CLIP = "actions.yuyv"


def chip():
    if not hasattr(chip, "made"):
        chip.made = Chip()
    return chip.made


class Safe:
    """Looks at the relay while the block runs: it must stay off."""

    def __enter__(self):
        self.sampler = Sampler(chip(), {"relay": LINES["relay"], "fault": LINES["fault"]})
        return self

    def __exit__(self, kind, *_):
        self.sampler.stop()
        if kind is None:
            on = [c for c in self.sampler.changes if c[1] == "relay"]
            expect(not on, f"the relay moved: {on}")

    def blinks(self):
        return [v for _, name, v in self.sampler.changes if name == "fault"]


def stopped(firmware):
    code, took = firmware.stop()
    expect(code == 0, f"exit code {code}")
    expect(took < 1, f"SIGTERM took {took:.2f} s")
    return firmware.all("stopped")[0]


def unplugged_and_plugged_in_again():
    """Known by a link, as udev makes them; the node may come back under another number."""
    with Webcam(CLIP) as camera:
        link = pathlib.Path("/dev/v4l/by-id/usb-software-webcam")
        link.parent.mkdir(parents=True, exist_ok=True)
        link.symlink_to(camera.device)
        with Safe() as outputs, running(write_settings(link)) as firmware:
            firmware.wait("camera.found", device=link)
            camera.unplug()
            link.unlink()
            gone = time.monotonic()
            missing = firmware.wait("camera.missing", within=5)
            wait_until(lambda: len(outputs.blinks()) > 3, 5, "the fault light's blinking")
            while time.monotonic() < gone + 5:
                time.sleep(0.1)
            before = len(firmware.events)
            link.symlink_to(camera.plug_in())
            firmware.wait("camera.found", within=10, after=before)
            wait_until(lambda: not chip().value(LINES["fault"]), 2, "the fault light is off")
            # No session: somebody in the picture by now is asked from the start.
            stopped(firmware)
        link.unlink()
    return f"said {missing.time - gone:.1f} s after: {missing['text']}"


def absent_at_the_start_and_found_by_its_name():
    with Webcam(CLIP, plugged=False) as camera:
        with Safe(), running(write_settings(Webcam.NAME)) as firmware:
            firmware.wait("camera.missing", reason="no-such-name")
            time.sleep(4)
            expect(len(firmware.all("camera.missing")) == 1, "the same fault is said once")
            camera.plug_in()
            firmware.wait("camera.found", within=15, card=Webcam.NAME, device=camera.device)
            stopped(firmware)


def silent_and_on_again():
    with Webcam(CLIP) as camera:
        with Safe(), running(write_settings(camera.device)) as firmware:
            firmware.wait("camera.found")
            camera.stall()
            firmware.wait("camera.missing", within=15, reason="silent")
            before = len(firmware.events)
            restarts = firmware.wait("heartbeat", within=5, after=before)["restarts"]
            expect(int(restarts) == 1, f"the stream was started again {restarts} times, not once")
            camera.stall()
            firmware.wait("camera.found", within=20, after=before)
            stopped(firmware)


def damaged_and_short_frames_are_counted():
    remarks = []
    for fault in ("damaged", "short"):
        # No lines: whole frames between the others may well open the door.
        with Webcam(CLIP, options=[f"--{fault}", "4"]) as camera:
            with running(write_settings(camera.device, lines={})) as firmware:
                firmware.wait("camera.found")
                time.sleep(4)
                last = stopped(firmware)
        whole, broken = int(last["frames"]) + int(last["dropped"]), int(last["broken"])
        # One in four, give or take the first and last.
        expect(broken > 3 and abs(broken * 3 - whole) <= 8, f"{fault} frames: {last.line}")
        expect(int(last["lost"]) <= 1, f"{fault} frames: {last.line}")
        remarks.append(f"{fault} {broken} of {whole + broken}")
    return ", ".join(remarks)


def frames_that_the_driver_drops_are_counted():
    with Vivid() as camera:
        camera.control(percentage_of_dropped_buffers=25)
        more = "width = 720\nheight = 576\nfps = 25"
        with running(write_settings(camera.device, lines={}, camera=more)) as firmware:
            firmware.wait("camera.found")
            time.sleep(4)
            last = stopped(firmware)
    taken, lost = int(last["frames"]) + int(last["dropped"]), int(last["lost"])
    expect(0.1 < lost / (taken + lost) < 0.45, last.line)
    expect(last["broken"] == "0", last.line)
    return f"{lost} of {taken + lost}, asked for a quarter"


def taken_by_another_program():
    with Webcam(CLIP) as camera:
        other = subprocess.Popen(
            ["v4l2-ctl", "-d", camera.device, "--stream-mmap", "--stream-count=0"],
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
        )
        time.sleep(1)
        with Safe(), running(write_settings(camera.device)) as firmware:
            missing = firmware.wait("camera.missing", error="EBUSY")
            expect("another program" in missing["text"], missing.line)
            other.kill()
            other.wait()
            firmware.wait("camera.found", within=15)
            stopped(firmware)


def a_node_for_metadata_is_named():
    with Webcam(CLIP) as camera:
        nodes = [
            f"/dev/{entry.name}"
            for entry in sorted(pathlib.Path("/sys/class/video4linux").glob("video*"))
            if (entry / "name").read_text().strip() == Webcam.NAME
        ]
        expect(len(nodes) == 2 and nodes[0] == camera.device, f"the webcam's nodes are {nodes}")
        with running(write_settings(nodes[1], lines={})) as firmware:
            missing = firmware.wait("camera.missing", reason="not-a-camera")
            expect("a node for metadata" in missing["text"], missing.line)
            stopped(firmware)
    return missing["text"]


def another_size_and_rate_than_asked():
    with Webcam(CLIP) as camera:
        asked = "width = 800\nheight = 600\nfps = 120"
        with running(write_settings(camera.device, lines={}, camera=asked)) as firmware:
            found = firmware.wait("camera.found")
            expect((found["size"], found["fps"]) == ("640,480", "12.0"), found.line)
            stopped(firmware)


def direct_access_copies_nothing():
    with Vivid() as camera:
        for access, copy in (("direct", "0"), ("libv4l2", "1")):
            more = f'width = 720\nheight = 576\nfps = 25\naccess = "{access}"'
            with running(write_settings(camera.device, lines={}, camera=more)) as firmware:
                found = firmware.wait("camera.found", access=access)
                expect(found["copy"] == copy, found.line)
                wait_until(lambda: firmware.find("heartbeat"), 10, "a heartbeat")
                last = stopped(firmware)
                expect(int(last["frames"]) > 10 and last["broken"] == "0", last.line)


def vivid_fails_in_every_way_it_can():
    """Injected by the driver: a call that fails once, damaged frames, a stream that breaks down."""
    with Vivid() as camera:
        device = camera.device
        more = "width = 720\nheight = 576\nfps = 25"
        remarks = []
        for access in ("libv4l2", "direct"):
            settings = write_settings(device, camera=f'{more}\naccess = "{access}"')
            with Safe(), running(settings) as firmware:
                firmware.wait("camera.found")
                for fault, within in (
                    ("inject_v4l2_buf_flag_error", None),
                    ("inject_vidioc_qbuf_error", 5),
                    ("inject_fatal_streaming_error", 15),
                ):
                    before = len(firmware.events)
                    camera.control(**{fault: 1})
                    time.sleep(2)
                    beat = firmware.wait("heartbeat", within=within or 5, after=before)
                    expect(firmware.process.poll() is None, f"ended after {fault}")
                    remarks.append(f"{access} {fault[7:]}: broken {beat['broken']}, "
                                   f"restarts {beat['restarts']}")
                    wait_until(
                        lambda: float(firmware.all("heartbeat")[-1].get("fps", 0)) > 5, 25,
                        f"frames again after {fault}",
                    )
                # At the next start of the stream two calls fail, one after the other.
                camera.control(inject_vidioc_reqbufs_error=1, inject_vidioc_streamon_error=1)
                camera.control(inject_fatal_streaming_error=1)
                before = len(firmware.events)
                wait_until(
                    lambda: any(
                        float(beat.get("fps", 0)) > 20
                        for beat in firmware.events[before:] if beat.name == "heartbeat"
                    ), 30, "frames after a stream that does not start",
                )
                stopped(firmware)
        return "; ".join(remarks)


def vivid_is_disconnected():
    with Vivid() as camera:
        settings = write_settings(camera.device, camera="width = 720\nheight = 576\nfps = 25")
        with Safe(), running(settings) as firmware:
            firmware.wait("camera.found")
            camera.control(disconnect=1)
            firmware.wait("camera.missing", within=5)
            wait_until(camera.try_remove, 10, "nobody holds the lost camera")
            before = len(firmware.events)
            camera.start()
            firmware.wait("camera.found", within=15, after=before)
            stopped(firmware)


main(
    unplugged_and_plugged_in_again,
    absent_at_the_start_and_found_by_its_name,
    silent_and_on_again,
    damaged_and_short_frames_are_counted,
    frames_that_the_driver_drops_are_counted,
    taken_by_another_program,
    a_node_for_metadata_is_named,
    another_size_and_rate_than_asked,
    direct_access_copies_nothing,
    vivid_fails_in_every_way_it_can,
    vivid_is_disconnected,
)
