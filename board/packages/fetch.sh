#!/bin/bash
# fetch.sh SET: downloads the Debian packages of a set of packages.lock into build/packages and
# prints their files, one a line, in the lock's order. What was downloaded once is not asked for
# again. A version that is gone from the mirror is replaced by the suite's current one, with a
# warning that has the new pin.
#
# fetch.sh --exact SET: the same, but a version that is gone is an error.
# fetch.sh --pins SET: prints the set's pins and downloads nothing; for stamps of what is made.
# fetch.sh --sources SUITE SOURCE=VERSION...: downloads source packages of a suite and those that it
# is an addition to into the current folder.
#
# fetch.sh --update-pins [SET]...: writes the suites' current versions to packages.lock (default: of
# all sets).
#
# Nothing of the machine is changed: apt works in a root of its own with an empty package status,
# and needs no privileges.
set -euo pipefail
export LC_ALL=C

here=$(cd "$(dirname "$0")" && pwd)
build=$(cd "$here/../.." && pwd)/build/packages
lock=$here/packages.lock

say() { echo "fetch.sh: $*" >&2; }
fail() { say "$*"; exit 1; }

pins() { awk -v set="$1" '$1 == set { print $2, $3, $4, $5, $6 }' "$lock"; }
sets=$(sed '/^#/d; s/ .*//; /^$/d' "$lock" | uniq | paste -sd ' ')
check_set() { [[ " $sets " == *" $1 "* ]] || fail "'$1' is not one of the sets $sets"; }

# ── apt ──────────────────────────────────────────────────────────────────────────────────────────

# The machine's own mirror, whatever form its sources have: apt itself is asked.
mirror() {
  apt-get indextargets --format '$(COMPONENT) $(RELEASE) $(REPO_URI)' 'Created-By: Packages' |
    awk '$1 == "main" && $2 !~ /-/ { print $3; exit }'
}

# use_apt SUITE ARCHITECTURE: makes $apt the options of an apt of that suite, its lists read once a
# run. The machine's configuration is still read, for proxies and credentials.
declare -A is_ready
use_apt() {
  local root=$build/apt-$1-$2 uri keyring key suite
  [ $mode != sources ] || root=$root-sources
  apt=(-c "$root/apt.conf" -qq)
  [ -z "${is_ready[$1-$2]:-}" ] || return 0
  uri=${DEBIAN_MIRROR:-$(mirror)}
  [ -n "$uri" ] || fail "no Debian mirror in apt's sources; set DEBIAN_MIRROR"
  for key in /usr/share/keyrings/debian-archive-keyring.{pgp,gpg}; do
    [ ! -r "$key" ] || keyring=$key
  done
  [ -n "${keyring:-}" ] || fail "no keyring; install the package debian-archive-keyring"
  mkdir -p "$root"/{etc/preferences.d,lists/partial,cache/archives/partial}
  : > "$root/status"
  echo "deb [arch=$2 signed-by=$keyring] $uri $1 main non-free-firmware" > "$root/etc/sources.list"
  if [ $mode = sources ]; then
    for suite in "${1%-backports}" "$1"; do
      echo "deb-src [signed-by=$keyring] $uri $suite main non-free-firmware"
    done > "$root/etc/sources.list"
  fi
  cat > "$root/apt.conf" << CONFIGURATION
#clear APT::Update::Pre-Invoke;
#clear APT::Update::Post-Invoke;
#clear APT::Update::Post-Invoke-Success;
#clear APT::Architectures;
APT::Architecture "$2";
APT::Architectures { "$2"; };
APT::Sandbox::User "$(id -un)";
Acquire::Languages "none";
Acquire::Retries "3";
Dir::State "$root";
Dir::State::status "$root/status";
Dir::State::lists "$root/lists";
Dir::Cache "$root/cache";
Dir::Etc::sourcelist "$root/etc/sources.list";
Dir::Etc::sourceparts "/dev/null";
Dir::Etc::preferences "/dev/null";
Dir::Etc::preferencesparts "$root/etc/preferences.d";
CONFIGURATION
  say "reading the list of $1's $2 packages"
  apt-get "${apt[@]}" update || fail "apt-get update failed for $1"
  is_ready[$1-$2]=yes
}

