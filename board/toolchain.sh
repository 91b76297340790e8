#!/bin/bash
# toolchain.sh [usr|version]: where the Swift toolchain on PATH keeps its files ("usr", default),
# or its version ("version"). `swift` may be a link or a version manager's proxy, so the compiler
# itself is asked. Fails with a message where there is no Swift of at least the version needed.
set -euo pipefail
needed=6.3

fail() { echo "toolchain.sh: $*" >&2; exit 1; }

command -v swift > /dev/null || fail "no 'swift' on PATH; Swift $needed or later is needed"
information=$(swift -print-target-info) || fail "'swift -print-target-info' failed"
version=$(sed -n 's/.*"compilerVersion": ".*Swift version \([0-9][0-9.]*\).*/\1/p' \
  <<< "$information" | head -n 1)
resources=$(sed -n 's/.*"runtimeResourcePath": "\([^"]*\)".*/\1/p' <<< "$information" | head -n 1)
[ -n "$version" ] && [ -d "$resources" ] || fail "cannot read what 'swift -print-target-info' says"
oldest=$(printf '%s\n' "$needed" "$version" | sort -V | head -n 1)
[ "$oldest" = "$needed" ] || fail "Swift $needed or later is needed, 'swift' on PATH is $version"

case ${1:-usr} in
  usr) (cd "$resources/../.." && pwd -P) ;;
  version) echo "$version" ;;
  *) fail "'$1' is not one of usr, version" ;;
esac
