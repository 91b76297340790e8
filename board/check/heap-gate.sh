#!/bin/bash
# heap-gate.sh DIRECTORY: no function of the program livelatchd that was linked in DIRECTORY, a
# release build, may call for heap memory. The compiler's -no-allocations does not see everything
# (the coroutine of a computed property, for one, may keep its frame there); this looks at the code
# that is really in the program, C shims included. The shims that may are CToml and CGPIO: settings
# are read and lines are taken before the firmware starts to work, by libraries that allocate
# themselves.
set -euo pipefail

program=$1/livelatchd
tools=$("$(dirname "$0")/../toolchain.sh" usr)/bin
[ -f "$program" ] || { echo "heap-gate.sh: there is no $program" >&2; exit 1; }
heap='malloc|calloc|realloc|reallocarray|free|posix_memalign|aligned_alloc|memalign|valloc|pvalloc'
heap+='|strdup|strndup|asprintf|vasprintf|getline|getdelim|open_memstream|fopen|fdopen|printf|fprintf'
heap+='|puts|fputs|opendir|getaddrinfo|tmpfile|_Zn[wa].*|_Zd[la].*'
heap+='|swift_(alloc|dealloc|slowAlloc|slowDealloc|retain|release|initStack).*'

allowed=$("$tools/llvm-nm" --defined-only --just-symbol-name --quiet \
  "$1"/CToml.build/*.o "$1"/CGPIO.build/*.o)
# Calls and jumps (also conditional ones) to the heap's functions, each with the function it is in.
calls=$("$tools/llvm-objdump" --disassemble --no-show-raw-insn --no-leading-addr "$program" |
  awk -v heap="^($heap)(@plt)?$" '
    /^<.*>:$/ { inside = substr($1, 2, length($1) - 3); functions++; next }
    /<[^<>]*>$/ {
      target = $NF
      gsub(/[<>]/, "", target)
      if (target ~ heap && inside !~ /@plt$/) {
        sub(/@plt$/, "", target)
        print inside, target
      }
    }
    END { print "functions", functions + 0 }')
functions=${calls##*functions }
[ "$functions" -gt 5 ] || { echo "heap-gate.sh: only $functions functions in $program" >&2; exit 1; }
found=$(sort -u <<< "$calls" | awk '
  NR == FNR { allowed[$1] = 1; next }
  $1 != "functions" && !($1 in allowed)' <(echo "$allowed") -)
if [ -n "$found" ]; then
  echo "heap-gate.sh: these functions of $program call for heap memory:" >&2
  "$tools/swift-demangle" <<< "$found" | sed 's/^/  /' >&2
  exit 1
fi
echo "none of the program's $functions functions calls for heap memory, but for settings and lines"
