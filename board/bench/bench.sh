#!/bin/bash
# bench.sh TOOL DAEMON [OPTION…]: measures livelatch (the program TOOL, and livelatchd for its memory)
# beside its peers, prints and writes build/bench.json. OPTIONs are bench.py's, such as --only WORD.
# Without the peers (see peers.sh) ours is measured alone.
set -euo pipefail

here=$(cd "$(dirname "$0")" && pwd)
tool=$1 daemon=$2
shift 2

options=()
peers=$("$here/peers.sh")
[ -z "$peers" ] || options=(--peers "$peers" --models "$here/../../build/bench/models")
exec python3 "$here/bench.py" --tool "$tool" --daemon "$daemon" "${options[@]}" "$@"
