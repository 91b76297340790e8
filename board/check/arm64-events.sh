#!/bin/bash
# arm64-events.sh CLIP X86_64_DAEMON ARM64_DAEMON SYSROOT PROCESSOR...: the first 60 frames of CLIP give
# the same events, to the last digit, on each emulated arm64 PROCESSOR as on this machine. What tells
# of the machine and not of the clip (versions, memory, kernels) is left out.
set -euo pipefail

here=$(cd "$(dirname "$0")" && pwd)
build=$(cd "$here/../.." && pwd)/build/check
fail() { echo "arm64-events.sh: $*" >&2; exit 1; }

[ $# -ge 5 ] || fail "usage: arm64-events.sh CLIP X86_64_DAEMON ARM64_DAEMON SYSROOT PROCESSOR..."
clip=$1 native=$2 emulated=$3 sysroot=$4
shift 4
mkdir -p "$build"
work=$(mktemp -d "$build/events.XXXXXX")
trap 'rm -rf "$work"' EXIT
ffmpeg -nostdin -v error -y -i "$clip" -an -frames:v 60 -pix_fmt yuv420p -f yuv4mpegpipe \
  "$work/clip.y4m"

# events NAME COMMAND...: the events of the clip, into the file NAME.
events() {
  local name=$1
  shift
  "$@" run --simulate --seed 1 --config "$here/../demo/demo.toml" --clip "$work/clip.y4m" \
    < /dev/null > "$work/log" 2>&1 || { tail "$work/log" >&2; fail "$name ended with an error"; }
  grep '^<[0-9]>' "$work/log" | grep -Ev ' ev=(boot|camera|memory|started|heartbeat)( |$)' \
    > "$work/$name" || fail "$name has no events"
}

events x86_64 "$native"
# A clip of which nothing is seen would compare nothing.
for event in face.found greeting prompt; do
  grep -q " ev=$event " "$work/x86_64" || fail "60 frames of $clip have no $event"
done
for processor in "$@"; do
  events "$processor" qemu-aarch64 -cpu "$processor" -L "$sysroot" "$emulated"
  diff -u "$work/x86_64" "$work/$processor" >&2 ||
    fail "$processor has other events than x86_64 (- x86_64, + $processor)"
  echo "$processor: the $(wc -l < "$work/x86_64") events that x86_64 has"
done
