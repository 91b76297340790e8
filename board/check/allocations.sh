#!/bin/bash
# allocations.sh CLIP FRAMES PROGRAM ARGUMENT...: runs PROGRAM over FRAMES raw frames and wants that
# from its log line ev=started to the end of the clip no thread of it touches the heap or the memory
# map, and that its resident memory stays within 16 MiB, libraries and all.
#
# CLIP is a recording, looped as needed and scaled to 640x480, or "test-pattern" (64x48). PROGRAM
# finds it as a pipe of Y4M, whose name stands in for the argument @CLIP. It runs with allocations.c
# in front, which counts malloc, free and their kin, and under strace, which counts what goes past
# them.
set -euo pipefail

here=$(cd "$(dirname "$0")" && pwd)
build=$(cd "$here/../.." && pwd)/build/check
most_kib=$((16 * 1024))
fail() { echo "allocations.sh: $*" >&2; exit 1; }

[ $# -ge 3 ] || fail "usage: allocations.sh CLIP FRAMES PROGRAM ARGUMENT..."
clip=$1 frames=$2
shift 2
mkdir -p "$build"
work=$(mktemp -d "$build/allocations.XXXXXX")
feeder=
stop_feeder() {
  if [ -n "$feeder" ]; then
    kill "$feeder" 2> /dev/null || :
    wait "$feeder" 2> /dev/null || :
    feeder=
  fi
}
trap 'stop_feeder; rm -rf "$work"' EXIT

preload=$build/liballocations.so
"$("$here/../toolchain.sh" usr)/bin/clang" -O2 -Wall -Werror -shared -fPIC -o "$work/new.so" \
  "$here/allocations.c" -ldl
mv "$work/new.so" "$preload"

# ── Run ──────────────────────────────────────────────────────────────────────────────────────────

words=()
for word in "$@"; do words+=("${word//@CLIP/$work/clip.y4m}"); done
source=(-stream_loop -1 -i "$clip" -vf 'scale=640:480,fps=30')
[ "$clip" != test-pattern ] || source=(-f lavfi -i 'testsrc2=size=64x48:rate=30')
mkfifo "$work/clip.y4m"
ffmpeg -nostdin -v error "${source[@]}" -an -frames:v "$frames" -pix_fmt yuv420p \
  -f yuv4mpegpipe -y "$work/clip.y4m" 2> "$work/feeder.log" &
feeder=$!

report=$work/report trace=$work/trace code=0
strace -f --seccomp-bpf -qq -o "$trace" -e trace=mmap,munmap,mremap,brk,mprotect,write \
  -E LD_PRELOAD="$preload" -E ALLOCATIONS_REPORT="$report" \
  "${words[@]}" < /dev/null > "$work/log" 2>&1 || code=$?
stop_feeder

complain() {
  tail -n 20 "$work/log" "$work/feeder.log" >&2
  fail "$*"
}
[ $code = 0 ] || complain "the program ended with $code"
[ -s "$report" ] || complain "no report: the program ended without running its exit handlers"
grep -q '^phase end$' "$report" ||
  complain "the log line ev=started did not come, or the clip was not read to its end"
done=$(sed -n 's/.*ev=stopped .*frames=\([0-9]*\).*/\1/p' "$work/log")
[ "$done" = "$frames" ] || complain "ev=stopped counts '$done' of $frames frames"

# ── Judge ────────────────────────────────────────────────────────────────────────────────────────

wrong=0
start=$(awk '$2 == "start" { sum += $3 } END { print sum + 0 }' "$report")
steady=$(awk '$2 == "start" { sum += $5 } END { print sum + 0 }' "$report")
echo "heap: $start calls before ev=started, $steady in the $frames frames after it"
if [ "$steady" -ne 0 ]; then
  awk '$2 == "start" && $5 > 0 { print "  " $1 ": " $5 } $1 == "caller" { print "  " $0 }' "$report"
  wrong=1
fi

maps=$(awk '
  / write\(-1, "phase steady"/ { steady = 1; began = 1 }
  / write\(-1, "phase end"/ { steady = 0; ended = 1 }
  steady && $2 ~ /^(mmap|munmap|mremap|brk|mprotect)\(/ { print "  " $0; number++ }
  END { if (!began || !ended) print "  no marks in the trace"; print number + 0 }' "$trace")
echo "memory map: ${maps##*$'\n'} calls (mmap, munmap, mremap, brk, mprotect)"
if [ "$maps" != 0 ]; then
  head -n 20 <<< "$maps"
  wrong=1
fi

peak=$(awk '$1 == "peak_kib" { print $2 }' "$report")
locked=$(awk '$1 == "locked_kib" { print $2 }' "$report")
echo "memory: $peak KiB resident at most ($most_kib allowed), $locked KiB locked"
[ "$peak" -le $most_kib ] || wrong=1
# CAP_IPC_LOCK is the capability 14.
capabilities=$((16#$(awk '$1 == "CapEff:" { print $2 }' /proc/self/status)))
if [ "$(ulimit -l)" = unlimited ] || [ $((capabilities >> 14 & 1)) = 1 ]; then
  [ "$locked" -gt 0 ] || fail "the program may lock its memory and did not"
fi
[ $wrong = 0 ] || fail "from ev=started to the end of the clip the program must not touch the heap \
or the memory map, nor need more than $most_kib KiB"
