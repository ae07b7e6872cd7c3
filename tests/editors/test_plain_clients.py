"""Editors that have nothing of ours but a few lines of configuration: those that editors/README.md gives."""

import json
import os
import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

import neovim
import pytest
from neovim import PLUGIN, REPOSITORY, SERVER_FOLDER
from terminal import PATIENCE

pytestmark = pytest.mark.editor

SCRIPTS = Path(__file__).parent / "scripts"
INSTALL = "apt install"


def snippet(heading: str, language: str, into: Path) -> Path:
    """The first block in `language` below a heading of editors/README.md, as a file in the folder `into`."""
    page = (REPOSITORY / "editors" / "README.md").read_text(encoding="utf-8")
    below = page.split(f"## {heading}", 1)[1]
    block = re.search(rf"^```{language}\n(.*?)^```$", below, re.MULTILINE | re.DOTALL)
    assert block, f"{heading} has no block of {language}"
    file = into / f"snippet.{language}"
    file.write_text(block[1], encoding="utf-8")
    return file


def environment(home: Path, **more: object) -> dict[str, str]:
    home.mkdir()
    mine = dict.fromkeys(("HOME", "XDG_STATE_HOME", "XDG_DATA_HOME", "XDG_CONFIG_HOME", "XDG_CACHE_HOME"), str(home))
    path = os.pathsep.join([SERVER_FOLDER, os.environ.get("PATH", "")])
    return {**os.environ, **mine, "PATH": path, "LANG": "C.UTF-8", **{name: str(each) for name, each in more.items()}}


def told(argv: list[str], env: dict[str, str], folder: Path) -> dict[str, Any]:
    """The JSON that an editor printed last."""
    done = subprocess.run(
        argv,
        env=env,
        cwd=folder,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        encoding="utf-8",
        timeout=4 * PATIENCE,
        check=False,
    )
    lines = [line for line in (done.stdout + done.stderr).splitlines() if line.startswith("{")]
    assert lines, f"{done.stdout[-2000:]}\n{done.stderr[-4000:]}"
    return dict(json.loads(lines[-1]))


def old_neovim() -> str | None:
    """A Neovim before 0.10, for which the plugin is not made."""
    for folder in os.environ.get("PATH", "").split(os.pathsep):
        found = Path(folder) / "nvim"
        if found.is_file() and os.access(found, os.X_OK):
            said = subprocess.run([str(found), "--version"], capture_output=True, text=True, check=False).stdout
            if re.match(r"NVIM v0\.[7-9]\.", said):
                return str(found)
    return None


def described(into: Path) -> Path:
    """A configuration with the description of the server alone, as nvim-lspconfig would have it."""
    folder = into / "config" / "lsp"
    folder.mkdir(parents=True)
    shutil.copy(PLUGIN / "lsp" / "rubric.lua", folder)
    file = into / "described.lua"
    file.write_text(
        f"""
        vim.opt.runtimepath:append('{folder.parent}')
        vim.filetype.add({{ pattern = {{ ['.*%.eval%.ya?ml'] = 'yaml.eval' }} }})
        vim.lsp.enable('rubric')
        """,
        encoding="utf-8",
    )
    return file


@pytest.mark.parametrize("kind", ["0.7 to 0.9", "described"])
def test_neovim_without_the_plugin(workspace: Path, tmp_path: Path, kind: str) -> None:
    nvim = neovim.program() if kind == "described" else old_neovim()
    if nvim is None:
        pytest.skip(f"no Neovim is installed that is {kind} ({INSTALL} neovim)")
    env = environment(
        tmp_path / "home",
        SNIPPET=described(tmp_path) if kind == "described" else snippet(f"Neovim {kind}", "lua", tmp_path),
        BROKEN=workspace / "broken.eval.yaml",
        SUITE=workspace / "support.eval.yaml",
    )
    script = str(SCRIPTS / "plain_neovim.lua")
    found = told([nvim, "--headless", "--clean", "-n", "-c", f"luafile {script}"], env, workspace)
    assert found.get("error") is None, found["error"]
    assert {"overlapping-bands", "renamed-key"} <= set(found["problems"])
    assert "expected_output" in found["completion"]
    assert "Run `late-order`?" in found["asked"]
    assert {"case-failed", "criterion-failed"} <= set(found["results"])


def test_emacs_with_eglot(workspace: Path, tmp_path: Path) -> None:
    program = shutil.which("emacs")
    if program is None or not list(Path("/usr/share/emacs/site-lisp").glob("**/eglot.el")):
        pytest.skip(f"Emacs with eglot is not installed ({INSTALL} emacs-nox elpa-eglot elpa-yaml-mode)")
    files = [snippet("Emacs", "elisp", tmp_path), workspace / "broken.eval.yaml", workspace / "support.eval.yaml"]
    argv = [program, "-q", "--batch", "-l", str(SCRIPTS / "emacs.el"), *map(str, files)]
    found = told(argv, environment(tmp_path / "home"), workspace)
    assert found["mode"] == "eval-yaml-mode"
    assert any("two bands" in text for text in found["problems"])
    assert "expected_output" in found["completion"]
    assert any("Run `late-order`?" in question for question in found["asked"])
    assert any("does not contain" in text for text in found["results"])


def test_kakoune_takes_the_file(workspace: Path, tmp_path: Path) -> None:
    """Kakoune itself reads our file; its client is in no package registry, so what the client is asked for is written down."""
    program = shutil.which("kak")
    if program is None:
        pytest.skip(f"Kakoune is not installed ({INSTALL} kakoune)")
    told, log = tmp_path / "told", tmp_path / "log"
    script = tmp_path / "script.kak"
    script.write_text(
        f"""
        declare-option str lsp_language_id
        declare-option str lsp_servers
        define-command lsp-enable-window %{{ echo -to-file {told} "%opt{{lsp_language_id}} %opt{{lsp_servers}}" }}
        define-command lsp-disable-window nop
        define-command lsp-inlay-hints-enable -params 1 nop
        source {REPOSITORY / "editors" / "kakoune" / "rubric.kak"}
        edit support.eval.yaml
        buffer *debug*
        write -force {log}
        quit!
        """,
        encoding="utf-8",
    )
    env = environment(tmp_path / "home", TERM="xterm")
    argv = [program, "-ui", "dummy", "-e", f"source {script}"]
    subprocess.run(argv, env=env, cwd=workspace, stdin=subprocess.DEVNULL, timeout=PATIENCE, check=True)
    language, _, servers = told.read_text(encoding="utf-8").partition(" ")
    assert language == "eval-yaml"
    assert re.findall(r"^ *(\S.*)$", servers, re.MULTILINE) == [
        "[rubric-lsp]", 'root_globs = [".agentv", ".git"]', 'args = ["--stdio"]',
    ]  # fmt: skip
    wrong = [
        line for line in log.read_text(encoding="utf-8").splitlines() if "rror" in line and "windowing" not in line
    ]
    assert wrong == []
