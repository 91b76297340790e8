#!/bin/bash
# peers.sh: prints the Python of the virtual environment of the peers, build/bench/venv, after making
# it and the networks as peers run them, build/bench/models. The peers are pinned for Python 3.11 on
# x86_64, as Debian 12 has it; elsewhere it says so and prints nothing.
set -euo pipefail

here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
requirements=$here/peer-requirements.txt
venv=$root/build/bench/venv
found=$(python3 -c 'import sys; print("%d.%d" % sys.version_info[:2])')
if [ "$found" != 3.11 ] || [ "$(uname -m)" != x86_64 ]; then
  echo "peers.sh: the peers need Python 3.11 on x86_64 (here: $found, $(uname -m)); ours alone" >&2
  exit 0
fi
if ! cmp -s "$requirements" "$venv/requirements.txt"; then
  rm -rf "$venv"
  mkdir -p "$root/build/bench"
  python3 -m venv "$venv"
  "$venv/bin/python" -m pip install --quiet --disable-pip-version-check --only-binary=:all: \
    --no-deps --require-hashes --requirement "$requirements" >&2
  cp "$requirements" "$venv/requirements.txt"
fi
"$venv/bin/python" "$here/peer_models.py" "$root" "$root/build/bench/models" >&2
echo "$venv/bin/python"
