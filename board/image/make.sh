#!/bin/bash
# make.sh [--unpacked] [DIRECTORY]: makes the card image for every board that has a manifest, into
# DIRECTORY (default: build/image): livelatch-VERSION-arm64.img, the same as .img.xz unless unpacked
# is enough, and .sha256 of both.
#
#   MBR        partition 1, FAT32: boot firmware, kernel, device trees, initramfs, settings, licences
#              partition 2, raw: what livelatchd keeps over a restart
#   initramfs  all that runs: init, busybox, livelatchd, its libraries and models, kernel modules
#
# Needs build/firmware/arm64-trixie (make firmware SUITE=trixie), no root and no loop devices. The
# same commit and packages give the same bytes. Downloaded packages are those of packages.lock, or
# none: a pin that is gone is an error.
set -euo pipefail
export LC_ALL=C TZ=UTC PATH=$PATH:/usr/sbin:/sbin MTOOLS_SKIP_CHECK=1

here=$(cd "$(dirname "$0")" && pwd)
top=$(cd "$here/../.." && pwd)
packages=$here/../packages/fetch.sh
firmware=$top/build/firmware/arm64-trixie
packs=yes
[ "${1:-}" != --unpacked ] || { packs=no; shift; }
into=${1:-$top/build/image}
# Sizes in MiB. An emulated card must be a power of two.
whole=128 fat_at=4 fat_size=120 state_at=124 state_size=1
most_packed=32

say() { echo "make.sh: $*"; }
fail() { echo "make.sh: $*" >&2; exit 1; }

[ -x "$firmware/livelatchd" ] || fail "no firmware here: make firmware SUITE=trixie"
version=$(sed -n 's/^public let programVersion.*"\(.*\)"$/\1/p' "$top/Sources/Platform/Version.swift")
[ -n "$version" ] || fail "Version.swift does not say which version this is"
SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH:-$(git -C "$top" log -1 --format=%ct)}
export SOURCE_DATE_EPOCH

mkdir -p "$into"
into=$(cd "$into" && pwd)
image=$into/livelatch-$version-arm64.img
exec 9> "$into/lock"
flock 9
work=$(mktemp -d "$into/work.XXXXXX")
trap 'rm -rf "$work"' EXIT
root=$work/packages card=$work/card tree=$work/initramfs
mkdir -p "$root" "$card/LICENSES" "$tree"/{bin,dev,lib,models,proc,run,sys}
# One time for all that is made, and no other rights than these: a umask changes no byte.
umask 022

# ── Packages ─────────────────────────────────────────────────────────────────────────────────────

# Each in a folder of its own, so that its licence goes along with what is taken out of it.
for set in image sdk-trixie; do
  files=$("$packages" --exact "$set")
  for deb in $files; do
    name=$(dpkg-deb -f "$deb" Package)
    case $name in *-dev) [ "$name" = libtomlplusplus-dev ] || continue ;; esac
    dpkg-deb -x "$deb" "$root/$name"
    dpkg-deb -f "$deb" Package Version Source Built-Using > "$root/$name.control"
  done
