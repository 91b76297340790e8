"""Measures livelatch beside its peers on this machine, in turn, and writes build/bench.json.

    python3 bench.py --tool PROGRAM [--daemon PROGRAM] [--peers PYTHON] [--models FOLDER]
                     [--rounds N] [--only WORD] [--out FILE]

Ours and each peer run one after the other, --rounds times, each on one thread and all processes on
one core; what is compared are the medians of the rounds' medians. Without --peers ours is measured
alone. Memory is VmHWM of the whole process. Python's standard library is enough for this file; the
peers have a virtual environment of their own.
"""

from __future__ import annotations

import argparse
import datetime
import json
import os
import platform
import statistics
import subprocess
import sys
import time
from dataclasses import dataclass, field
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
CLIP = "board/demo/demo.mp4"
# Time that a side gets in a round.
SHARE = 0.15


@dataclass
class Peer:
    """A case of a peer: which process, what to ask it."""

    kind: str
    case: str
    note: str = ""


@dataclass
class Case:
    name: str
    ours: list[str]  # cases of `livelatch bench`, added up
    # Groups of a peer's cases: those of a group are added up.
    peers: list[list[Peer]] = field(default_factory=list)
    target: float | None = None  # most that ours may take of the best peer


class PeerProcess:
    def __init__(self, python: str, core: int, kind: str):
        command = ["taskset", "-c", str(core), python, str(ROOT / "board/bench/peer.py"), kind, str(ROOT)]
        self.process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
            text=True, cwd=ROOT,
        )  # fmt: skip
        self.version = self.read()["version"]

    def read(self) -> dict:
        line = self.process.stdout.readline()
        if not line:
            raise SystemExit("bench.py: a peer ended early")
        return json.loads(line)

    def ask(self, case: str, runs: int = 1) -> dict:
        print(case, runs, file=self.process.stdin, flush=True)
        return self.read()

    def close(self) -> None:
        self.process.stdin.close()
        self.process.wait()


