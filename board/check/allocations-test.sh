#!/bin/bash
# allocations-test.sh: shows allocations.sh programs that do what it must find, and one that does
# not.
set -euo pipefail

here=$(cd "$(dirname "$0")" && pwd)
build=$(cd "$here/../.." && pwd)/build/check
mkdir -p "$build"
"$("$here/../toolchain.sh" usr)/bin/clang" -O1 -fno-builtin -Wall -Werror -pthread \
  -o "$build/stand-in" "$here/stand-in.c"

passed=0
failed=0
# expect FAULT CODE TEXT: the check ends with CODE and says TEXT.
expect() {
  local code=0 output
  output=$("$here/allocations.sh" test-pattern 60 "$build/stand-in" "$1" @CLIP 2>&1) || code=$?
  if [ $code = "$2" ] && grep -qF -- "$3" <<< "$output"; then
    passed=$((passed + 1))
  else
    failed=$((failed + 1))
    printf 'fault %s: code %d instead of %d, or not "%s":\n%s\n' "$1" $code "$2" "$3" "$output" >&2
  fi
}
expect none 0 "0 in the 60 frames"
expect malloc 1 "caller malloc"
expect free 1 "caller free"
expect stdio 1 "caller malloc"
expect thread 1 "caller malloc"
expect map 1 "mmap(NULL, 4096, PROT_READ"
expect break 1 "brk("
expect big 1 "nor need more than"
if [ "$(id -u)" = 0 ]; then expect unlocked 1 "may lock its memory and did not"; fi
expect silent 1 "ev=started did not come"
expect short 1 "the clip was not read to its end"
expect code 1 "ended with 3"
expect crash 1 "ended with 134"
echo "check of the allocation check: $passed passed, $failed failed"
[ $failed = 0 ]
