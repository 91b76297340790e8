#!/bin/bash
# make.sh OUTDIR: fetches the pinned packages and writes the int8 .tflite files into OUTDIR.
# The same bytes every time; models.json has their sha256. Everything it needs lies in build/models.
set -euo pipefail
cd "$(dirname "$0")"
out=$(realpath -m "${1:?usage: make.sh OUTDIR}")
work=$(realpath -m ../build/models)
python="$work/venv/bin/python"
if ! cmp -s requirements.txt "$work/venv/requirements.txt"; then
  rm -rf "$work/venv"
  "${PYTHON:-python3}" -m venv "$work/venv"
  "$python" -m pip install --quiet --disable-pip-version-check --only-binary=:all: \
    --require-hashes --requirement requirements.txt
  cp requirements.txt "$work/venv/"
fi
"$python" make_tflite.py "$out" "$work/sources" "${@:2}"
