#!/bin/bash
# bench.sh TOOL DAEMON [OPTION…]: measures livelatch (the program TOOL, and livelatchd for its memory)
# beside its peers, prints and writes build/bench.json. OPTIONs are bench.py's, such as --only WORD.
#
# The peers are pinned for Python 3.11 on x86_64, as Debian 12 has it; elsewhere ours is measured
# alone, and that is said. They live in build/bench/venv, the networks as they run them in
# build/bench/models.
set -euo pipefail

here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
tool=$1 daemon=$2
shift 2

requirements=$here/peer-requirements.txt
venv=$root/build/bench/venv
models=$root/build/bench/models
options=()
found=$(python3 -c 'import sys; print("%d.%d" % sys.version_info[:2])')
if [ "$found" = 3.11 ] && [ "$(uname -m)" = x86_64 ]; then
  if ! cmp -s "$requirements" "$venv/requirements.txt"; then
    rm -rf "$venv"
    mkdir -p "$root/build/bench"
    python3 -m venv "$venv"
    "$venv/bin/python" -m pip install --quiet --disable-pip-version-check --only-binary=:all: \
      --no-deps --require-hashes --requirement "$requirements"
    cp "$requirements" "$venv/requirements.txt"
  fi
  "$venv/bin/python" "$here/peer_models.py" "$root" "$models"
  options=(--peers "$venv/bin/python" --models "$models")
else
  echo "bench.sh: the peers need Python 3.11 on x86_64 (here: $found, $(uname -m)); ours alone"
fi
exec python3 "$here/bench.py" --tool "$tool" --daemon "$daemon" "${options[@]}" "$@"
