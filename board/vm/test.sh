#!/bin/bash
# test.sh [GROUP [TEST]...]: runs the tests in the virtual machine: all groups, two at a time, or
# one group, or some tests of it. A group is a file of tests/ and one boot; what a machine it needs
# stands in its line "# machine: OPTIONS", as run.sh has them. Needs the Embedded build for x86_64.
set -euo pipefail

here=$(cd "$(dirname "$0")" && pwd)
top=$(cd "$here/../.." && pwd)
clips=$top/build/vm/clips
demo=$top/board/demo/demo.mp4

fail() { echo "test.sh: $*" >&2; exit 1; }

[ -x "$top/.build-x86_64/release/livelatchd" ] || fail "no firmware here: make firmware-x86_64"
"$here/prepare.sh" > /dev/null

# ── Programs and clips ───────────────────────────────────────────────────────────────────────────

programs=$top/build/vm/programs
mkdir -p "$programs" "$clips"
[ "$programs/webcam" -nt "$here/webcam.c" ] ||
  "$("$here/../toolchain.sh" usr)/bin/clang" -O2 -Wall -Wextra -Werror -o "$programs/webcam" \
    "$here/webcam.c"

# The demo clip's first two actions. Raw frames, so that the machine, whose processor is emulated,
# need not decode; pictures a second as few as a door gets by with, where the camera allows it.
clip() { # NAME ARGUMENT_OF_FFMPEG...
  local made=$clips/$1
  shift
  [ "$made" -nt "$demo" ] && [ "$made" -nt "$0" ] ||
    { ffmpeg -nostdin -v error -y -i "$demo" -an -t 8 "$@" "$made.new" && mv "$made.new" "$made"; }
}
clip pal.yuyv -vf pad=720:576:40:48:gray -pix_fmt yuyv422 -f rawvideo
clip actions.yuyv -vf fps=12 -pix_fmt yuyv422 -f rawvideo
clip actions.mjpeg -vf fps=12 -pix_fmt yuvj420p -q:v 3 -f mjpeg
clip actions.y4m -vf fps=12 -pix_fmt yuv420p -f yuv4mpegpipe
# What the firmware makes of the file, for comparison.
"$top/.build-x86_64/release/livelatchd" run --config "$here/tests/actions.toml" --simulate \
  --models "$top/Models" --clip "$clips/actions.y4m" > "$clips/actions.log" ||
  fail "the firmware cannot replay its clip: $(tail -n 3 "$clips/actions.log")"

# ── Groups ───────────────────────────────────────────────────────────────────────────────────────

run_group() { # GROUP TEST...
  local script=$here/tests/$1.py options
  [ -f "$script" ] || fail "there is no group $1"
  options=$(sed -n 's/^# machine: //p' "$script")
  shift
  # The deadline is for a slow host: the machine's own clock does not depend on it.
  # shellcheck disable=SC2086
  "$here/run.sh" -t 1800 $options -- /usr/bin/python3 "$script" "$@"
}

cd "$top"
if [ $# -gt 0 ]; then
  run_group "$@"
  exit
fi

logs=$(mktemp -d "$top/build/vm/logs.XXXXXX")
trap 'rm -rf "$logs"' EXIT
finish() { # GROUP PROCESS: shows what the group said, and whether it passed
  local code=0
  wait "$2" || code=$?
  echo "── $1"
  cat "$logs/$1"
  [ $code = 0 ] || { failed+=("$1"); echo "group $1: exit code $code"; }
}
failed=() names=() processes=()
for script in "$here"/tests/*.py; do
  name=$(basename "$script" .py)
  [ "$name" != guest ] || continue
  run_group "$name" > "$logs/$name" 2>&1 &
  names+=("$name") processes+=($!)
  if [ ${#names[@]} -gt 1 ]; then
    finish "${names[0]}" "${processes[0]}"
    names=("${names[@]:1}") processes=("${processes[@]:1}")
  fi
done
for index in "${!names[@]}"; do finish "${names[index]}" "${processes[index]}"; done
[ ${#failed[@]} -eq 0 ] || fail "failed: ${failed[*]}"