# Downloads a package (NAME or NAME=VERSION) and prints the version and hash of what came.
download() {
  local directory file hash
  directory=$(mktemp -d "$build/fetch.XXXXXX")
  (cd "$directory" && apt-get "${apt[@]}" download "$1" > /dev/null) || {
    rm -rf "$directory"
    return 1
  }
  file=$(ls "$directory"/*.deb)
  hash=$(sha256sum "$file" | cut -d ' ' -f 1)
  echo "$(dpkg-deb -f "$file" Version) $hash"
  mv "$file" "$build/$hash.deb"
  rm -rf "$directory"
}

# The name that a package has in the suite today. A kernel's packages carry its release in their
# names; the suite's current release is what its linux-image-ARCHITECTURE depends on.
current_name() { # PACKAGE ARCHITECTURE
  local release
  if [[ $1 =~ ^(linux-(base|binary|modules))-[0-9] ]]; then
    release=$(apt-cache "${apt[@]}" depends --important "linux-image-$2" |
      sed -n 's/^ *Depends: linux-image-\([0-9]\)/\1/p' | head -n 1)
    [ -n "$release" ] || fail "linux-image-$2 does not say which kernel is current"
    echo "${BASH_REMATCH[1]}-$release"
  else
    echo "$1"
  fi
}

# Prints package, version and hash of the suite's current one.
download_current() { # SUITE ARCHITECTURE PACKAGE
  local name found
  name=$(current_name "$3" "$2")
  found=$(download "$name") || fail "$name is not in $1 ($2)"
  echo "$name $found"
}

# ── Work ─────────────────────────────────────────────────────────────────────────────────────────

update_pins() { # SET...
  local renewed line set suite architecture package found
  renewed=$(mktemp "$build/lock.XXXXXX")
  while IFS= read -r line; do
    read -r set suite architecture package _ <<< "$line"
    if [[ " $* " == *" $set "* ]]; then
      use_apt "$suite" "$architecture"
      found=$(download_current "$suite" "$architecture" "$package")
      line="$set $suite $architecture $found"
    fi
    echo "$line"
  done < "$lock" > "$renewed"
  cat "$renewed" > "$lock"
  rm "$renewed"
  say "packages.lock now pins what the suites have today"
}

fetch() { # SET
  local suite architecture package version hash found
  while read -r suite architecture package version hash; do
    if [ ! -f "$build/$hash.deb" ]; then
      use_apt "$suite" "$architecture"
      if found=$(download "$package=$version" 2> /dev/null); then
        [ "${found#* }" = "$hash" ] ||
          fail "$package $version has the hash ${found#* }, packages.lock says $hash"
      elif [ $mode = exact ]; then
        fail "$package $version is gone from the mirror; 'make update-pins' pins what $suite has now"
      else
        found=$(download_current "$suite" "$architecture" "$package")
        say "warning: $package $version is gone from the mirror; taken instead:"
        echo "$1 $suite $architecture $found" >&2
        say "'make update-pins' writes that to packages.lock"
        hash=${found##* }
      fi
    fi
    echo "$build/$hash.deb"
  done < <(pins "$1")
}

mode=fetch
case ${1:-} in --pins | --exact | --sources | --update-pins) mode=${1#--}; shift ;; esac
if [ $mode = sources ]; then
  [ $# -ge 2 ] || fail "usage: fetch.sh --sources SUITE SOURCE=VERSION..."
  mkdir -p "$build"
  use_apt "$1" arm64
  exec apt-get "${apt[@]}" source --download-only "${@:2}"
fi
for set in "$@"; do check_set "$set"; done
[ $mode = update-pins ] || [ $# -eq 1 ] || fail "usage: fetch.sh [--pins|--exact|--update-pins] SET"
mkdir -p "$build"
exec 9> "$build/lock"
flock 9
case $mode in
  pins) pins "$1" ;;
  fetch | exact) fetch "$1" ;;
  update-pins)
    [ $# -gt 0 ] || set -- $sets
    update_pins "$@"
    ;;
esac
