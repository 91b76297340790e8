#!/bin/bash
# run-tests.sh NAME OPTION...: `swift test` on the release build with OPTIONs, its output also in
# build/check/NAME.log. A run of no test at all is a failure: a filter that fits nothing, say.
set -euo pipefail

build=$(cd "$(dirname "$0")/../.." && pwd)/build/check
name=$1
shift
mkdir -p "$build"
swift test -c release --disable-xctest "$@" 2>&1 | tee "$build/$name.log"
grep -q 'Test run with [1-9]' "$build/$name.log" || {
  echo "run-tests.sh: no test ran" >&2
  exit 1
}
