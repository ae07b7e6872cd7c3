"""Names that are no UTF-8, have escapes, line breaks or options in them: nothing is skipped, no format breaks, nothing acts."""

import json
import os
from pathlib import Path
from typing import Any

from .processes import Ended, rubric, sound
from .tally import Setting, Tally

__all__ = ["run"]

_NAMES = (
    b"a b", b"quote'\"", b"new\nline", b"tab\t", b"esc\x1b[31mred\x1b[2J", b"bad\xff\xfe", "é".encode(), "e\u0301".encode(), "\u202eright".encode(), "😀".encode(),
    b"per%20cent%", b"hash#q?", b"star*[a]", b"-dash", b"--fix", b"{b}", b"back\\slash", b"\xed\xa0\x80", b"x" * 200, b"::case", b"a::b",
    b"::error file=x,line=1::injected", b"case", b"CASE", b"Case",
)  # fmt: skip
_BROKEN = b"tests:\n  - id: c\n    input: hi\n    criteria: x\n    wieght: 2\n"
_PASSING = b"tests:\n  - {id: c, input: hi, criteria: x, assertions: [{type: contains, value: hello}]}\n"
_PLAIN = {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}
_IN_NO_URI = ' "\n\t\x1b#\\^[]{}<>`|'


def run(setting: Setting, tally: Tally) -> None:
    """Check, fix and run suites with such names."""
    folder = setting.folder / "checked"
    made = _made(folder, _BROKEN)
    for environment in ({}, _PLAIN):
        for form in ("text", "json", "sarif", "github", "agent")[:: setting.of(2, 1)]:
            ended = rubric(folder, "check", "--format", form, ".", environment=environment)
            if form in ("text", "github", "agent"):  # the others are read by programs
                sound(tally, f"names, {form}", ended)
            tally.expect(ended.code in (0, 1), f"names, {form}: exit {ended.code}: {ended.err[-300:]}")
            _complete(tally, form, ended, made)
    for name in made[:: setting.of(11, 1)]:
        ended = rubric(folder, "check", b"./" + name)
        sound(tally, f"{name!r}", ended)
        tally.expect("unknown key" in ended.said or "wieght" in ended.said, f"check {name!r}: {ended.said[-300:]}")
    sound(tally, "names, fixed", rubric(folder, "check", "--fix", "."))
    _ran(setting, tally)


def _made(folder: Path, content: bytes) -> list[bytes]:
    (folder / ".git").mkdir(parents=True)
    for name in _NAMES:
        (folder / os.fsdecode(name + b".eval.yaml")).write_bytes(content)
    return [name + b".eval.yaml" for name in _NAMES]


def _complete(tally: Tally, form: str, ended: Ended, made: list[bytes]) -> None:
    """Every file is told, and no name is more than a name."""
    tally.expect("\x1b" not in ended.out, f"names, {form}: an escape is printed")
    if form == "json":
        files = {row["path"] for row in json.loads(ended.out)}
        tally.expect(len(files) == len(made), f"names, json: {len(files)} of {len(made)} files")
    if form == "sarif":
        uris = {uri for result in json.loads(ended.out)["runs"][0]["results"] for uri in _uris(result)}
        tally.expect(len(uris) == len(made), f"names, sarif: {len(uris)} of {len(made)} files")
        odd = [uri for uri in uris if any(character in uri for character in _IN_NO_URI)]
        tally.expect(not odd, f"names, sarif: no URIs: {odd[:3]}")
    if form == "github":
        lines = [line for line in ended.out.splitlines() if line.startswith("::")]
        tally.expect(len(lines) >= len(made), f"names, github: {len(lines)} annotations for {len(made)} files")
        tally.expect(
            not [line for line in lines if line.startswith("::error file=x,")], "names, github: a name is a command"
        )


def _uris(result: dict[str, Any]) -> list[str]:
    return [place["physicalLocation"]["artifactLocation"]["uri"] for place in result["locations"]]


def _ran(setting: Setting, tally: Tally) -> None:
    folder = setting.folder / "ran"
    made = _made(folder, _PASSING)
    (folder / ".agentv").mkdir()
    (folder / ".agentv/targets.yaml").write_text("targets: [{name: default, provider: mock, response: hello}]\n")
    for name in made[:: setting.of(11, 3)]:
        if b"::" in name:  # what stands behind it names a case
            continue
        ended = rubric(folder, "run", b"./" + name)
        sound(tally, f"run {name!r}", ended)
        tally.expect(ended.code == 0, f"run {name!r}: exit {ended.code}: {ended.said[-300:]}")
    tally.count("names", len(made))
