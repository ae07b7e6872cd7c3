"""Planted mistakes: each is found where it is, and what promptfoo stops at or makes an error of a row is an error here.

What promptfoo does is asked of promptfoo; it swallows most of these mistakes.
"""

import os
import re
import shutil
from collections.abc import Mapping
from hashlib import sha256
from pathlib import Path

import npm
import pytest
import yaml
from thorough import only_thorough

from rubric_core.analysis import analyze
from rubric_core.analysis.language import Language
from rubric_core.disk import DiskFiles
from rubric_core.loading.project import Project
from rubric_core.validation.rule import Diagnostic

from . import oracle

HERE = Path(__file__).parent / "mistakes"
CASES, OUTCOMES = HERE / "promptfooconfig.cases.yaml", HERE / "outcomes.yaml"
STOPS = "stops"
#: Where the cases begin, and how many mistakes there are.
_FIRST, _AT_LEAST = 4, 150
_SECTION = re.compile(r"^#### ([\w/-]+): (.+)\n", re.MULTILINE)
_FILE = re.compile(r"^--- (\S+)\n", re.MULTILINE)


def found_in(path: Path) -> list[Diagnostic]:
    language = Language()
    text = path.read_text(encoding="utf-8")
    project = Project(DiskFiles())
    return list(analyze(language.document(text, path), language, path=path, project=project).diagnostics)


def by_line() -> Mapping[int, list[Diagnostic]]:
    text = CASES.read_text(encoding="utf-8")
    found: dict[int, list[Diagnostic]] = {}
    for each in found_in(CASES):
        found.setdefault(text.count("\n", 0, each.span.start), []).append(each)
    return found


def planted() -> list[tuple[str, str]]:
    """The code that each line should have, and the line."""
    lines = CASES.read_text(encoding="utf-8").splitlines()[_FIRST:]
    return [(line.rpartition("#")[2].strip(), line) for line in lines]


def configurations() -> list[tuple[str, str, str]]:
    _, *parts = _SECTION.split((HERE / "configurations.txt").read_text(encoding="utf-8"))
    return list(zip(parts[::3], parts[1::3], parts[2::3], strict=True))


def write(folder: Path, body: str) -> Path:
    own, *files = _FILE.split(body)
    for name, text in zip(files[::2], files[1::2], strict=True):
        (folder / name).write_text(text, encoding="utf-8")
    path = folder / "promptfooconfig.yaml"
    path.write_text(own, encoding="utf-8")
    return path


def test_mistakes_in_cases_are_found_on_their_lines_and_nothing_else_is() -> None:
    found = by_line()
    wrong = [
        (line, codes)
        for number, (code, line) in enumerate(planted(), _FIRST)
        if (codes := [each.code for each in found.get(number, [])]) != ([code] if code else [])
    ]
    assert wrong == []
    assert sum(bool(code) for code, _ in planted()) + len(configurations()) >= _AT_LEAST


@pytest.mark.parametrize(
    ("code", "body"), [(c, b) for c, _, b in configurations()], ids=[f"{c}: {t}" for c, t, _ in configurations()]
)
def test_a_mistake_in_a_configuration_is_found_once(code: str, body: str, tmp_path: Path) -> None:
    assert [each.code for each in found_in(write(tmp_path, body))] == [code]


@pytest.fixture(scope="module")
def command() -> tuple[str, ...]:
    try:
        return oracle.command()
    except npm.UnavailableError as reason:
        pytest.skip(str(reason))


@only_thorough
@pytest.mark.node
def test_what_is_an_error_of_a_row_is_an_error(command: tuple[str, ...], tmp_path: Path) -> None:
    """And the other way round: no row of which an error is reported passes."""
    path = Path(shutil.copy(CASES, tmp_path))
    rows = {test: row for (test, _), row in oracle.rows(command, path, {}, tmp_path).items()}
    found, wrong = by_line(), []
    for number, (_, line) in enumerate(planted()):
        is_error = any(each.severity == "error" for each in found.get(number + _FIRST, []))
        verdict = rows[number].verdict
        if (verdict == "unscored" and not is_error) or (verdict == "passed" and is_error):
            wrong.append((line, verdict))
    assert wrong == []


@pytest.mark.parametrize("body", [b for _, _, b in configurations()], ids=[f"{c}: {t}" for c, t, _ in configurations()])
def test_what_stops_promptfoo_is_an_error(body: str, tmp_path: Path) -> None:
    known = outcomes().get(digest(body))
    assert known, "promptfoo has not been asked about this configuration: UPDATE=1 asks it"
    if known == STOPS:
        assert any(each.severity == "error" for each in found_in(write(tmp_path, body)))


@pytest.mark.skipif(
    not os.environ.get("UPDATE"), reason="promptfoo takes seconds for each: UPDATE=1 asks about new ones"
)
@pytest.mark.node
def test_promptfoo_is_asked_about_new_configurations(command: tuple[str, ...], tmp_path: Path) -> None:
    before, found = outcomes(), dict[str, str]()
    for number, (_, _, body) in enumerate(configurations()):
        found[digest(body)] = before.get(digest(body)) or outcome(command, body, tmp_path / str(number))
    lines = [f"{digest(body)}: {found[digest(body)]}  # {code}: {title}\n" for code, title, body in configurations()]
    header = "# What promptfoo makes of each configuration, by the start of its SHA-256: with `-c`, and where that stops, in its folder.\n"
    OUTCOMES.write_text(f"{header}promptfoo: {oracle.VERSION}\n{''.join(lines)}", encoding="utf-8")


def outcomes() -> Mapping[str, str]:
    """What this release of promptfoo made of configurations, by their digests."""
    known: Mapping[str, str] = yaml.safe_load(OUTCOMES.read_text(encoding="utf-8"))
    return known if known["promptfoo"] == oracle.VERSION else {}


def digest(body: str) -> str:
    return "c" + sha256(body.encode()).hexdigest()[:12]  # a letter first: no number for YAML


def outcome(command: tuple[str, ...], body: str, folder: Path) -> str:
    """What becomes of it with `-c`, and where that stops, of a run in its folder that finds it by its name."""
    folder.mkdir()
    path = write(folder, body)
    try:
        oracle.rows(command, path, {}, folder)
    except RuntimeError:
        try:
            oracle.rows(command, path, {}, folder, named=False)
        except RuntimeError:
            return STOPS
        return "runs in its folder"
    return "runs"
