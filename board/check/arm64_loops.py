"""The inner loops of the arm64 firmware's kernels, out of its machine code.

    python3 arm64_loops.py TOOLCHAIN PROGRAM     checks every kernel of KERNELS; TOOLCHAIN/bin has
                                                 llvm-objdump and swift-demangle

A kernel's innermost loops may hold no call (and so no allocation), no trap and no branch to one (a
bounds or overflow check), and at least one of them has the instructions that the kernel is for. The
loop that breaks this is named. Python's standard library is enough.
"""

from __future__ import annotations

import re
import subprocess
import sys
from dataclasses import dataclass

# Kernel: what its hot loop must have. "smlal" stands for smlal and smlal2, and so on.
KERNELS = {
    "convolve_s8_2x8_neon": ["smull", "smlal", "sadalp"],
    "convolve_s8_1x16x8_neon": ["smull", "smlal", "saddlp", "sqrdmulh", "srshl"],
    "convolve_s8_8x8_dot": ["sdot"],
    "depthwise_s8_2x16_neon": ["smull", "smlal", "saddw"],
    "depthwise_s8_3x3x16_neon": ["smull", "smlal", "saddw", "sqrdmulh", "srshl"],
    "requantise_s8_x8_neon": ["sqrdmulh", "srshl", "sqxtn"],
    "add_s8_x8_neon": ["sqrdmulh", "srshl", "sqxtn"],
    "maxpool_s8_2x2x16_neon": ["smax", "smin"],
    "avgpool_s8_2x2x16_neon": ["saddl", "srshr", "smin"],
}

BRANCH = re.compile(r"(?:b|b\.\w+|cbn?z|tbn?z)\s+(?:\w+,\s*)?(?:#\w+,\s*)?(0x[0-9a-f]+)")
CALLS = {"bl", "blr", "br", "svc", "ret"}
TRAPS = {"brk", "udf", "hlt"}


@dataclass
class Loop:
    kernel: str
    start: int
    # Mnemonic and operands as objdump writes them.
    instructions: list[str]
    # What each of its branches leads to: address, and the instruction there if it is of the kernel.
    targets: list[tuple[int, str]]

    @property
    def mnemonics(self) -> list[str]:
        return [one.split()[0] for one in self.instructions]

    def has(self, mnemonic: str) -> bool:
        return any(one in (mnemonic, mnemonic + "2") for one in self.mnemonics)

    def faults(self) -> list[str]:
        found = [f"has {one}" for one in self.instructions if one.split()[0] in CALLS | TRAPS]
        for _, there in self.targets:
            if there.split()[0] in TRAPS:
                found.append(f"may branch to {there}: a check")
        return found


def disassemble(toolchain: str, program: str) -> dict[str, dict[int, str]]:
    """The instructions of each function by address, by the function's name without types."""
    text = subprocess.run(
        [f"{toolchain}/bin/llvm-objdump", "-d", "--no-show-raw-insn", program],
        check=True, capture_output=True, text=True,
    ).stdout  # fmt: skip
    functions: dict[str, dict[int, str]] = {}
    labels = re.findall(r"^[0-9a-f]+ <(.*)>:$", text, re.M)
    plain = subprocess.run(
        [f"{toolchain}/bin/swift-demangle", "--compact", "--simplified"],
        input="\n".join(labels), check=True, capture_output=True, text=True,
    ).stdout.split("\n")  # fmt: skip
    names = dict(zip(labels, plain))
    body: dict[int, str] = {}
    for line in text.split("\n"):
        label = re.match(r"^[0-9a-f]+ <(.*)>:$", line)
        if label:
            body = functions.setdefault(names[label[1]].split("(")[0], {})
            continue
        code = re.match(r"^\s*([0-9a-f]+):\s+(\S.*)$", line)
        if code:
            body[int(code[1], 16)] = code[2].split("//")[0].replace("\t", " ").strip()
    return functions


def inner_loops(kernel: str, body: dict[int, str]) -> list[Loop]:
    """Natural loops that hold no other: all that leads back to a loop's head without leaving it."""
    addresses = sorted(body)
    targets: dict[int, int] = {}
    before: dict[int, list[int]] = {address: [] for address in addresses}
    for address, following in zip(addresses, addresses[1:] + [None]):
        word = body[address].split()[0]
        branch = BRANCH.match(body[address])
        if branch:
            targets[address] = int(branch[1], 16)
            if targets[address] in before:
                before[targets[address]].append(address)
        if following is not None and word not in {"b", "br", "ret"} | TRAPS:
            before[following].append(address)
    loops: dict[int, set[int]] = {}
    for tail, head in targets.items():
        if head not in before or head > tail:
            continue
        inside, waiting = {head, tail}, [tail] if tail != head else []
        while waiting:
            for one in before[waiting.pop()]:
                if one not in inside:
                    inside.add(one)
                    waiting.append(one)
        # What is reached from outside too, past the head, is a jump backwards and no loop.
        if head != addresses[0] and addresses[0] in inside:
            continue
        loops[head] = loops.get(head, set()) | inside
    found = []
    for head, inside in sorted(loops.items()):
        if any(other < inside for other in loops.values()):
            continue
        ends = [(to, body.get(to, "outside")) for at, to in targets.items() if at in inside]
        found.append(Loop(kernel, head, [body[one] for one in sorted(inside)], ends))
    return found


def check(kernels: dict[str, list[str]], functions: dict[str, dict[int, str]]) -> list[str]:
    """What is wrong, a sentence a finding; prints what is right."""
    wrong = []
    for kernel, wanted in kernels.items():
        if kernel not in functions:
            wrong.append(f"{kernel}: not in the program")
            continue
        loops = inner_loops(kernel, functions[kernel])
        for loop in loops:
            for fault in loop.faults():
                wrong.append(f"{kernel}: the loop at {loop.start:#x} {fault}")
        hot = [loop for loop in loops if all(loop.has(one) for one in wanted)]
        if hot:
            lengths = ", ".join(str(len(loop.instructions)) for loop in hot)
            print(f"{kernel}: {' '.join(wanted)} in loops of {lengths} instructions")
            continue
        best = max(loops, key=lambda loop: sum(map(loop.has, wanted)), default=None)
        if best is None:
            wrong.append(f"{kernel}: no loop")
        else:
            missing = " ".join(one for one in wanted if not best.has(one))
            wrong.append(f"{kernel}: the loop at {best.start:#x} has no {missing}")
    return wrong


def main() -> None:
    if len(sys.argv) != 3:
        raise SystemExit("usage: arm64_loops.py TOOLCHAIN PROGRAM")
    wrong = check(KERNELS, disassemble(sys.argv[1], sys.argv[2]))
    for one in wrong:
        print(f"arm64_loops.py: {one}", file=sys.stderr)
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
