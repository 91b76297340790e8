#!/bin/bash
# collect-firmware.sh PROGRAM DIRECTORY: puts what a board needs into DIRECTORY: the stripped
# program, the packed models, the settings, and the licences.
set -euo pipefail

root=$(cd "$(dirname "$0")/.." && pwd)
program=$1 directory=$2
rm -rf "$directory"
mkdir -p "$directory/models"
"$("$root/board/toolchain.sh" usr)/bin/llvm-objcopy" --strip-all "$program" "$directory/livelatchd"
shopt -s nullglob
for model in "$root"/Models/*.llm; do cp "$model" "$directory/models/"; done
for file in Config/livelatch.toml LICENSE NOTICE; do
  [ ! -f "$root/$file" ] || cp "$root/$file" "$directory/"
done
echo "$directory: livelatchd $(stat -c %s "$directory/livelatchd") bytes," \
  "all $(du -sh "$directory" | cut -f 1)"
