#!/bin/bash
# sources.sh: collects the source packages of all Debian packages of which something is in the card
# image, as LICENSES/PACKAGES.txt on it lists them, into build/image/sources. They must be those of
# the pinned versions: a source that is gone from the mirror is an error.
set -euo pipefail
export LC_ALL=C

here=$(cd "$(dirname "$0")" && pwd)
top=$(cd "$here/../.." && pwd)
fail() { echo "sources.sh: $*" >&2; exit 1; }

image=$(ls "$top"/build/image/livelatch-*-arm64.img 2> /dev/null | tail -n 1)
[ -n "$image" ] || fail "no image here: make image"
into=$top/build/image/sources
mkdir -p "$into"
list=$(MTOOLS_SKIP_CHECK=1 mtype -i "$image@@4M" ::LICENSES/PACKAGES.txt | awk -F ' [|] ' '
  started {
    count = split($3 (NF > 3 ? ", " $4 : ""), sources, ", ")
    for (at = 1; at <= count; at++) {
      sub(/ /, "=", sources[at])
      print sources[at]
    }
  }
  /^package / { started = 1 }' | sort -u)
[ -n "$list" ] || fail "the image has no list of packages"
(cd "$into" && xargs "$here/../packages/fetch.sh" --sources trixie-backports <<< "$list")
echo "$into: $(ls "$into"/*.dsc | wc -l) source packages, $(du -sh "$into" | cut -f 1)"
