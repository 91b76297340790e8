#!/bin/bash
# train-heads.sh: teaches the smile and the eye head anew and measures them. Needs ../shared/data.
# Takes about half an hour on a free machine, most of it for looking at the pictures once; what was
# seen is kept in build/models/faces. The same machine gives the same weights to the bit; another
# one may sum in another order, so there the weights differ and the accuracy must not. models.json
# is pinned anew at the end; `make models` packs.
set -euo pipefail
cd "$(dirname "$0")"
work=$(realpath -m ../build/models)
python=$(../board/python.sh models/venv-heads requirements-heads.txt)
"$python" collect_faces.py "$work/sources" "$work/faces"
"$python" train_heads.py "$work/faces" heads
"$python" calibrate.py "$work/sources" "$work/faces"
"$python" make_tflite.py "$work" "$work/sources" --accept
"$python" measure.py "$work/sources" smile eyes blinks
