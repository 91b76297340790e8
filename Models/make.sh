#!/bin/bash
# make.sh OUTDIR: fetches the pinned packages and writes the int8 .tflite files into OUTDIR.
# The same bytes every time; models.json has their sha256. Everything it needs lies in build/models.
set -euo pipefail
out=$(realpath -m "${1:?usage: make.sh OUTDIR}")
cd "$(dirname "$0")"
python=$(../board/python.sh models/venv requirements.txt)
"$python" make_tflite.py "$out" "$(realpath -m ../build/models/sources)"
