#!/bin/bash
# heap-gate-test.sh SYSROOT: shows heap-gate.sh a program that calls for heap memory, for this
# machine and for arm64 with the board's SYSROOT, once from code that must not and once from code
# that may.
set -euo pipefail

here=$(cd "$(dirname "$0")" && pwd)
work=$(cd "$here/../.." && pwd)/build/check/heap-gate
clang=$("$here/../toolchain.sh" usr)/bin/clang
rm -rf "$work"
mkdir -p "$work"/{CToml,CGPIO}.build

passed=0
failed=0
# expect NAME WANTED CODE: the gate ended with CODE and says WANTED, on $output.
expect() {
  if [ "$code" = "$3" ] && grep -q -- "$2" <<< "$output"; then
    passed=$((passed + 1))
  else
    failed=$((failed + 1))
    printf '%s: code %d instead of %d, or not "%s":\n%s\n' "$1" "$code" "$3" "$2" "$output" >&2
  fi
}

for target in native arm64; do
  options=(-O1 -fno-builtin -pthread -Wno-unused-command-line-argument)
  [ $target = native ] ||
    options+=(--target=aarch64-linux-gnu --sysroot="$1" -fuse-ld=lld)
  "$clang" "${options[@]}" -c -o "$work/stand-in.o" "$here/stand-in.c"
  "$clang" "${options[@]}" -o "$work/livelatchd" "$work/stand-in.o"
  echo 'int nothing;' | "$clang" "${options[@]}" -x c -c -o "$work/CGPIO.build/nothing.o" -
  cp "$work/CGPIO.build/nothing.o" "$work/CToml.build/stand-in.o"
  code=0
  output=$("$here/heap-gate.sh" "$work" 2>&1) || code=$?
  expect "$target, not allowed" "allocate malloc" 1
  expect "$target, not allowed" "main free" 1
  cp "$work/stand-in.o" "$work/CToml.build/stand-in.o"
  code=0
  output=$("$here/heap-gate.sh" "$work" 2>&1) || code=$?
  expect "$target, allowed" "but for settings and lines" 0
done
echo "check of the heap gate: $passed passed, $failed failed"
[ $failed = 0 ]