done
packaged() { # PATTERN: the one file of all packages
  local found=("$root"/*/$1)
  [ ${#found[@]} -eq 1 ] && [ -e "${found[0]}" ] || fail "not one but ${#found[@]} files $1"
  echo "${found[0]}"
}
use_package() { # FILE
  local name=${1#"$root/"}
  echo "${name%%/*}" >> "$work/used"
}

kernel=$(packaged 'usr/lib/modules/*/vmlinuz')
release=$(basename "$(dirname "$kernel")")
modules=$work/kernel/lib/modules/$release
mkdir -p "$modules"
for file in "$root"/linux-modules-*/usr/lib/modules/"$release"/kernel \
  "$root"/linux-base-*/usr/lib/modules/"$release"/modules.*; do
  ln -s "$file" "$modules/"
done
depmod -b "$work/kernel" "$release"

# ── Initramfs ────────────────────────────────────────────────────────────────────────────────────

install -m 755 "$here/init" "$tree/init"
busybox=$(packaged usr/bin/busybox)
use_package "$busybox"
install -m 755 "$busybox" "$tree/bin/busybox"
install -m 755 "$firmware/livelatchd" "$tree/bin/livelatchd"
install -m 644 "$firmware"/models/*.llm "$tree/models/"

# The libraries that the program asks for, and those that they ask for, and the loader.
needed() { readelf -d "$1" | sed -n 's/.*(NEEDED).*\[\(.*\)\]/\1/p'; }
wanted=$(needed "$tree/bin/livelatchd"; echo ld-linux-aarch64.so.1)
while [ -n "$wanted" ]; do
  more=
  for library in $wanted; do
    [ ! -e "$tree/lib/$library" ] || continue
    found=$(find "$root" -path "*/lib*/$library" | head -n 1)
    [ -n "$found" ] || fail "no package has the library $library"
    use_package "$found"
    install -m 755 "$(readlink -f "$found")" "$tree/lib/$library"
    more="$more $(needed "$found")"
  done
  wanted=${more// /}
  [ -z "$wanted" ] || wanted=$more
done

trees=$(dirname "$(packaged "usr/lib/modules/$release/dtb/broadcom/bcm2837-rpi-3-b.dtb")")
for file in "$kernel" "$trees" "$root"/linux-modules-*/usr; do use_package "$file"; done
python3 "$here/boards.py" "$work/kernel" "$trees" "$tree" "$card" > "$work/boards"

find "$tree" -exec touch -h -d "@$SOURCE_DATE_EPOCH" {} +
(cd "$tree" && find . | sort | cpio -o -H newc -R 0:0 --reproducible --quiet) |
  zstd -19 -T1 -q > "$card/initramfs8"

# ── Card ─────────────────────────────────────────────────────────────────────────────────────────

cp "$kernel" "$card/kernel8.img"
boot=$(dirname "$(packaged usr/lib/raspi-firmware/bootcode.bin)")
use_package "$boot"
cp "$boot"/{bootcode.bin,start.elf,fixup.dat,start4.elf,fixup4.dat} "$card/"
cp "$here"/{config.txt,cmdline.txt} "$card/"

# Settings and text for people: lines end as on Windows, whose older editors know no other.
settings=$work/livelatch.toml
awk -v boards="$work/boards" '
  { print }
  /leaves the door shut until it is put right/ {
    print "#"
    print "# The serial line speaks 115,200 baud; what it says is explained in README.txt. Lines and rates:"
    while ((getline board < boards) > 0) print board
  }' "$firmware/livelatch.toml" > "$settings"
sed -i 's|^file = "/var/lib/livelatch/lockout"$|file = "/dev/livelatch-state"|' "$settings"
grep -q '^file = "/dev/livelatch-state"$' "$settings" || fail "livelatch.toml has no lock-out's file"
grep -q '^# Raspberry Pi 5: ' "$settings" || fail "livelatch.toml has no place for the boards"
sed 's/$/\r/' "$settings" > "$card/livelatch.toml"
sed "s/@VERSION@/$version/; s/\$/\r/" "$here/README.txt" > "$card/README.txt"

# ── Licences ─────────────────────────────────────────────────────────────────────────────────────

cp "$top/LICENSE" "$card/LICENSES/livelatch.txt"
cp "$top/NOTICE" "$card/LICENSES/NOTICE.txt"
cp "$("$here/../toolchain.sh" usr)/share/swift/LICENSE.txt" "$card/LICENSES/swift.txt"
echo libtomlplusplus-dev >> "$work/used"
{
  echo "What this card holds, each with its licence in this folder. livelatch itself is livelatch.txt and"
  echo "NOTICE.txt; compiled into it are the Swift standard library (swift.txt) and toml++."
  echo
  echo "The sources of a Debian package: on a Debian with deb-src lines for trixie and trixie-backports,"
  echo "'apt-get source --download-only SOURCE=VERSION'; 'make image-sources' in livelatch's repository"
  echo "collects all of them. Debian keeps every version in its snapshot archive."
  echo
  echo "package | version | source and its version | more sources that are compiled into it"
  sort -u "$work/used" | while read -r name; do
    awk -F ': ' -v name="$name" '
      $1 == "Version" { version = $2 }
      $1 == "Source" { split($2, part, /[ ()]+/); source = part[1]; of = part[2] }
      $1 == "Built-Using" { gsub(/[()=]/, "", $2); gsub(/  +/, " ", $2); more = " | " $2 }
      END { print name " | " version " | " (source ? source : name) " " (of ? of : version) more }' \
      "$root/$name.control"
  done
} > "$card/LICENSES/PACKAGES.txt"
sort -u "$work/used" | while read -r name; do
  # The kernel's packages share one, the compiler's libraries too.
  case $name in
    linux-*) text=$(packaged 'usr/share/doc/linux-base-*/copyright') ;;
    libgcc-s1 | libstdc++6) text=$(packaged 'usr/share/doc/gcc-*-base/copyright') ;;
    *) text=$root/$name/usr/share/doc/$name/copyright ;;
  esac
  [ -s "$text" ] || fail "$name has no copyright file"
  cp "$text" "$card/LICENSES/$name.txt"
done
# The texts that those name by their place in a Debian system.
for text in GPL-2 GPL-3 LGPL-2.1 GFDL-1.2 GFDL-1.3 Apache-2.0 LGPL-2 LGPL-3 GPL-1; do
  [ -f "/usr/share/common-licenses/$text" ] || continue
  cp "/usr/share/common-licenses/$text" "$card/LICENSES/$text.txt"
done

# ── Image ────────────────────────────────────────────────────────────────────────────────────────

find "$card" -exec touch -d "@$SOURCE_DATE_EPOCH" {} +
chmod -R u=rwX,go=rX "$card"
truncate -s "${fat_size}M" "$work/fat"
mkfs.vfat --invariant -F 32 -s 2 -i 1175EA7C -n LIVELATCH "$work/fat" > "$work/mkfs.log"
(cd "$card" && mcopy -m -s -i "$work/fat" bootcode.bin $(ls | grep -v '^bootcode.bin$') ::)
truncate -s "${whole}M" "$work/image"
sfdisk -q "$work/image" << PARTITIONS
label: dos
label-id: 0x1175ea7c
start=${fat_at}MiB, size=${fat_size}MiB, type=c, bootable
start=${state_at}MiB, size=${state_size}MiB, type=da
PARTITIONS
dd if="$work/fat" of="$work/image" bs=1M seek=$fat_at conv=notrunc,sparse status=none
mv "$work/image" "$image"
made=("$(basename "$image")")
told="$whole MiB"
if [ $packs = yes ]; then
  # One thread: the number of threads must not change the bytes.
  xz -6 -T1 -c "$image" > "$work/image.xz"
  packed=$(stat -c %s "$work/image.xz")
  [ "$packed" -le $((most_packed << 20)) ] ||
    fail "the packed image has $packed bytes, more than $most_packed MiB"
  mv "$work/image.xz" "$image.xz"
  made+=("$(basename "$image.xz")")
  told="$told, as xz $packed bytes"
fi
(cd "$into" && sha256sum "${made[@]}" > "$(basename "$image").sha256")
say "$image: $told; initramfs $(($(stat -c %s "$card/initramfs8") >> 10)) KiB, on the card" \
  "$(du -sm "$card" | cut -f 1) MiB"
