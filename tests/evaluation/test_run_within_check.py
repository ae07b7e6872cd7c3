"""Whatever a run takes for a mistake of a file is a finding of `rubric check` on the same argument.

Values and keys of the suites that are compared with the programs are replaced at random. Where a case has no score for a reason that it
did not have before, check must have a finding that it did not have before.
"""

import json
import random
import re
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from parity.bundles import SUITES, lay_out, read_suites
from parity.promptfoo.comparison import suites as configurations
from parity.server import ScriptedServer
from test_recorded_suites import answered
from thorough import seeds

from rubric_core.adapters import SystemClock, system_ports
from rubric_core.cli import main
from rubric_core.evaluation.cases.generators import generate_cases
from rubric_core.evaluation.cases.load import NoSuiteError, load_suite
from rubric_core.evaluation.cases.variations import variations
from rubric_core.evaluation.engine.schedule import run_cases
from rubric_core.evaluation.model.result import Verdict
from rubric_core.lazy_compilation import replace
from rubric_core.ports import Finished, HttpReply, NetworkError, Ports, Program

#: Suites of which as many are changed in one test; of each there is one change.
_SUITES = 8
_VALUES = (
    "[1]",
    "{a: 1}",
    "xyz",
    "file://missing.txt",
    "-1",
    "",
    "null",
    "true",
    "./missing.csv",
    "1e400",
    "''",
    "[]",
    "{}",
    "[null]",
)
_WRITTEN = re.compile(
    r"(?P<before>(?:^[ ]*(?:- )?|[{,] ?))(?P<key>[A-Za-z_$][\w$-]*): (?P<value>[^,{}\[\]\n]+|\[[^\[\]\n{}]*\])(?=[,}]|$)",
    re.MULTILINE,
)
#: Reasons that lie outside of the files, or in what templates and programs make of them.
_OF_A_RUN = re.compile(
    r"no programs here|no network here|no answer|depends on|the command ended with|not run:|environment variable"
    r"|no model (grades|moderates|embeds)|no judge is configured|rubric (does not (call|support)|sends no)|of `extensions` rubric runs"
    # Of JSON Schemas check knows names, types and formats; of a request, of filters and of `skill-used` the kinds of their values.
    r"|has a schema that|is data, and the content type|the filter \w+ takes|as `max`|`name` or `pattern`|non-empty string"
    r"|needs turns|needs a variable"
)  # fmt: skip


class _Outside:
    """Programs that answer as the comparison's do, and nothing else."""

    async def run(self, program: Program) -> Finished:
        done = answered(program)
        if done is None:
            raise OSError("there are no programs here")
        return done

    async def request(self, *_: Any, **__: Any) -> HttpReply:
        raise NetworkError("there is no network here")

    post = get = request


class _Hasty(SystemClock):
    """A clock on which nobody waits."""

    async def sleep(self, seconds: float) -> None:
        pass


@pytest.fixture
async def ports() -> Any:
    async with system_ports({"PARITY_KEY": "k", "PARITY_MODEL": "scripted"}) as real:
        outside: Any = _Outside()
        yield replace(real, processes=outside, http=outside, clock=_Hasty())


def findings(path: Path, capsys: pytest.CaptureFixture[str]) -> set[str]:
    """The errors and warnings of `rubric check`, without numbers."""
    main(["check", "--no-cache", "--format", "json", str(path)])
    return {plain(each) for each in messages(json.loads(capsys.readouterr().out))}


def messages(printed: Any) -> Iterator[str]:
    """The messages of errors and warnings, wherever they are in what was printed."""
    if isinstance(printed, dict):
        if printed.get("severity") in ("error", "warning") and "message" in printed:
            yield printed["message"]
        for value in printed.values():
            yield from messages(value)
    elif isinstance(printed, list):
        for value in printed:
            yield from messages(value)


async def reasons(path: Path, ports: Ports) -> set[str]:
    """Why cases and evaluators have no score; of a run that cannot begin, why not."""
    try:
        suite = load_suite(path)
    except NoSuiteError as error:
        return {plain(str(error))}
    if suite.programs:
        suite = load_suite(path, generated=await generate_cases(suite, ports))
    found = set[str]()
    cases = [each for case in suite.in_range for each in variations(case)]
    for result in await run_cases(cases, ports, workers=1):
        for each in (result, *result.evaluators):
            if each.verdict is Verdict.UNSCORED and each.reason and not _OF_A_RUN.search(each.reason):
                found.add(plain(each.reason))
    return found


def plain(text: str) -> str:
    return re.sub(r"\d+", "0", text)


def change(text: str, chance: random.Random) -> tuple[str, str]:
    """The text with another value or key in one place, and that change in words."""
    written = chance.choice(list(_WRITTEN.finditer(text)))
    if chance.random() < 0.25:
        key = chance.choice((written["key"] + "x", written["key"][1:] or "q", "other"))
        start, end, new = *written.span("key"), key
    else:
        start, end, new = *written.span("value"), chance.choice(_VALUES)
    return text[:start] + new + text[end:], f"{text[start:end]!r} of {written[0]!r} became {new!r}"


async def check(path: Path, chance: random.Random, ports: Ports, capsys: pytest.CaptureFixture[str]) -> None:
    text = path.read_text(encoding="utf-8")
    changed, words = change(text, chance)
    known, usual = findings(path, capsys), await reasons(path, ports)
    path.write_text(changed, encoding="utf-8")
    new = await reasons(path, ports) - usual
    assert not new or findings(path, capsys) - known, f"{path.name}: {words}: check is silent, and the run says {new}"


@pytest.mark.parametrize("seed", seeds(30, 2))
async def test_of_agentv(
    seed: int, ports: Ports, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    chance = random.Random(seed)
    monkeypatch.chdir(tmp_path)
    for source in chance.sample(sorted(read_suites(SUITES).values(), key=lambda each: each.name), _SUITES):
        await check(lay_out(source, tmp_path / source.name, "rubric", ScriptedServer(80), "."), chance, ports, capsys)


@pytest.mark.parametrize("seed", seeds(30, 2))
async def test_of_promptfoo(
    seed: int, ports: Ports, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    chance = random.Random(seed)
    monkeypatch.chdir(tmp_path)
    shutil.copytree(configurations()[0].parent, tmp_path / "suites")
    for each in chance.sample(configurations(), _SUITES):
        await check(tmp_path / "suites" / each.name, chance, ports, capsys)
