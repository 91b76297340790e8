"""Counts instructions of livelatch on emulated arm64 processors beside LiteRT's, models the inner loops
with llvm-mca, and writes build/bench-arm64.json.

    python3 bench_arm64.py --toolchain DIR --plugin instructions.so --invoke PROGRAM --daemon PROGRAM
                           --sysroot DIR [--peer DIR --models FOLDER] [--out FILE]

Counts are exact and do not depend on this machine. The cycles are llvm-mca's model of a processor, no
measurement. Python's standard library is enough for this file.
"""

from __future__ import annotations

import argparse
import datetime
import json
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "board/check"))
import arm64_loops  # noqa: E402

NETWORKS = ["mesh468", "yunet-160", "yunet-320", "gender", "eye-open", "smile"]
# Processor of the emulator, its part number and features as /proc/cpuinfo has them.
PROCESSORS = {
    "cortex-a72": ("0xd08", "fp asimd evtstrm crc32 cpuid"),
    "cortex-a76": ("0xd0b", "fp asimd evtstrm crc32 atomics fphp asimdhp cpuid asimdrdm lrcpc dcpop asimddp"),
}
# Most that ours may take of the peer's best.
TARGETS = {("mesh468", "cortex-a72"): 0.65, ("mesh468", "cortex-a76"): 0.40}
PEER_RUNS = 10
FRAMES = (60, 90)
# Products a cycle that a core can do at most: one multiplier of 8, or two dot products of 16.
PEAKS = {
    ("convolve_s8_2x8_neon", "cortex-a72"): 8,
    ("convolve_s8_8x8_dot", "neoverse-n1"): 32,
}
MODELS = ["cortex-a53", "cortex-a72", "neoverse-n1"]
SHARE = 0.75
MCA = "llvm-mca-19"


