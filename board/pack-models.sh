#!/bin/bash
# pack-models.sh MODELC: fetches and quantises the networks of Models/models.json and packs each
# with the program MODELC into Models/NAME.llm. Says of each whether its bytes are those that were
# there before, and ends with 1 when they are not.
set -euo pipefail

root=$(cd "$(dirname "$0")/.." && pwd)
modelc=$1
quantised=$root/build/models/tflite packed=$root/build/models/packed
mkdir -p "$quantised" "$packed"
"$root/Models/make.sh" "$quantised"

# NAME, FILE and the raw outputs of each network, one network a line.
list=$(python3 -c '
import json, sys
for model in json.load(open(sys.argv[1]))["models"]:
    print(model["name"], model["file"], *model["raw_outputs"])' "$root/Models/models.json")

new=0
while read -r name file raw_outputs; do
  options=()
  for output in $raw_outputs; do options+=(--raw-output "$output"); done
  "$modelc" "$quantised/$file" "$packed/$name.llm" --name "$name" --quiet "${options[@]}"
  if cmp -s "$packed/$name.llm" "$root/Models/$name.llm"; then
    state="the same bytes as before"
  else
    state="other bytes than before"
    [ -f "$root/Models/$name.llm" ] || state="new"
    cp "$packed/$name.llm" "$root/Models/$name.llm"
    new=$((new + 1))
  fi
  echo "Models/$name.llm: $(stat -c %s "$packed/$name.llm") bytes, $state"
done <<< "$list"
[ $new = 0 ] || { echo "pack-models.sh: $new models in Models/ were replaced" >&2; exit 1; }
