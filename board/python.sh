#!/bin/bash
# python.sh NAME REQUIREMENTS: prints the Python of the virtual environment build/NAME, which holds
# the packages that the file REQUIREMENTS pins; makes it anew when that file has changed. PYTHON
# names another interpreter to make it with.
set -euo pipefail

root=$(cd "$(dirname "$0")/.." && pwd)
environment=$root/build/$1 requirements=$2
python=$environment/bin/python
if ! cmp -s "$requirements" "$environment/requirements.txt"; then
  rm -rf "$environment"
  mkdir -p "$(dirname "$environment")"
  "${PYTHON:-python3}" -m venv "$environment"
  # pip checks the hashes of a file that has any, and then wants one for every package.
  "$python" -m pip install --quiet --disable-pip-version-check --only-binary=:all: \
    --requirement "$requirements" >&2
  cp "$requirements" "$environment/requirements.txt"
fi
echo "$python"