class Bench:
    def __init__(self, options):
        self.options = options
        self.rows: list[dict] = []
        self.functions: list[dict] = []
        self.loops: list[dict] = []

    def emulate(self, processor: str, prefix: str, command: list[str], more: str = "", **environment) -> str:
        """What the plugin writes while the emulated command runs; its output goes to self.said."""
        with tempfile.NamedTemporaryFile("r") as counts:
            line = ["qemu-aarch64", "-cpu", processor, "-plugin", self.options.plugin + more]
            line += ["-d", "plugin", "-D", counts.name, "-L", prefix, *command]
            done = subprocess.run(
                line, cwd=ROOT, capture_output=True, text=True, env=os.environ | environment
            )
            if done.returncode:
                sys.stderr.write(done.stderr[-2000:])
                raise SystemExit(f"bench_arm64.py: {' '.join(command)} ended with {done.returncode}")
            self.said = done.stdout
            return counts.read()

    def by_function(self, processor: str, command: list[str]) -> dict[str, int]:
        text = self.emulate(processor, self.options.sysroot, command, ",functions=on")
        found: dict[str, int] = {}
        for line in text.splitlines():
            count, _, name = line.partition(" ")
            if count == "total":
                found["total"] = int(name)
            elif count != "mark":
                found[name] = found.get(name, 0) + int(count)
        return found

    def difference(self, processor: str, commands: list[list[str]], units: int) -> dict[str, float]:
        first, second = (self.by_function(processor, command) for command in commands)
        return {name: (count - first.get(name, 0)) / units for name, count in second.items()}

    def note_functions(self, name: str, processor: str, counts: dict[str, float]) -> None:
        biggest = sorted(counts, key=counts.get, reverse=True)
        biggest = [one for one in biggest if one != "total" and counts[one] > counts["total"] / 200]
        plain = subprocess.run(
            [f"{self.options.toolchain}/bin/swift-demangle", "--compact", "--simplified"],
            input="\n".join(biggest), check=True, capture_output=True, text=True,
        ).stdout.split("\n")  # fmt: skip
        self.functions.append(
            {"name": name, "processor": processor}
            | {"functions": {there: round(counts[one]) for one, there in zip(biggest, plain)}}
        )

    def row(self, name: str, ours: float, unit: str, **more) -> None:
        row = {"name": name, "ours": ours, "peer": None, "peer_name": None, "unit": unit}
        row |= {"ratio": None, "target": None, "met": None} | more
        if row["peer"]:
            row["ratio"] = row["ours"] / row["peer"]
        self.rows.append(row)
        text = f"{name:<40} {ours:>9.3f} {unit}"
        if row["peer"]:
            text += f"  {row['peer']:>9.3f}  x{row['ratio']:.3f}"
            if row["target"] is not None:
                text += f" (target {row['target']}: {'met' if row['met'] else 'NOT MET'})"
            text += f"  {row['peer_name']}"
        print(text, flush=True)

    def peer(self, processor: str) -> dict[str, float]:
        """Millions of instructions an inference of the peer, by file."""
        if not self.options.peer:
            return {}
        base = Path(self.options.peer)
        part, features = PROCESSORS[processor]
        core = (
            f"BogoMIPS\t: 108.00\nFeatures\t: {features}\nCPU implementer\t: 0x41\n"
            f"CPU architecture: 8\nCPU variant\t: 0x0\nCPU part\t: {part}\nCPU revision\t: 3\n\n"
        )
        # The peer reads this; the emulator looks below its prefix first, where a PC's own would end it.
        (base / "root/proc/cpuinfo").write_text("".join(f"processor\t: {n}\n{core}" for n in range(4)))
        files = [f"{name}.{kind}.tflite" for name in NETWORKS for kind in ("float", "int8")]
        command = [str(base / "root/usr/bin/python3.11"), str(ROOT / "board/bench/peer_arm64.py")]
        command += [str(base / "site"), str(PEER_RUNS)]
        command += [str(Path(self.options.models) / file) for file in files]
        text = self.emulate(processor, str(base / "root"), command, PYTHONHOME=str(base / "root/usr"))
        marks = [int(line.split()[1]) for line in text.splitlines() if line.startswith("mark ")]
        if len(marks) != 2 * len(files):
            raise SystemExit(f"bench_arm64.py: {len(marks)} marks of the peer for {len(files)} networks")
        return {
            file: (end - start) / PEER_RUNS / 1e6
            for file, start, end in zip(files, marks[::2], marks[1::2])
        }

    def networks(self) -> None:
        for processor in PROCESSORS:
            theirs = self.peer(processor)
            for name in NETWORKS:
                model = str(ROOT / f"Models/{name}.llm")
                commands = [[self.options.invoke, model, str(count)] for count in (1, 3)]
                counts = self.difference(processor, commands, 2)
                kernels = self.said.split()[0]
                more = {"processor": processor, "kernels": kernels}
                if theirs:
                    kinds = {kind: theirs[f"{name}.{kind}.tflite"] for kind in ("float", "int8")}
                    best = min(kinds, key=kinds.get)
                    target = TARGETS.get((name, processor))
                    more |= {"peer": kinds[best], "peer_name": f"LiteRT 2.3.0, {best}"}
                    more |= {"peer_float": kinds["float"], "peer_int8": kinds["int8"], "target": target}
                    if target is not None:
                        more["met"] = counts["total"] / 1e6 <= target * kinds[best]
                title = f"{name}, {processor} ({kernels})"
                self.row(title, counts["total"] / 1e6, "M instructions", **more)
                self.note_functions(name, processor, counts)

    def frame(self) -> None:
        """A followed face: what a frame more of the demo clip costs the whole process."""
        with tempfile.TemporaryDirectory() as folder:
            commands = []
            for frames in FRAMES:
                clip = f"{folder}/{frames}.y4m"
                command = ["ffmpeg", "-nostdin", "-v", "error", "-i", str(ROOT / "board/demo/demo.mp4")]
                command += ["-an", "-frames:v", str(frames), "-pix_fmt", "yuv420p", clip]
                subprocess.run(command, check=True)
                commands.append([self.options.daemon, "run", "--simulate", "--seed", "1", "--config"])
                commands[-1] += [str(ROOT / "board/demo/demo.toml"), "--clip", clip]
            for processor in PROCESSORS:
                counts = self.difference(processor, commands, FRAMES[1] - FRAMES[0])
                title = f"frame, face followed, {processor}"
                self.row(title, counts["total"] / 1e6, "M instructions", processor=processor)
                self.note_functions("frame", processor, counts)

    def inner_loops(self) -> None:
        code = arm64_loops.disassemble(self.options.toolchain, self.options.daemon)
        for kernel, wanted in arm64_loops.KERNELS.items():
            hot = [
                loop
                for loop in arm64_loops.inner_loops(kernel, code[kernel])
                if all(loop.has(one) for one in wanted)
            ]
            for number, loop in enumerate(hot):
                self.model(kernel, number, loop)

    def model(self, kernel: str, number: int, loop) -> None:
        straight = [one for one in loop.instructions if not arm64_loops.BRANCH.match(one)]
        products = sum(map(self.products, straight))
        for processor in MODELS:
            said = subprocess.run(
                [MCA, "-mtriple=aarch64-linux-gnu", f"-mcpu={processor}", "-mattr=+dotprod", "-iterations=200"],
                input="\n".join(straight) + "\n", check=True, capture_output=True, text=True,
            ).stdout  # fmt: skip
            cycles = int(re.search(r"Total Cycles:\s+(\d+)", said)[1]) / 200
            entry = {"kernel": kernel, "loop": number, "processor": processor, "cycles": cycles}
            entry |= {"instructions": len(loop.instructions), "products": products}
            self.loops.append(entry)
            peak = PEAKS.get((kernel, processor))
            # The second loop is for what is left over of a tile.
            if peak and number == 0:
                self.row(
                    f"{kernel}, {processor}, model", products / cycles, "MAC/cycle", peer=peak,
                    peer_name="modelled peak", target=SHARE, met=products / cycles >= SHARE * peak,
                )  # fmt: skip
            else:
                rate = f", {products / cycles:.2f} MAC/cycle" if products else ""
                title = f"{kernel}, loop {number + 1}, {processor}, model"
                print(f"{title:<58} {cycles:>7.1f} cycles for {len(loop.instructions)} instructions{rate}")

    @staticmethod
    def products(instruction: str) -> int:
        word = instruction.split()[0]
        if word == "sdot":
            return 16
        return 8 if word in ("smull", "smull2", "smlal", "smlal2") and ".8h" in instruction else 0


