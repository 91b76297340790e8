#!/usr/bin/env bash
# make.sh [OUTPUT_FOLDER]: renders the synthetic demo clip anew (needs python3 with venv, and
# ffmpeg). The picture is the same every time; the encoder's bytes may differ between ffmpeg
# versions.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
output=${1:-$here}
venv=$root/build/venv-demo
[ -x "$venv/bin/python" ] || python3 -m venv "$venv"
"$venv/bin/pip" install --quiet --disable-pip-version-check -r "$here/requirements.txt"
mkdir -p "$output"
"$venv/bin/python" "$here/make_demo.py" "$output"
echo "rendered $output/demo.mp4"
