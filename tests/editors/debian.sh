#!/usr/bin/env bash
# The editors that Debian has: Neovim 0.7, Emacs with eglot, and Kakoune. Installed where this is root and they are missing;
# elsewhere their tests are skipped, and say so.
set -uo pipefail
missing=()
[ -x /usr/bin/nvim ] || missing+=(neovim)
command -v emacs >/dev/null || missing+=(emacs-nox)
compgen -G '/usr/share/emacs/site-lisp/elpa/eglot-*' >/dev/null || missing+=(elpa-eglot)
compgen -G '/usr/share/emacs/site-lisp/elpa/yaml-mode-*' >/dev/null || missing+=(elpa-yaml-mode)
command -v kak >/dev/null || missing+=(kakoune)
command -v tmux >/dev/null || missing+=(tmux)
[ ${#missing[@]} -eq 0 ] && exit 0
if [ "$(id -u)" != 0 ] || ! command -v apt-get >/dev/null; then
  echo "Not installed: ${missing[*]}. Their tests are skipped (sudo apt install ${missing[*]})"
  exit 0
fi
export DEBIAN_FRONTEND=noninteractive
for _ in 1 2; do
  apt-get update -qq && apt-get install -y -qq --no-install-recommends "${missing[@]}" >/dev/null && exit 0
done
echo "Debian did not give: ${missing[*]}. Their tests are skipped"
