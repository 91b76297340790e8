"""One of the peers that `make bench` measures beside livelatch, as a process that bench.py asks.

    python peer.py KIND ROOT

KIND is litert, onnxruntime, opencv or mediapipe; each loads its own library alone, so that its
memory is its own. Prints a line of JSON with its version, then answers every line `CASE RUNS` of
standard input with one: {"ns": [...]}, or {"error": "..."} for what it cannot measure. `memory`
asks for the highest resident memory of the process in KiB.
"""

from __future__ import annotations

import json
import math
import os
import subprocess
import sys
import time
from pathlib import Path

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
os.environ.setdefault("GLOG_minloglevel", "3")


def timed(work, runs: int) -> list[int]:
    for _ in range(min(10, runs // 4 + 1)):
        work()
    out = []
    for _ in range(runs):
        start = time.perf_counter_ns()
        work()
        out.append(time.perf_counter_ns() - start)
    return out


def memory_kib() -> int:
    for line in Path("/proc/self/status").read_text().splitlines():
        if line.startswith("VmHWM:"):
            return int(line.split()[1])
    raise RuntimeError("no VmHWM")


class LiteRT:
    """Networks by LiteRT with XNNPACK: `network:FILE`, a .tflite file."""

    def __init__(self, root: Path):
        from ai_edge_litert import interpreter

        self.library = interpreter
        self.version = "LiteRT " + package_version("ai-edge-litert")
        self.known = {}

    def measure(self, case: str, runs: int) -> list[int]:
        if case not in self.known:
            file = case.removeprefix("network:")
            network = self.library.Interpreter(model_path=file, num_threads=1)
            network.allocate_tensors()
            self.known[case] = network
        return timed(self.known[case].invoke, runs)


class OnnxRuntime:
    """Networks by ONNX Runtime: `network:FILE`, a .onnx file, on an input of zeros."""

    def __init__(self, root: Path):
        import numpy
        import onnxruntime

        self.numpy, self.library = numpy, onnxruntime
        self.version = "ONNX Runtime " + onnxruntime.__version__
        self.known = {}

    def measure(self, case: str, runs: int) -> list[int]:
        if case not in self.known:
            options = self.library.SessionOptions()
            options.intra_op_num_threads = options.inter_op_num_threads = 1
            options.log_severity_level = 3
            session = self.library.InferenceSession(
                case.removeprefix("network:"), options, providers=["CPUExecutionProvider"]
            )
            entry = session.get_inputs()[0]
            sides = [side if isinstance(side, int) else 1 for side in entry.shape]
            value = self.numpy.zeros(sides, self.numpy.float32)
            self.known[case] = lambda: session.run(None, {entry.name: value})
        return timed(self.known[case], runs)


class OpenCV:
    """`detector:FILE:W:H` by FaceDetectorYN, `scaler:W:H` and `crop:SIDE:OUTPUT` from 640x480 YUYV."""

    def __init__(self, root: Path):
        import cv2
        import numpy

        cv2.setNumThreads(1)
        self.cv, self.numpy = cv2, numpy
        self.version = "OpenCV " + cv2.__version__
        random = numpy.random.default_rng(1)
        self.frame = random.integers(0, 256, (480, 640, 2), numpy.uint8)
        self.rgb = numpy.empty((480, 640, 3), numpy.uint8)
        self.known = {}

    def convert(self):
        return self.cv.cvtColor(self.frame, self.cv.COLOR_YUV2RGB_YUYV, dst=self.rgb)

    def work(self, case: str):
        kind, *rest = case.split(":")
        cv, numpy = self.cv, self.numpy
        if kind == "detector":
            width, height = int(rest[1]), int(rest[2])
            detector = cv.FaceDetectorYN.create(rest[0], "", (width, height))
            picture = numpy.zeros((height, width, 3), numpy.uint8)
            return lambda: detector.detect(picture)
        if kind == "scaler":
            size = (int(rest[0]), int(rest[1]))
            out = numpy.empty((size[1], size[0], 3), numpy.uint8)
            return lambda: cv.resize(self.convert(), size, dst=out, interpolation=cv.INTER_AREA)
        side, output = int(rest[0]), int(rest[1])
        turn = cv.getRotationMatrix2D((320, 240), math.degrees(0.2), output / side)
        turn[:, 2] += [output / 2 - 320, output / 2 - 240]
        out = numpy.empty((output, output, 3), numpy.uint8)
        return lambda: cv.warpAffine(self.convert(), turn, (output, output), dst=out)

    def measure(self, case: str, runs: int) -> list[int]:
        if case not in self.known:
            self.known[case] = self.work(case)
        return timed(self.known[case], runs)


class MediaPipe:
    """`frame:TASK:CLIP`: FaceLandmarker in video mode with blendshapes, over RGB frames of a clip
    that come from ffmpeg one by one; the conversion from YUYV is not counted."""

    def __init__(self, root: Path):
        import mediapipe
        import numpy
        from mediapipe.tasks import python
        from mediapipe.tasks.python import vision

        self.library, self.numpy, self.base, self.vision = mediapipe, numpy, python, vision
        self.version = "MediaPipe " + mediapipe.__version__

    def measure(self, case: str, runs: int) -> list[int]:
        _, task, clip = case.split(":")
        options = self.vision.FaceLandmarkerOptions(
            base_options=self.base.BaseOptions(model_asset_path=task),
            running_mode=self.vision.RunningMode.VIDEO,
            output_face_blendshapes=True,
        )
        command = ["ffmpeg", "-v", "error", "-i", clip, "-f", "rawvideo", "-pix_fmt", "rgb24", "-"]
        times, found = [], 0
        with (
            self.vision.FaceLandmarker.create_from_options(options) as landmarker,
            subprocess.Popen(command, stdout=subprocess.PIPE) as decoder,
        ):
            while len(times) < runs:
                data = decoder.stdout.read(640 * 480 * 3)
                if len(data) < 640 * 480 * 3:
                    break
                pixels = self.numpy.frombuffer(data, self.numpy.uint8).reshape(480, 640, 3)
                picture = self.library.Image(
                    image_format=self.library.ImageFormat.SRGB, data=pixels
                )
                start = time.perf_counter_ns()
                result = landmarker.detect_for_video(picture, 40 * len(times))
                times.append(time.perf_counter_ns() - start)
                found += len(result.face_landmarks)
            decoder.stdout.close()
            decoder.kill()
        if found < 0.9 * len(times):
            raise RuntimeError(f"a face in {found} of {len(times)} frames")
        return times


def package_version(name: str) -> str:
    from importlib.metadata import version

    return version(name)


KINDS = {"litert": LiteRT, "onnxruntime": OnnxRuntime, "opencv": OpenCV, "mediapipe": MediaPipe}


def main() -> None:
    # Libraries write to standard output; answers go where it was.
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)

    def answer(value) -> None:
        print(json.dumps(value), file=answers, flush=True)

    peer = KINDS[sys.argv[1]](Path(sys.argv[2]))
    answer({"version": peer.version})
    for line in sys.stdin:
        case, runs = line.split()
        try:
            if case == "memory":
                answer({"kib": memory_kib()})
            else:
                answer({"ns": peer.measure(case, int(runs))})
        except Exception as error:  # noqa: BLE001: the driver says what could not be measured
            answer({"error": f"{type(error).__name__}: {error}"})


if __name__ == "__main__":
    main()