class Bench:
    def __init__(self, options):
        self.options = options
        self.core = max(os.sched_getaffinity(0))
        self.peers: dict[str, PeerProcess] = {}

    def peer(self, kind: str) -> PeerProcess:
        if kind not in self.peers:
            self.peers[kind] = PeerProcess(self.options.peers, self.core, kind)
        return self.peers[kind]

    def run_ours(self, case: str, runs: int) -> dict:
        command = ["taskset", "-c", str(self.core), self.options.tool, "bench", "--json"]
        command += ["--case", case, "--runs", str(runs), "--clip", str(ROOT / CLIP)]
        done = subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True)
        answer = json.loads(done.stdout)
        self.kernels = answer["kernels"]
        return answer["rows"][0]

    def ask_peer(self, peer: Peer, runs: int) -> list[int]:
        answer = self.peer(peer.kind).ask(peer.case, runs)
        if "error" in answer:
            raise RuntimeError(f"{peer.kind} {peer.case}: {answer['error']}")
        return answer["ns"]

    def measure(self, case: Case) -> list[dict]:
        """Rows of the report: one for each group of peers, or one for ours alone."""
        whole = case.name == "whole frame"
        groups = case.peers if self.options.peers else []
        runs: dict[str, int] = {}

        def count(key: str, first: float) -> int:
            if key not in runs:
                runs[key] = 365 if whole else max(5, min(1000, int(SHARE * 1e9 / first)))
            return runs[key]

        ours: dict[str, list[dict]] = {one: [] for one in case.ours}
        theirs: dict[str, list[list[int]]] = {}
        for number in range(self.options.rounds):
            for one in case.ours:
                if one not in runs:
                    count(one, 1 if whole else self.run_ours(one, 3)["median_ns"])
                ours[one].append(self.run_ours(one, runs[one]))
            for peer in (peer for group in groups for peer in group):
                key = peer.kind + " " + peer.case
                if key not in runs:
                    count(key, 1 if whole else statistics.median(self.ask_peer(peer, 3)))
                theirs.setdefault(key, []).append(self.ask_peer(peer, runs[key]))

        def total(key: str) -> dict:
            return sum(statistics.median(row[key] for row in rows) for rows in ours.values())

        work = sum(rows[0]["work"] for rows in ours.values())
        base = {
            "name": case.name,
            "unit": "us",
            "ours": total("median_ns") / 1e3,
            "ours_p10": total("p10_ns") / 1e3,
            "ours_p90": total("p90_ns") / 1e3,
            "work": work,
            "work_per_s": round(work / total("median_ns") * 1e9),
        }
        rows = []
        for group in groups:
            median = low = high = 0.0
            for peer in group:
                rounds = theirs[peer.kind + " " + peer.case]
                every = sorted(ns for times in rounds for ns in times)
                median += statistics.median(statistics.median(times) for times in rounds) / 1e3
                low += every[len(every) // 10] / 1e3
                high += every[len(every) * 9 // 10] / 1e3
            name = self.peer(group[0].kind).version + (f", {group[0].note}" if group[0].note else "")
            rows.append(
                base
                | {"peer_name": name, "peer": median, "peer_p10": low, "peer_p90": high}
                | {"ratio": base["ours"] / median, "target": None, "met": None}
            )
        if not rows:
            return [base | {"peer_name": None, "peer": None, "ratio": None, "target": case.target, "met": None}]
        best = max(rows, key=lambda row: row["ratio"])
        best["target"] = case.target
        best["met"] = None if case.target is None else best["ratio"] <= case.target
        return rows

    # Memory of the whole process, on the demo clip.

    def our_memory(self) -> int:
        raw = ROOT / "build/bench/demo.y4m"
        subprocess.run(
            ["ffmpeg", "-v", "error", "-y", "-i", str(ROOT / CLIP), "-pix_fmt", "yuv420p", str(raw)], check=True
        )
        command = ["taskset", "-c", str(self.core), self.options.daemon, "run", "--simulate"]
        command += ["--config", str(ROOT / "board/demo/demo.toml"), "--clip", str(raw)]
        peak = 0
        with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:
            # It only grows: the last look before the end counts.
            while process.poll() is None:
                try:
                    status = Path(f"/proc/{process.pid}/status").read_text()
                except OSError:
                    break
                name = status.split("\n", 1)[0]
                if "livelatchd" in name and "VmHWM:" in status:
                    peak = max(peak, int(status.split("VmHWM:")[1].split()[0]))
                time.sleep(0.002)
        raw.unlink()
        if process.returncode != 0 or peak == 0:
            raise RuntimeError(f"livelatchd ended with {process.returncode}")
        return peak

    def memory(self) -> dict:
        row = {"name": "memory of the whole process", "unit": "KiB", "ours": self.our_memory()}
        row |= {"peer_name": None, "peer": None, "ratio": None, "target": 0.04, "met": None}
        if self.options.peers:
            process = PeerProcess(self.options.peers, self.core, "mediapipe")
            answer = process.ask(f"frame:{self.options.models}/face_landmarker.task:{ROOT / CLIP}", 365)
            if "error" in answer:
                raise RuntimeError(answer["error"])
            row |= {"peer_name": process.version, "peer": process.ask("memory")["kib"]}
            row["ratio"] = row["ours"] / row["peer"]
            row["met"] = row["ratio"] <= row["target"]
            process.close()
        return row


def cases(models: str) -> list[Case]:
    def lite(name: str) -> list[list[Peer]]:
        return [
            [Peer("litert", f"network:{models}/{name}.{kind}.tflite", kind)] for kind in ("float", "int8")
        ]

    def detector(name: str, width: int, height: int) -> list[list[Peer]]:
        return [
            [Peer("onnxruntime", f"network:{models}/{name}.onnx", "float, same input")],
            [Peer("opencv", f"detector:{models}/yunet.onnx:{width}:{height}", f"FaceDetectorYN {width}x{height}")],
        ] + lite(name)

    heads = ["gender", "eye-open", "smile"]
    together = [
        [Peer("litert", f"network:{models}/{name}.{kind}.tflite", f"all {kind}") for name in heads]
        for kind in ("float", "int8")
    ]
    out = [
        Case("detector 160x128", ["network:yunet-160.llm"], detector("yunet-160", 160, 120)),
        Case("detector 320x256", ["network:yunet-320.llm"], detector("yunet-320", 320, 240), 0.5),
        Case("mesh 468", ["network:mesh468.llm"], lite("mesh468"), 0.5),
        Case("gender, eye and smile", [f"network:{name}.llm" for name in heads], together, 0.6),
        Case(
            "gender",
            ["network:gender.llm"],
            lite("gender") + [[Peer("onnxruntime", f"network:{models}/gender.onnx", "float")]],
        ),
        Case("eye", ["network:eye-open.llm"], lite("eye-open")),
        Case("smile", ["network:smile.llm"], lite("smile")),
    ]
    for width, height, target in ((160, 120, 0.12), (320, 240, 0.30), (256, 192, None)):
        out.append(
            Case(
                f"scale YUYV 640x480 to {width}x{height}",
                [f"scaler:yuyv:640x480:{width}x{height}"],
                [[Peer("opencv", f"scaler:{width}:{height}", "cvtColor, resize INTER_AREA")]],
                target,
            )
        )
    for side in (250, 300):
        out.append(
            Case(
                f"crop YUYV {side} px, turned, to 192x192",
                [f"crop:yuyv:640x480:{side}:192"],
                [[Peer("opencv", f"crop:{side}:192", "cvtColor, warpAffine")]],
                0.30,
            )
        )
    # Cost over size: by pixels read, then by pixels written.
    for width, height in ((320, 240), (640, 480), (1280, 960), (1920, 1440)):
        out.append(
            Case(
                f"scale YUYV {width}x{height} to a quarter",
                [f"scaler:yuyv:{width}x{height}:{width // 4}x{height // 4}"],
            )
        )
    for side in (96, 192, 384):
        out.append(Case(f"crop YUYV {side} px, turned, to {side}x{side}", [f"crop:yuyv:640x480:{side}:{side}"]))
    out.append(
        Case(
            "whole frame",
            ["frame"],
            [[Peer("mediapipe", f"frame:{models}/face_landmarker.task:{ROOT / CLIP}", "FaceLandmarker, video")]],
            0.12,
        )
    )
    return out


def growth(rows: list[dict]) -> list[dict]:
    """What a unit of work costs over sizes of the same thing: linear cost keeps it."""
    groups = {
        "detector, by multiplications": ["detector 160x128", "detector 320x256"],
        "scaler, by pixels read": [row["name"] for row in rows if row["name"].endswith("to a quarter")],
        "crop, by pixels written": ["crop YUYV %d px, turned, to %dx%d" % (s, s, s) for s in (96, 192, 384)],
    }
    first = {row["name"]: row for row in reversed(rows)}
    out = []
    for name, members in groups.items():
        found = [first[member] for member in members if member in first]
        if len(found) < 2:
            continue
        costs = [{"work": row["work"], "ns_per_work": row["ours"] * 1e3 / row["work"]} for row in found]
        out.append({"name": name, "sizes": costs})
    return out


def processor() -> str:
    for line in Path("/proc/cpuinfo").read_text().splitlines():
        if line.startswith("model name"):
            return line.split(":", 1)[1].strip()
    return platform.machine()


def show(row: dict) -> None:
    text = f"{row['name']:<44} {row['ours']:>10.1f} {row['unit']}"
    if row["peer"] is not None:
        text += f" {row['peer']:>10.1f}  x{row['ratio']:.3f}"
        if row["target"] is not None:
            text += f" (target {row['target']}: {'met' if row['met'] else 'NOT MET'})"
        text += f"  {row['peer_name']}"
    print(text, flush=True)


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--tool", required=True)
    parser.add_argument("--daemon")
    parser.add_argument("--peers")
    parser.add_argument("--models", default=str(ROOT / "build/bench/models"))
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--only", default="", help="names that contain this")
    parser.add_argument("--out", default=str(ROOT / "build/bench.json"))
    options = parser.parse_args()
    options.tool = str(Path(options.tool).resolve())
    bench = Bench(options)
    rows, failures = [], []
    (ROOT / "build/bench").mkdir(parents=True, exist_ok=True)
    for case in cases(options.models):
        if options.only not in case.name:
            continue
        try:
            found = bench.measure(case)
        except RuntimeError as error:
            failures.append(f"{case.name}: {error}")
            continue
        for row in found:
            show(row)
        rows += found
    if options.daemon and options.only in "memory of the whole process":
        try:
            rows.append(bench.memory())
            show(rows[-1])
        except RuntimeError as error:
            failures.append(f"memory: {error}")
    for group in growth(rows):
        sizes = ", ".join(f"{one['ns_per_work']:.3f} at {one['work']}" for one in group["sizes"])
        print(f"ns per unit of work, {group['name']}: {sizes}")
    report = {
        "date": datetime.datetime.now().astimezone().isoformat(timespec="seconds"),
        "processor": processor(),
        "kernels": getattr(bench, "kernels", None),
        "core": bench.core,
        "rounds": options.rounds,
        "peers": sorted(peer.version for peer in bench.peers.values()),
        "results": rows,
        "growth": growth(rows),
        "failures": failures,
    }
    Path(options.out).write_text(json.dumps(report, indent=1) + "\n")
    print(f"wrote {options.out}")
    for peer in bench.peers.values():
        peer.close()
    for failure in failures:
        print(f"bench.py: could not measure {failure}", file=sys.stderr)
    sys.exit(1 if failures else 0)


if __name__ == "__main__":
    main()
