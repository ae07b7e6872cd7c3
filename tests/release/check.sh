#!/usr/bin/env bash
# Everything about a release that can be tried before it: versions and addresses, the change log, wheel and sdist (metadata, content,
# installed alone for every Python that is supported), the extension's files, the rock, the help tags, and the workflow.
# What cannot be had here is said in the last lines; it is no fault of the release.
set -euo pipefail
cd "$(dirname "$0")/../.."
TOOLS=$PWD/.tools/release DIST=$PWD/dist
skipped=()

step() { printf '%s\n' "— $*"; }
fail() {
  printf 'release-check: %s\n' "$*" >&2
  exit 1
}

[ -x "$TOOLS/bin/uv" ] || { python3 -m venv "$TOOLS" && "$TOOLS/bin/pip" -q install build twine uv; }
version=$(sed -n 's/^version = "\(.*\)"$/\1/p' pyproject.toml)

step "version $version, addresses, change log"
.venv/bin/python tests/release/addresses.py || fail 'files disagree: python tests/release/addresses.py --write'
grep -q "^## \[$version\]" CHANGELOG.md || fail "CHANGELOG.md has no section [$version]"
grep -q "^## $version" editors/vscode/CHANGELOG.md || fail "the extension's CHANGELOG.md has no section $version"

step 'what the action installs'
lock() { # FILE: the pins in it are kept as far as pyproject.toml allows
  "$TOOLS/bin/uv" pip compile -q --universal --python-version 3.10 --generate-hashes --no-header --no-annotate -o "$1" pyproject.toml - <<<"$(sed -n 's/^requires = \["\(hatchling.*\)"\]$/\1/p' pyproject.toml)" >/dev/null
}
cp requirements.lock "$TOOLS/requirements.lock"
lock "$TOOLS/requirements.lock"
cmp -s requirements.lock "$TOOLS/requirements.lock" || fail "requirements.lock is stale: cp $TOOLS/requirements.lock ."

step 'wheel and sdist'
rm -rf "$DIST"
"$TOOLS/bin/python" -m build -q --outdir "$DIST" . >/dev/null
"$TOOLS/bin/twine" check --strict "$DIST"/*
wheel=$(ls "$DIST"/*.whl)
"$TOOLS/bin/python" - "$wheel" <<'PYTHON'
import sys, zipfile
names = zipfile.ZipFile(sys.argv[1]).namelist()
strange = [n for n in names if n.split("/")[0] not in ("rubric_core", "rubric_lsp") and ".dist-info/" not in n]
pages = [n for n in names if n.startswith("rubric_core/validation/rules/") and n.endswith(".md")]
assert not strange and pages and "rubric_core/py.typed" in names, (strange[:5], len(pages))
print(f"  {len(names)} files, {len(pages)} pages of rules")
PYTHON

interpreter() { # VERSION: one that is installed here, on the PATH or by pyenv
  local found
  for found in "python$1" "$(pyenv root 2>/dev/null)/versions/$1".*/bin/python; do
    "$found" -c '' 2>/dev/null && { command -v "$found"; return; }
  done
  return 1
}
alone() { # INTERPRETER FILE: what is installed from it into an environment of its own works
  rm -rf "$TOOLS/clean"
  "$1" -m venv "$TOOLS/clean"
  "$TOOLS/clean/bin/python" -m pip -q --disable-pip-version-check install "$2"
  "$TOOLS/clean/bin/rubric" check examples/quickstart.eval.yaml >"$TOOLS/clean/log" || { cat "$TOOLS/clean/log"; return 1; }
  "$TOOLS/clean/bin/rubric-lsp" --version
}
for python in 3.10 3.11 3.12 3.13 3.14; do
  if program=$(interpreter "$python"); then
    said=$(alone "$program" "$wheel") || fail "does not work with Python $python: $said"
    step "Python $python: $said"
  else
    "$TOOLS/bin/uv" pip install -q --target "$TOOLS/for-$python" --python-version "$python" --only-binary :all: "$wheel" ||
      fail "cannot be installed for Python $python"
    skipped+=("Python $python is not here: what it needs can be installed, and was not run")
  fi
done
said=$(alone python3 "$(echo "$DIST"/*.tar.gz)") || fail "the sdist does not work: $said"
step "from the sdist: $said"

step 'the extension'
if command -v npm >/dev/null; then
  make --no-print-directory vsix
  (cd editors/vscode && npx vsce ls --no-dependencies) >"$TOOLS/vsix.txt" 2>/dev/null
  strange=$(grep -vE '^(package\.json|README\.md|CHANGELOG\.md|LICENSE|language-configuration\.json|debug/grader\.(py|cjs)|dist/(README\.md|extension\.js|third-party-notices\.txt)|(syntaxes|walkthrough|images)/[^/]+|server/rubric_lsp-'"$version"'-py3-none-any\.whl)$' "$TOOLS/vsix.txt" || true)
  [ -z "$strange" ] || fail "the extension has files that do not belong there: $strange"
  grep -q "rubric_lsp-$version-" "$TOOLS/vsix.txt" || fail 'the extension carries no server of this version'
  grep -q "^dist/third-party-notices" "$TOOLS/vsix.txt" || fail "the extension does not pass on the licences of what it contains"
  echo "  $(wc -l <"$TOOLS/vsix.txt") files"
else
  skipped+=('npm is not here: the extension was not packaged')
fi

step 'the plugin for Neovim'
if command -v luarocks >/dev/null; then
  (cd editors/neovim && luarocks lint rubric.nvim-scm-1.rockspec &&
    luarocks make --tree "$TOOLS/rocks" --deps-mode none rubric.nvim-scm-1.rockspec >"$TOOLS/rock.log" 2>&1) ||
    { cat "$TOOLS/rock.log"; fail 'the rock does not build'; }
  [ -n "$(find "$TOOLS/rocks" -path '*rubric/init.lua')" ] || fail 'the rock lacks its modules'
else
  skipped+=('luarocks is not here (apt install luarocks): the rock was not built')
fi

step 'the workflow'
if command -v actionlint >/dev/null; then
  actionlint .github/workflows/*.yml
else
  skipped+=('actionlint is not here: the workflow was only held against its schema')
fi
.venv/bin/check-jsonschema --builtin-schema vendor.github-workflows .github/workflows/*.yml >/dev/null || fail 'a workflow is malformed'

[ ${#skipped[@]} -gt 0 ] && printf 'skipped: %s\n' "${skipped[@]}"
echo "Ready: $(cd "$DIST" && echo *), editors/vscode/rubric.vsix. Next: CONTRIBUTING.md, Release."
