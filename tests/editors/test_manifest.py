"""An editor's manifest, or its help, says what the server's settings say. `UPDATE=1` writes it down again."""

import json
import os
import re
import textwrap
from dataclasses import fields
from typing import Any

import pytest
from neovim import REPOSITORY

from rubric_core.analysis import Language, analyze
from rubric_core.text import Span
from rubric_lsp.commands import Commands
from rubric_lsp.documents.settings import SECTION, Settings
from rubric_lsp.features.run_actions import run_actions
from rubric_lsp.routes import make_server

MANIFEST = REPOSITORY / "editors" / "vscode" / "package.json"
HELP = REPOSITORY / "editors" / "neovim" / "doc" / "rubric.txt"
OWN = {f"{SECTION}.server.command", f"{SECTION}.server.python", f"{SECTION}.trace.server"}


def test_vscode_has_every_setting_of_the_server() -> None:
    manifest = json.loads(MANIFEST.read_text(encoding="utf-8"))
    properties = manifest["contributes"]["configuration"]["properties"]
    kept = {name: value for name, value in properties.items() if name in OWN}
    wanted = {**kept, **_of_the_server(len(kept))}
    if properties != wanted and os.environ.get("UPDATE"):
        manifest["contributes"]["configuration"]["properties"] = wanted
        MANIFEST.write_text(json.dumps(manifest, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")
        return
    assert properties == wanted


def test_commands_have_the_titles_of_code_actions() -> None:
    manifest = json.loads(MANIFEST.read_text(encoding="utf-8"))
    titles = {each["command"]: each["title"] for each in manifest["contributes"]["commands"]}
    text = (REPOSITORY / "examples" / "quickstart.eval.yaml").read_text(encoding="utf-8")
    language = Language()
    analysis = analyze(language.document(text), language)
    at = text.index("score_ranges")
    offered = {a.command: a.title.partition(" ‹")[0] for a in run_actions(analysis, Span(at, at), {}, asked=True)}
    assert set(offered) >= {"rubric.runCase", "rubric.runEvaluator", "rubric.repeat", "rubric.runFile"}
    assert {name: titles[name] for name in offered} == {**offered, "rubric.repeat": "Repeat"}
    assert set(Commands(make_server()).names) <= set(titles)


#: What results stand on: the background of the editor in each theme that comes with VS Code.
BACKGROUNDS = {
    "light": ["#FFFFFF", "#F5F5F5", "#FDF6E3"],
    "dark": ["#1F1F1F", "#1E1E1E", "#272822", "#002B36", "#000C18", "#221A0F", "#002451", "#390000"],
    "highContrast": ["#000000"],
    "highContrastLight": ["#FFFFFF"],
}
#: Of text and its background, by WCAG 2: what most people can read.
LEGIBLE = 4.5


@pytest.mark.parametrize("kind", BACKGROUNDS)
def test_results_can_be_read_in_every_theme_of_vscode(kind: str) -> None:
    colors = json.loads(MANIFEST.read_text(encoding="utf-8"))["contributes"]["colors"]
    assert {each["id"] for each in colors} == {
        f"rubric.{state}Foreground" for state in ("passed", "borderline", "failed", "unscored", "stale", "running")
    }
    pale = [
        (each["id"], background, round(ratio, 2))
        for each in colors
        for background in BACKGROUNDS[kind]
        if (ratio := contrast(each["defaults"][kind], background)) < LEGIBLE
    ]
    assert pale == []


def test_a_pale_colour_has_too_little_contrast() -> None:
    """The counter-example: that of all inlay hints in VS Code's light theme."""
    assert round(contrast("#969696", "#FFFFFF"), 1) == 3.0
    assert contrast("#000000", "#FFFFFF") == 21


def contrast(one: str, other: str) -> float:
    """The ratio of two colours, 1 to 21."""
    low, high = sorted((_luminance(one), _luminance(other)))
    return (high + 0.05) / (low + 0.05)


def _luminance(color: str) -> float:
    parts = [int(color[n : n + 2], 16) / 255 for n in (1, 3, 5)]
    red, green, blue = (p / 12.92 if p <= 0.04045 else ((p + 0.055) / 1.055) ** 2.4 for p in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def test_neovims_help_has_every_setting_of_the_server() -> None:
    page = HELP.read_text(encoding="utf-8")
    block = re.compile(r"(?<=        rubric = \{\n).*?(?=^        \},$)", re.MULTILINE | re.DOTALL)
    wanted = "".join(_in_lua(each) for each in fields(Settings) if not each.metadata.get("startup_only"))
    if os.environ.get("UPDATE"):
        HELP.write_text(block.sub(lambda _: wanted, page), encoding="utf-8")
        return
    assert block.findall(page) == [wanted]


def test_neovim_has_every_command_of_the_server() -> None:
    plugin = "".join(file.read_text(encoding="utf-8") for file in (HELP.parents[1] / "lua" / "rubric").glob("*.lua"))
    assert [name for name in Commands(make_server()).names if f"'{name}'" not in plugin] == []


def _in_lua(setting: Any) -> str:
    """A setting with its default, below what it means."""
    comment = textwrap.wrap(setting.metadata["doc"], 64, initial_indent="-- ", subsequent_indent="-- ")
    value = f"'{setting.default}'" if isinstance(setting.default, str) else str(setting.default).lower()
    return "".join(f"{' ' * 10}{line}\n" for line in [*comment, f"{setting.metadata['name']} = {value},"])


def _of_the_server(before: int) -> dict[str, dict[str, Any]]:
    """Everything but what is decided when the server starts: that is the editor's trust in the workspace."""
    settable = [each for each in fields(Settings) if not each.metadata.get("startup_only")]
    return {
        f"{SECTION}.{each.metadata['name']}": {**_type(each.default), **_place(each, before + number)}
        for number, each in enumerate(settable, 1)
    }


def _place(each: Any, order: int) -> dict[str, Any]:
    names = {"enum": ["", *_dialects()]} if each.metadata["name"] == "dialect" else {}
    return {**names, "scope": "window", "order": order, "description": each.metadata["doc"]}


def _type(default: object) -> dict[str, Any]:
    return {"type": "boolean" if isinstance(default, bool) else "string", "default": default}


def _dialects() -> list[str]:
    return [dialect.name for dialect in Language().dialects]


def test_the_extension_names_the_version_of_the_server() -> None:
    metadata = (REPOSITORY / "pyproject.toml").read_text(encoding="utf-8")
    version = json.loads(MANIFEST.read_text(encoding="utf-8"))["version"]
    assert f'\nversion = "{version}"\n' in metadata
