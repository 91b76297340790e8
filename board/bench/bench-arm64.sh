#!/bin/bash
# bench-arm64.sh INVOKE DAEMON SYSROOT: counts the instructions of the arm64 programs INVOKE
# (board/bench/invoke) and DAEMON (livelatchd) and of LiteRT's arm64 wheel for the same networks, all
# under the same user-mode emulator; prints and writes build/bench-arm64.json.
#
# The peer is a Python of Debian's arm64 packages (the set "peer" of packages.lock) with the wheels of
# peer-requirements-arm64.txt, unpacked below build/bench/arm64. The networks as it runs them are
# made by peers.sh; where that does not work, ours is counted alone.
set -euo pipefail

here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
build=$root/build/bench/arm64
toolchain=$("$here/../toolchain.sh" usr)
fail() { echo "bench-arm64.sh: $*" >&2; exit 1; }
[ $# -eq 3 ] || fail "usage: bench-arm64.sh INVOKE DAEMON SYSROOT"
mkdir -p "$build"

# The declarations in instructions.c are those of this emulator.
version=$(qemu-aarch64 --version | sed -n 's/.*version \([0-9]*\)\..*/\1/p')
[ "$version" -le 8 ] || fail "instructions.c is for qemu 7 and 8, as Debian 12 has it; here is $version"
"$toolchain/bin/clang" -O2 -Wall -Werror -shared -fPIC -o "$build/instructions.so" \
  "$here/instructions.c"

options=()
if [ -n "$("$here/peers.sh")" ]; then
  files=$("$here/../packages/fetch.sh" peer)
  stamp=$({ echo "$files"; cat "$here/peer-requirements-arm64.txt" "$0"; } | sha256sum)
  if [ "$(cat "$build/stamp" 2> /dev/null || :)" != "$stamp" ]; then
    rm -rf "$build"/{root,site,wheels,stamp}
    mkdir -p "$build"/{root/proc,site,wheels}
    while read -r file; do dpkg-deb -x "$file" "$build/root"; done <<< "$files"
    platforms=()
    for glibc in 28 27 17; do platforms+=(--platform "manylinux_2_${glibc}_aarch64"); done
    python3 -m pip download --quiet --disable-pip-version-check --no-deps --require-hashes \
      --only-binary=:all: --python-version 3.11 --implementation cp "${platforms[@]}" \
      --requirement "$here/peer-requirements-arm64.txt" --dest "$build/wheels" >&2
    for wheel in "$build"/wheels/*.whl; do python3 -m zipfile -e "$wheel" "$build/site"; done
    echo "$stamp" > "$build/stamp"
  fi
  options=(--peer "$build" --models "$root/build/bench/models")
fi
exec python3 "$here/bench_arm64.py" --toolchain "$toolchain" --plugin "$build/instructions.so" \
  --invoke "$1" --daemon "$2" --sysroot "$3" "${options[@]}"
