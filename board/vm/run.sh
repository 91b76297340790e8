#!/bin/bash
# run.sh [OPTION]... -- COMMAND ARGUMENT...: boots a virtual machine in seconds and runs COMMAND in
# it as root. The machine sees this one's files as its own root, read-only; what it writes stays in
# its memory. COMMAND's output comes out here, and its exit code is this script's.
#
#   -t SECONDS  gives up after that long (default 300): exit code 124
#   -m MIB      memory of the machine (default 768)
#   -i SHIFT    the machine's processor takes 2^SHIFT ns for an instruction (default 0)
#   -l          lets the machine boot again after a reset, COMMAND included
#   -j FOLDER   the folder that the machine sees, read-write, as /run/job
#   -q ARGUMENT one more argument for QEMU
#
# The guest's clock counts instructions, and host time only while the guest idles: its processor is
# as fast (in its own time) on a slow host as on a fast one, and what it measures does not depend on
# the host's load. Exit code 125: the machine ended without a result; its console is printed then.
set -euo pipefail

here=$(cd "$(dirname "$0")" && pwd)
top=$(cd "$here/../.." && pwd)
deadline=300 memory=768 shift=0 after_reset=shutdown job= more=()
while getopts t:m:i:lj:q: option; do
  case $option in
    t) deadline=$OPTARG ;;
    m) memory=$OPTARG ;;
    i) shift=$OPTARG ;;
    l) after_reset=reset ;;
    j) job=$OPTARG ;;
    q) more+=("$OPTARG") ;;
    *) exit 64 ;;
  esac
done
shift $((OPTIND - 1))
[ $# -gt 0 ] || { echo "usage: run.sh [OPTION]... -- COMMAND ARGUMENT..." >&2; exit 64; }

machine=$("$here/prepare.sh")
if [ -z "$job" ]; then
  job=$(mktemp -d "$top/build/vm/job.XXXXXX")
  trap 'rm -rf "$job"' EXIT
fi
{
  echo 'export PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LC_ALL=C.UTF-8'
  printf 'cd %q\n' "$PWD"
  printf '%q ' "$@"
  echo
} > "$job/command"
rm -f "$job/status" "$job/console"

share() { # TAG FOLDER [OPTION]
  qemu+=(-fsdev "local,id=$1,path=$2,security_model=none,multidevs=remap${3:-}"
    -device "virtio-9p-pci,fsdev=$1,mount_tag=$1")
}
qemu=(qemu-system-x86_64 -M pc -cpu max -m "$memory" -icount "shift=$shift" -rtc clock=vm
  -nodefaults -display none -action "reboot=$after_reset"
  -kernel "$machine/vmlinux" -initrd "$machine/initramfs"
  -append 'console=ttyS0 quiet loglevel=5 panic=-1 mitigations=off'
  -serial "file:$job/console"
  -device virtio-rng-pci
  -device virtio-serial-pci -add-fd fd=3,set=1 -chardev file,id=output,path=/dev/fdset/1,append=on
  -device virtserialport,chardev=output,name=job.output)
share host / ,readonly=on
share modules "$machine/modules" ,readonly=on
share job "$job"

code=0
timeout --foreground -k 5 "$deadline" "${qemu[@]}" "${more[@]}" < /dev/null 3>&1 || code=$?
[ ! -s "$job/status" ] || exit "$(cat "$job/status")"
if [ $code = 124 ] || [ $code = 137 ]; then
  echo "run.sh: gave up after $deadline s; the machine's console:" >&2
  code=124
else
  echo "run.sh: the machine ended without a result (QEMU: $code); its console:" >&2
  code=125
fi
tail -n 40 "$job/console" >&2 || :
exit $code
