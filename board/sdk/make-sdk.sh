#!/bin/bash
# make-sdk.sh SUITE: makes build/sdk/livelatch-SUITE.artifactbundle, a Swift SDK for Embedded Swift
# on 64-bit ARM Linux, for the Debian suite of the board (bookworm, trixie).
#
#   sysroot   headers and libraries out of Debian's arm64 packages, as packages.lock pins them
#   modules   the toolchain's own Embedded standard library, made for bare metal, under a Linux name
set -euo pipefail
export LC_ALL=C

here=$(cd "$(dirname "$0")" && pwd)
packages=$here/../packages/fetch.sh
build=$(cd "$here/../.." && pwd)/build/sdk
# The triple stands in a module as plain bytes, once. A Linux triple of the same length keeps the
# file valid; machine code is only made when the firmware is compiled, for the real target.
bare_triple=aarch64-none-none-elf
linux_triple=aarch64-arm-linux-gnu
modules=(Swift Synchronization _Builtin_float _Volatile)

say() { echo "make-sdk.sh: $*"; }
fail() { echo "make-sdk.sh: $*" >&2; exit 1; }

[ $# -eq 1 ] || fail "usage: make-sdk.sh SUITE"
suite=$1
pins=$("$packages" --pins "sdk-$suite")

toolchain=$("$here/../toolchain.sh" usr)
swift_version=$("$here/../toolchain.sh" version)
bundle=$build/livelatch-$suite.artifactbundle
mkdir -p "$build"
exec 9> "$build/lock"
flock 9

stamp=$({ echo "$swift_version $toolchain"; echo "$pins"; cat "$0"; } | sha256sum)
if [ -f "$bundle/stamp" ] && [ "$(cat "$bundle/stamp")" = "$stamp" ]; then
  exit 0
fi
files=$("$packages" "sdk-$suite")
mapfile -t debs <<< "$files"

# ── Sysroot ──────────────────────────────────────────────────────────────────────────────────────

work=$(mktemp -d "$build/work.XXXXXX")
trap 'rm -rf "$work"' EXIT
sdk=$work/livelatch-$suite
sysroot=$sdk/sysroot
mkdir -p "$sysroot" "$sdk/modules"
for deb in "${debs[@]}"; do dpkg-deb -x "$deb" "$sysroot"; done
rm -rf "$sysroot"/{etc,var,sbin,bin} "$sysroot"/usr/{bin,sbin,share} \
  "$sysroot"/usr/lib/aarch64-linux-gnu/gconv
# Where /usr is merged, the packages hold nothing below /lib, but the loader's path is there.
[ -e "$sysroot/lib" ] || ln -s usr/lib "$sysroot/lib"
find "$sysroot" -type l -lname '/*' | while read -r link; do
  target=$(realpath -ms --relative-to="$(dirname "$link")" "$sysroot$(readlink "$link")")
  ln -sfn "$target" "$link"
done

# ── Standard library ─────────────────────────────────────────────────────────────────────────────

[ ${#bare_triple} -eq ${#linux_triple} ] || fail "the two triples differ in length"
for module in "${modules[@]}"; do
  from=$toolchain/lib/swift/embedded/$module.swiftmodule/$bare_triple.swiftmodule
  into=$sdk/modules/$module.swiftmodule/aarch64-unknown-linux-gnu.swiftmodule
  [ -f "$from" ] || fail "this toolchain has no Embedded module $module for $bare_triple ($from)"
  count=$(grep -aoF "$bare_triple" "$from" | wc -l)
  [ "$count" = 1 ] || fail "$from holds the triple $bare_triple $count times, not once: Swift \
$swift_version writes its modules in another way than this script knows"
  mkdir -p "$(dirname "$into")"
  sed "s/$bare_triple/$linux_triple/" "$from" > "$into"
  [ "$(stat -c %s "$from")" = "$(stat -c %s "$into")" ] || fail "$into changed its length"
done

# ── Bundle ───────────────────────────────────────────────────────────────────────────────────────

cat > "$work/info.json" << JSON
{ "schemaVersion": "1.0",
  "artifacts": { "livelatch-$suite": { "type": "swiftSDK", "version": "1",
    "variants": [ { "path": "livelatch-$suite" } ] } } }
JSON
cat > "$sdk/swift-sdk.json" << JSON
{ "schemaVersion": "4.0",
  "targetTriples": { "aarch64-unknown-linux-gnu": {
    "sdkRootPath": "sysroot", "includeSearchPaths": [ "modules" ],
    "toolsetPaths": [ "toolset.json" ] } } }
JSON
cat > "$sdk/toolset.json" << JSON
{ "schemaVersion": "1.0",
  "swiftCompiler": { "extraCLIOptions": [ "-use-ld=lld" ] } }
JSON
echo "$stamp" > "$work/stamp"
chmod 755 "$work"
rm -rf "$bundle"
mv "$work" "$bundle"
trap - EXIT
say "made the SDK livelatch-$suite for Swift $swift_version ($(du -sh "$bundle" | cut -f 1))"
