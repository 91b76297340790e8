#!/bin/bash
# make-sdk.sh [--update-pins] SUITE: makes build/sdk/livelatch-SUITE.artifactbundle, a Swift SDK
# for Embedded Swift on 64-bit ARM Linux, for the Debian suite of the board (bookworm, trixie).
#
#   sysroot   headers and libraries out of Debian's arm64 packages, as packages.lock pins them
#   modules   the toolchain's own Embedded standard library, made for bare metal, under a Linux name
#
# Nothing of the machine is changed: apt works in a root of its own with an empty package status,
# and needs no privileges. With --update-pins it writes the suite's current versions to
# packages.lock first.
set -euo pipefail
export LC_ALL=C

here=$(cd "$(dirname "$0")" && pwd)
build=$(cd "$here/../.." && pwd)/build/sdk
lock=$here/packages.lock
# The triple stands in a module as plain bytes, once. A Linux triple of the same length keeps the
# file valid; machine code is only made when the firmware is compiled, for the real target.
bare_triple=aarch64-none-none-elf
linux_triple=aarch64-arm-linux-gnu
modules=(Swift Synchronization _Builtin_float _Volatile)

say() { echo "make-sdk.sh: $*"; }
fail() { echo "make-sdk.sh: $*" >&2; exit 1; }

update_pins=no
if [ "${1:-}" = --update-pins ]; then update_pins=yes; shift; fi
suite=${1:-}
suites=$(sed '/^#/d; s/ .*//; /^$/d' "$lock" | sort -u | paste -sd ' ')
[[ $# -eq 1 && " $suites " == *" $suite "* ]] ||
  fail "usage: make-sdk.sh [--update-pins] SUITE, with SUITE one of: $suites"

toolchain=$("$here/../toolchain.sh" usr)
swift_version=$("$here/../toolchain.sh" version)
bundle=$build/livelatch-$suite.artifactbundle
mkdir -p "$build/packages"
exec 9> "$build/lock"
flock 9

# ── Packages ─────────────────────────────────────────────────────────────────────────────────────

pins() { awk -v suite="$suite" '$1 == suite { print $2, $3, $4 }' "$lock"; }

# The machine's own mirror, whatever form its sources have: apt itself is asked.
mirror() {
  apt-get indextargets --format '$(COMPONENT) $(RELEASE) $(REPO_URI)' 'Created-By: Packages' |
    awk '$1 == "main" && $2 !~ /-/ { print $3; exit }'
}

# apt in a root of its own. The machine's configuration is still read, for proxies and credentials.
configure_apt() {
  local uri keyring key
  root=$build/apt-$suite
  uri=${DEBIAN_MIRROR:-$(mirror)}
  [ -n "$uri" ] || fail "no Debian mirror in apt's sources; set DEBIAN_MIRROR"
  for key in /usr/share/keyrings/debian-archive-keyring.{pgp,gpg}; do
    [ ! -r "$key" ] || keyring=$key
  done
  [ -n "${keyring:-}" ] || fail "no keyring; install the package debian-archive-keyring"
  mkdir -p "$root"/{etc/preferences.d,lists/partial,cache/archives/partial}
  : > "$root/status"
  echo "deb [arch=arm64 signed-by=$keyring] $uri $suite main" > "$root/etc/sources.list"
  cat > "$root/apt.conf" << CONFIGURATION
#clear APT::Update::Pre-Invoke;
#clear APT::Update::Post-Invoke;
#clear APT::Update::Post-Invoke-Success;
#clear APT::Architectures;
APT::Architecture "arm64";
APT::Architectures { "arm64"; };
APT::Sandbox::User "$(id -un)";
Acquire::Languages "none";
Dir::State "$root";
Dir::State::status "$root/status";
Dir::State::lists "$root/lists";
Dir::Cache "$root/cache";
Dir::Etc::sourcelist "$root/etc/sources.list";
Dir::Etc::sourceparts "/dev/null";
Dir::Etc::preferences "/dev/null";
Dir::Etc::preferencesparts "$root/etc/preferences.d";
CONFIGURATION
  say "reading the list of $suite's arm64 packages"
  apt-get -c "$root/apt.conf" -qq update || fail "apt-get update failed for $suite"
}

# Downloads a package (NAME or NAME=VERSION) and prints the version and hash of what came.
fetch() {
  local directory file hash
  directory=$(mktemp -d "$build/fetch.XXXXXX")
  (cd "$directory" && apt-get -c "$root/apt.conf" -qq download "$1" > /dev/null) || {
    rm -rf "$directory"
    return 1
  }
  file=$(ls "$directory"/*.deb)
  hash=$(sha256sum "$file" | cut -d ' ' -f 1)
  echo "$(dpkg-deb -f "$file" Version) $hash"
  mv "$file" "$build/packages/$hash.deb"
  rm -rf "$directory"
}

if [ $update_pins = yes ]; then
  configure_apt
  renewed=$(mktemp "$build/lock.XXXXXX")
  while IFS= read -r line; do
    read -r pin_suite package _ <<< "$line"
    if [ "$pin_suite" = "$suite" ]; then
      found=$(fetch "$package") || fail "$package is not in $suite"
      line="$suite $package $found"
    fi
    echo "$line"
  done < "$lock" > "$renewed"
  cat "$renewed" > "$lock"
  rm "$renewed"
  say "packages.lock now pins what $suite has today"
fi

stamp=$({ echo "$swift_version $toolchain"; pins; cat "$0"; } | sha256sum)
if [ -f "$bundle/stamp" ] && [ "$(cat "$bundle/stamp")" = "$stamp" ]; then
  exit 0
fi

debs=()
apt_ready=no
[ $update_pins = no ] || apt_ready=yes
while read -r package version hash; do
  if [ ! -f "$build/packages/$hash.deb" ]; then
    if [ $apt_ready = no ]; then
      configure_apt
      apt_ready=yes
      say "downloading $(pins | wc -l) packages"
    fi
    if found=$(fetch "$package=$version" 2> /dev/null); then
      [ "${found#* }" = "$hash" ] ||
        fail "$package $version has the hash ${found#* }, packages.lock says $hash"
    else
      found=$(fetch "$package") || fail "$package is not in $suite"
      echo "make-sdk.sh: warning: $package $version is gone from the mirror; taken instead:" >&2
      echo "$suite $package $found" >&2
      echo "make-sdk.sh: 'make update-pins' writes that to packages.lock" >&2
      hash=${found#* }
    fi
  fi
  debs+=("$build/packages/$hash.deb")
done < <(pins)

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
