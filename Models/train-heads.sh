#!/bin/bash
# train-heads.sh: teaches the smile and the eye head anew and measures them. Needs ../shared/data.
# Takes about half an hour on a free machine, most of it for looking at the pictures once; what was
# seen is kept in build/models/faces. The same machine gives the same weights to the bit; another
# one may sum in another order, so there the weights differ and the accuracy must not. models.json
# is pinned anew at the end; `make models` packs.
set -euo pipefail
cd "$(dirname "$0")"
work=$(realpath -m ../build/models)
python="$work/venv-heads/bin/python"
mkdir -p "$work"
if ! cmp -s requirements-heads.txt "$work/venv-heads/requirements-heads.txt"; then
  rm -rf "$work/venv-heads"
  "${PYTHON:-python3}" -m venv "$work/venv-heads"
  "$python" -m pip install --quiet --disable-pip-version-check --only-binary=:all: \
    --require-hashes --requirement requirements-heads.txt
  cp requirements-heads.txt "$work/venv-heads/"
fi
"$python" collect_faces.py "$work/sources" "$work/faces"
"$python" train_heads.py "$work/faces" heads
"$python" calibrate.py "$work/sources" "$work/faces"
"$python" make_tflite.py "$work" "$work/sources" --accept
"$python" measure.py "$work/sources" smile eyes blinks
