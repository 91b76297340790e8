#!/bin/bash
# make.sh [OUTPUT_FOLDER]: renders the synthetic demo clip anew (needs python3 with venv, and
# ffmpeg). The picture is the same every time; the encoder's bytes may differ between ffmpeg
# versions.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
output=${1:-$here}
python=$("$here/../python.sh" demo/venv "$here/requirements.txt")
mkdir -p "$output"
"$python" "$here/make_demo.py" "$output"
echo "rendered $output/demo.mp4"
