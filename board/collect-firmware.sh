#!/bin/bash
# collect-firmware.sh PROGRAM DIRECTORY: puts what a board needs into DIRECTORY: the stripped
# program, the packed models, the settings with an example for each board, and the licences.
set -euo pipefail

root=$(cd "$(dirname "$0")/.." && pwd)
program=$1 directory=$2
rm -rf "$directory"
mkdir -p "$directory"/{models,examples}
"$("$root/board/toolchain.sh" usr)/bin/llvm-objcopy" --strip-all "$program" "$directory/livelatchd"
cp "$root"/Models/*.llm "$directory/models/"
cp "$root"/Config/raspberry-pi-*.toml "$directory/examples/"
cp "$root"/{Config/livelatch.toml,LICENSE,NOTICE} "$directory/"
echo "$directory: livelatchd $(stat -c %s "$directory/livelatchd") bytes," \
  "all $(du -sh "$directory" | cut -f 1)"
