#!/bin/bash
# heap-gate.sh DIRECTORY: none of the objects that livelatchd was linked from in DIRECTORY, a release
# build, may ask the C library or the Swift runtime for heap memory. The compiler's -no-allocations
# proves it for Swift; this looks at what really was compiled, C shims included. The one shim that
# may is CToml, which reads the settings before the firmware starts to work.
set -euo pipefail

here=$(cd "$(dirname "$0")" && pwd)
list=$1/livelatchd.product/Objects.LinkFileList
forbidden='malloc|calloc|realloc|reallocarray|free|posix_memalign|aligned_alloc|memalign|valloc'
forbidden+='|pvalloc|strdup|strndup|asprintf|vasprintf|getline|getdelim|open_memstream'
forbidden+='|fopen|fdopen|printf|fprintf|puts|fputs|opendir|getaddrinfo|tmpfile'
forbidden+='|swift_(alloc|slowAlloc|deallocClassInstance|retain|release|bridge).*|_Zn[wa].*|_Zd[la].*'
[ -f "$list" ] || { echo "heap-gate.sh: there is no $list" >&2; exit 1; }

nm=$("$here/../toolchain.sh" usr)/bin/llvm-nm
objects=0
found=
while IFS= read -r object; do
  object=${object//[\'\"]/}
  [[ $object != */CToml.build/* ]] || continue
  objects=$((objects + 1))
  found+=$("$nm" --undefined-only --just-symbol-name "$object" | grep -xE "$forbidden" |
    sed "s|^|  $(basename "$(dirname "$object")" .build)/$(basename "$object"): |" || :)
done < "$list"
[ $objects -gt 10 ] || { echo "heap-gate.sh: $list names only $objects objects" >&2; exit 1; }
if [ -n "$found" ]; then
  printf 'heap-gate.sh: these ask for heap memory:\n%s\n' "$found" >&2
  exit 1
fi
echo "none of $objects objects asks for heap memory"
