#!/bin/bash
# prepare.sh: makes what the virtual machine boots, out of the packages of the set vm, and prints
# its folder, build/vm/machine. Made again when packages or scripts change.
#
#   vmlinux     the kernel as an ELF file, which QEMU starts directly (by its PVH entry): a second
#               sooner than the compressed one that unpacks itself
#   modules/    all its modules, by release
#   initramfs   busybox, init and the modules that init needs
set -euo pipefail
export LC_ALL=C PATH=$PATH:/usr/sbin:/sbin

here=$(cd "$(dirname "$0")" && pwd)
packages=$here/../packages/fetch.sh
build=$(cd "$here/../.." && pwd)/build/vm
machine=$build/machine
# What init cannot do without; what the kernel has built in is left out below.
modules=(virtio_pci virtio_console virtio_rng 9pnet_virtio 9p overlay)

fail() { echo "prepare.sh: $*" >&2; exit 1; }

mkdir -p "$build"
exec 9> "$build/lock"
flock 9
pins=$("$packages" --pins vm)
stamp=$({ echo "$pins"; cat "$0" "$here/init" /bin/busybox; } | sha256sum)
if [ -f "$machine/stamp" ] && [ "$(cat "$machine/stamp")" = "$stamp" ]; then
  echo "$machine"
  exit 0
fi
files=$("$packages" vm)
mapfile -t debs <<< "$files"

work=$(mktemp -d "$build/work.XXXXXX")
trap 'rm -rf "$work"' EXIT
for deb in "${debs[@]}"; do dpkg-deb -x "$deb" "$work/packages"; done
mv "$work/packages/usr/lib/modules" "$work/modules"
release=$(ls "$work/modules")
[ "$(wc -w <<< "$release")" = 1 ] || fail "the packages are of several kernels: $release"

# ── Kernel ───────────────────────────────────────────────────────────────────────────────────────

# The boot protocol's header (Documentation/arch/x86/boot.rst) says where the payload lies.
kernel=$work/modules/$release/vmlinuz
field() { od -An -t "u$2" -j "$1" -N "$2" "$kernel" | tr -d ' '; }
offset=$((($(field $((0x1f1)) 1) + 1) * 512 + $(field $((0x248)) 4)))
length=$(field $((0x24c)) 4)
dd if="$kernel" of="$work/payload" bs=64K iflag=skip_bytes,count_bytes skip="$offset" \
  count="$length" status=none
# gzip, xz and lz4 too: Debian has changed its mind before. The last 4 bytes are the size unpacked,
# which the unpackers need not like.
case $(od -An -t x1 -N 4 "$work/payload" | tr -d ' ') in
  28b52ffd) unpack=(zstd -dc) ;;
  fd377a58) unpack=(xz -dc --single-stream) ;;
  1f8b*) unpack=(gzip -dc) ;;
  *) fail "the kernel of $release is compressed in a way that is not known here" ;;
esac
"${unpack[@]}" < "$work/payload" > "$work/vmlinux" 2> "$work/unpack.log" || :
[ "$(stat -c %s "$work/vmlinux")" = "$(tail -c 4 "$work/payload" | od -An -t u4 | tr -d ' ')" ] ||
  fail "the kernel of $release does not unpack: $(cat "$work/unpack.log")"
rm "$work/modules/$release/vmlinuz"

# ── Modules and initramfs ────────────────────────────────────────────────────────────────────────

mkdir -p "$work/packages/lib"
ln -s ../../modules "$work/packages/lib/modules"
depmod -b "$work/packages" "$release"
tree=$work/tree
mkdir -p "$tree"/{bin,dev,proc,sys,modules}
cp /bin/busybox "$tree/bin/"
install -m 755 "$here/init" "$tree/init"
for module in "${modules[@]}"; do
  modprobe -d "$work/packages" -S "$release" --show-depends "$module" > "$work/depends" ||
    fail "the kernel of $release has no $module"
  # Others than these lines are "builtin NAME".
  sed -n 's/^insmod \([^ ]*\).*/\1/p' "$work/depends"
done | awk '!seen[$0]++' > "$work/needed"
while read -r file; do
  name=$(basename "$file")
  name=${name%%.ko*}.ko
  case $file in
    *.xz) xz -dc "$file" ;;
    *.zst) zstd -dcq "$file" ;;
    *) cat "$file" ;;
  esac > "$tree/modules/$name"
  echo "/modules/$name"
done < "$work/needed" > "$tree/modules.order"
(cd "$tree" && find . | cpio -o -H newc -R 0:0 --quiet) | gzip -1 > "$work/initramfs"

rm -rf "$tree" "$work/packages" "$work"/{payload,unpack.log,depends,needed}
echo "$stamp" > "$work/stamp"
chmod 755 "$work"
rm -rf "$machine"
mv "$work" "$machine"
trap - EXIT
echo "$machine"