def main() -> None:
    parser = argparse.ArgumentParser()
    for name in ("toolchain", "plugin", "invoke", "daemon", "sysroot"):
        parser.add_argument(f"--{name}", required=True)
    parser.add_argument("--peer")
    parser.add_argument("--models")
    parser.add_argument("--out", default=str(ROOT / "build/bench-arm64.json"))
    options = parser.parse_args()
    for name in ("plugin", "invoke", "daemon", "sysroot"):
        setattr(options, name, str(Path(getattr(options, name)).resolve()))
    bench = Bench(options)
    bench.inner_loops()
    bench.networks()
    bench.frame()
    emulator = subprocess.run(["qemu-aarch64", "--version"], capture_output=True, text=True).stdout
    mca = subprocess.run([MCA, "--version"], capture_output=True, text=True).stdout
    report = {
        "date": datetime.datetime.now().astimezone().isoformat(timespec="seconds"),
        "processor": ", ".join(PROCESSORS) + " (" + emulator.splitlines()[0] + ")",
        "model": re.search(r"LLVM version \S+", mca)[0],
        "results": bench.rows,
        "functions": bench.functions,
        "loops": bench.loops,
    }
    Path(options.out).write_text(json.dumps(report, indent=1) + "\n")
    print(f"wrote {options.out}")


if __name__ == "__main__":
    main()
