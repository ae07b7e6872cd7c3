#!/usr/bin/env bash
# Editors that only a later Debian has: Helix, and Neovim 0.10, the oldest one for which the plugin is made. They are unpacked
# into .tools/debian-13 with the C library that they want; nothing is installed into the system, and no root is needed.
# Where they cannot be had this fails with the reason.
set -euo pipefail
cd "$(dirname "$0")/../.."
ROOT=$PWD/.tools/debian-13
KEYS=/usr/share/keyrings/debian-archive-keyring.gpg
PACKAGES='hx neovim'

gone() {
  echo "Debian 13 is not to be had here: $1"
  exit 1
}

[ "$(cat "$ROOT/.installed" 2>/dev/null)" = "$PACKAGES" ] && exit 0
command -v apt-get >/dev/null && command -v dpkg >/dev/null || gone 'no apt-get'
[ -f "$KEYS" ] || gone "no $KEYS"
[ "$(dpkg --print-architecture)" = amd64 ] || gone 'another kind of machine'

rm -rf "$ROOT"
mkdir -p "$ROOT"/{apt/lists/partial,apt/cache/archives/partial,apt/none,debs,bin}
touch "$ROOT/apt/status"
cat >"$ROOT/apt/conf" <<CONF
Dir::State "$ROOT/apt"; Dir::State::status "$ROOT/apt/status"; Dir::Cache "$ROOT/apt/cache";
Dir::Etc::sourcelist "$ROOT/apt/sources.list"; Dir::Etc::sourceparts "$ROOT/apt/none"; APT::Sandbox::User "";
CONF
echo "deb [signed-by=$KEYS] http://deb.debian.org/debian trixie main" >"$ROOT/apt/sources.list"
export APT_CONFIG=$ROOT/apt/conf
timeout 120 apt-get update -qq || gone 'its list of packages cannot be fetched'
# shellcheck disable=SC2086
wanted=$(apt-cache depends --recurse --no-recommends --no-suggests --no-conflicts --no-breaks --no-replaces --no-enhances \
  $PACKAGES | grep '^[a-z]' | sort -u) || gone 'its list of packages lacks them'
# shellcheck disable=SC2086
(cd "$ROOT/debs" && timeout 300 apt-get download -qq $wanted) || gone 'its packages cannot be fetched'
for package in "$ROOT"/debs/*.deb; do dpkg -x "$package" "$ROOT"; done
rm -rf "$ROOT/apt" "$ROOT/debs"

starter() { # NAME PROGRAM VARIABLE=FOLDER…, in the root: the program with its own C library
  {
    printf '#!/bin/sh\nroot=$(dirname "$(dirname "$(readlink -f "$0")")")\nlibraries=$root/usr/lib/x86_64-linux-gnu\n'
    for setting in "${@:3}"; do echo "export ${setting%%=*}=\$root/${setting#*=}"; done
    echo "exec \$libraries/ld-linux-x86-64.so.2 --library-path \$libraries \$root/$2 \"\$@\""
  } >"$ROOT/bin/$1"
  chmod +x "$ROOT/bin/$1"
}
starter hx usr/lib/hx/hx HELIX_RUNTIME=usr/lib/hx/runtime
starter nvim usr/bin/nvim VIMRUNTIME=usr/share/nvim/runtime VIM=usr/share/nvim
ln -s ../../../lib/nvim/parser "$ROOT/usr/share/nvim/runtime/parser" # looked for in /usr/lib otherwise
echo "$PACKAGES" >"$ROOT/.installed"
