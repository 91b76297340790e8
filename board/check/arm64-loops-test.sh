#!/bin/bash
# arm64-loops-test.sh: shows arm64_loops.py a kernel as it should be and broken ones, in assembly, and
# wants each broken loop named with what is wrong.
set -euo pipefail

here=$(cd "$(dirname "$0")" && pwd)
work=$(cd "$here/../.." && pwd)/build/check/arm64-loops
toolchain=$("$here/../toolchain.sh" usr)
rm -rf "$work"
mkdir -p "$work"

# Each case: a function whose loop has the multiplications of convolve_s8_2x8_neon and this before
# them. Behind the end lies a trap, as the compiler
# puts it there for a check.
passed=0
failed=0
expect() { # NAME CODE WANTED LINE...
  local name=$1 wanted_code=$2 wanted=$3 code=0 output
  shift 3
  {
    echo '.text'
    echo 'helper: ret'
    echo '.type convolve_s8_2x8_neon, %function'
    echo 'convolve_s8_2x8_neon:'
    echo 'cbz x0, 2f'
    echo '1: ldr q0, [x1], #16'
    printf '%s\n' "$@"
    echo 'subs x0, x0, #1'
    echo 'b.ne 1b'
    echo '2: ret'
    echo '3: brk #1'
  } > "$work/case.s"
  "$toolchain/bin/clang" --target=aarch64-linux-gnu -c -o "$work/case.o" "$work/case.s"
  output=$(python3 -c "
import sys
sys.path.insert(0, '$here')
import arm64_loops
kernel = 'convolve_s8_2x8_neon'
functions = arm64_loops.disassemble('$toolchain', '$work/case.o')
if 'gone' in sys.argv: del functions[kernel]
wrong = arm64_loops.check({kernel: arm64_loops.KERNELS[kernel]}, functions)
print('\n'.join(wrong))
sys.exit(1 if wrong else 0)" $name) || code=$?
  if [ $code = "$wanted_code" ] && grep -q -- "$wanted" <<< "$output"; then
    passed=$((passed + 1))
  else
    failed=$((failed + 1))
    printf '%s: code %d instead of %d, or not "%s":\n%s\n' "$name" $code "$wanted_code" "$wanted" \
      "$output" >&2
  fi
}

good=('smull v1.8h, v0.8b, v2.8b' 'smlal2 v1.8h, v0.16b, v2.16b' 'sadalp v3.4s, v1.8h')
expect good 0 'in loops of 6 instructions' "${good[@]}"
expect call 1 'convolve_s8_2x8_neon: the loop at .* has bl ' 'bl helper' "${good[@]}"
expect indirect 1 'convolve_s8_2x8_neon: the loop at .* has blr ' 'blr x8' "${good[@]}"
expect check 1 'convolve_s8_2x8_neon: the loop at .* may branch to brk' 'cmp x0, x9' 'b.hi 3f' \
  "${good[@]}"
expect test-bit 1 'convolve_s8_2x8_neon: the loop at .* may branch to brk' 'tbnz x0, #63, 3f' \
  "${good[@]}"
expect wrong 1 'convolve_s8_2x8_neon: the loop at .* has no sadalp' "${good[@]:0:2}"
expect inner 1 'convolve_s8_2x8_neon: the loop at .* has no smull smlal sadalp' \
  '4: sub x9, x9, #1' 'cbnz x9, 4b' "${good[@]}"
expect gone 1 'convolve_s8_2x8_neon: not in the program' "${good[@]}"
echo "check of the loops' check: $passed passed, $failed failed"
[ $failed = 0 ]
