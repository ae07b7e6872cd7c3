"""VS Code itself with the packaged extension: its API from inside, and its screen from outside.

Not part of `make test`, for its size: see tests/editors/run.sh.
"""

import json
import os
import posixpath
import re
import subprocess
import zipfile
from pathlib import Path

import pytest
from neovim import REPOSITORY, SERVER_FOLDER, WORKSPACE

pytestmark = pytest.mark.editor

HERE = Path(__file__).parent / "vscode"
HOST_TESTS = re.findall(r"^  async '(.+)'\(\) \{$", (HERE / "host_tests.js").read_text(encoding="utf-8"), re.MULTILINE)
SCENARIOS = [
    name
    for file in ("tour.mjs", "trouble.mjs")
    for name in re.findall(r"^  '?([a-z-]+)'?: \{ options:", (HERE / file).read_text(encoding="utf-8"), re.MULTILINE)
]
SKIPPED = 77
TOOLS = REPOSITORY / ".tools"


def node(script: str, *arguments: object, version: str = "") -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        ["node", str(HERE / script), *map(str, arguments)],
        env={**os.environ, "RUBRIC_SERVER_FOLDER": SERVER_FOLDER, "RUBRIC_VSCODE_VERSION": version},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        encoding="utf-8",
        timeout=900,
        check=False,
    )


def folder(version: str) -> Path:
    """Where a VS Code is installed, "" being the newest. Skips the test when it could not be had."""
    found = TOOLS / (f"vscode-{version}" if version else "vscode")
    if not (found / "installed").exists():
        pytest.skip(f"VS Code {version} is not installed (tests/editors/vscode/install-{version}.sh)")
    return found


@pytest.mark.parametrize("version", ["", "1.93"], ids=["current", "oldest"])
def test_inside(version: str) -> None:
    """What the extension host says about each test that runs in it: all of one VS Code at once, for its start takes longest."""
    folder(version)
    done = node("host.mjs", WORKSPACE, version=version)
    ran = {
        each["test"]: each["error"]
        for line in done.stdout.splitlines()
        if line.startswith("{")
        for each in [json.loads(line)]
    }
    assert list(ran) == HOST_TESTS, done.stderr[-4000:]
    assert {name: error for name, error in ran.items() if error} == {}


@pytest.mark.parametrize("scenario", SCENARIOS)
def test_on_the_screen(artifacts: Path, scenario: str) -> None:
    done = node("screen.mjs", scenario, WORKSPACE, artifacts)
    if done.returncode == SKIPPED:
        pytest.skip(done.stdout.strip())
    assert done.returncode == 0, f"{done.stderr[:1500]}\n[…]\n{done.stderr[-3000:]}"


@pytest.mark.parametrize("version", ["", "1.93"], ids=["current", "oldest"])
def test_colours(version: str) -> None:
    """Block scalars are Markdown, templates stand out in them, and so does the id of a case."""
    grammars = folder(version) / "node_modules" / "code-server" / "lib" / "vscode"
    done = node("grammar.mjs", grammars, WORKSPACE / "markdown.eval.yaml")
    scopes = {text.strip(): scopes for _, text, scopes in json.loads(done.stdout)}
    for text, scope in {
        "Policy": "string.unquoted.block.yaml markup.heading.markdown",
        "customer": "meta.template.expression.rubric variable.other.readwrite.rubric",
        "SHOP": "meta.template.environment.rubric variable.other.constant.environment.rubric",
        "reason": "support.type.property-name.json",
        "Returns within": "string.unquoted.block.yaml",
        "greets": "entity.name.function.case.rubric",
        "agentv-3": "constant.other.dialect.rubric",
    }.items():
        assert scopes[text].endswith(scope), text


@pytest.mark.parametrize("part", ["explorer", "debug"])
def test_events_in_every_order(part: str) -> None:
    """Whatever the server, VS Code and a person do first: the extension's modules with a VS Code that is made up."""
    folder("")
    done = subprocess.run(
        ["node", "--test", str(HERE / f"{part}_events.test.mjs")],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        encoding="utf-8",
        timeout=300,
        check=False,
    )
    assert done.returncode == 0, done.stdout[-4000:] + done.stderr[-1000:]


def test_no_link_of_a_packaged_page_leads_out_of_the_package() -> None:
    with zipfile.ZipFile(REPOSITORY / "editors/vscode/rubric.vsix") as package:
        names = {name.lower() for name in package.namelist()}
        pages = {name: package.read(name).decode() for name in package.namelist() if name.endswith(".md")}
    assert "extension/readme.md" in pages
    for name, text in pages.items():
        links = {link for link in re.findall(r"\]\(([^)\s]+)", text) if not re.match(r"\w+:|#", link)}
        assert {link for link in links if posixpath.normpath(f"extension/{link}").lower() not in names} == set(), name
    # On the page of an extension VS Code loads pictures from the web alone, not even those that are part of the text.
    assert re.findall(r"!\[[^]]*\]\((?!https:)", pages["extension/readme.md"]) == []
