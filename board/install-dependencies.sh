#!/bin/bash
# install-dependencies.sh [GROUP...]: installs the Debian packages that are missing.
#   build    headers and libraries that the programs are built with, ffmpeg for clips (default)
#   test     build, and what the checks use: a user-mode arm64 emulator, strace and Python
#   vm       an emulated PC and what the tests in it use
#   image    what the card image is made with, and an emulated board to start it on
#   bench-arm64  an arm64 emulator that counts instructions, and models of processors
#   models   Python, which makes the models again from their sources
# As root or where sudo needs no question it installs; elsewhere it says what is missing.
set -euo pipefail

build=(make g++ pkg-config libgpiod-dev libv4l-dev libtomlplusplus-dev libjpeg62-turbo-dev
  libspng-dev ffmpeg)
check=(qemu-user strace python3)
machine=(qemu-system-x86 seabios busybox-static cpio kmod xz-utils zstd python3 v4l-utils)
image=(qemu-system-arm ipxe-qemu mtools dosfstools fdisk device-tree-compiler cpio kmod xz-utils zstd
  binutils python3)
counting=(qemu-user llvm-19 ffmpeg python3 python3-pip)
models=(python3 python3-venv python3-pip)

wanted=()
for group in "${@:-build}"; do
  case $group in
    build) wanted+=("${build[@]}") ;;
    test) wanted+=("${build[@]}" "${check[@]}") ;;
    vm) wanted+=("${machine[@]}") ;;
    bench-arm64) wanted+=("${counting[@]}") ;;
    image) wanted+=("${image[@]}") ;;
    models) wanted+=("${models[@]}") ;;
    *) echo "install-dependencies.sh: '$group' is not one of build, test, vm, image, bench-arm64, models" >&2; exit 64 ;;
  esac
done

fail() { echo "install-dependencies.sh: $*" >&2; exit 1; }

installed() { [ "$(dpkg-query -W -f '${db:Status-Abbrev}' "$1" 2> /dev/null)" = "ii " ]; }
still_missing() {
  missing=()
  for package in "${wanted[@]}"; do
    installed "$package" || missing+=("$package")
  done
}

"$(dirname "$0")/toolchain.sh" version > /dev/null
command -v dpkg-query > /dev/null || fail "this is no Debian; packages needed: ${wanted[*]}"
still_missing
[ ${#missing[@]} -gt 0 ] || exit 0

if [ "$(id -u)" = 0 ]; then
  as_root=(env)
elif command -v sudo > /dev/null && { [ -t 0 ] || sudo -n true 2> /dev/null; }; then
  as_root=(sudo env)
else
  fail "these packages are missing, and only root can install them:
  apt-get install --no-install-recommends ${missing[*]}"
fi

echo "Installing ${missing[*]}"
options=(-qq -o DPkg::Lock::Timeout=300)
"${as_root[@]}" apt-get "${options[@]}" update ||
  echo "install-dependencies.sh: apt-get update failed, trying the lists that are here" >&2
"${as_root[@]}" DEBIAN_FRONTEND=noninteractive \
  apt-get "${options[@]}" install -y --no-install-recommends "${missing[@]}" < /dev/null > /dev/null
still_missing
[ ${#missing[@]} -eq 0 ] || fail "apt-get installed all but: ${missing[*]}"
