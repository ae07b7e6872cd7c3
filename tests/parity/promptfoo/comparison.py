"""Runs one configuration in both programs and says in which rows they differ."""

import asyncio
import json
import os
import shutil
from collections.abc import Collection, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

import yaml

from rubric_core.adapters import system_ports
from rubric_core.evaluation.cases.generators import generate_cases
from rubric_core.evaluation.cases.load import GeneratedCases, LoadedSuite, load_suite
from rubric_core.evaluation.cases.variations import variations
from rubric_core.evaluation.engine.schedule import run_cases
from rubric_core.evaluation.model.result import CaseResult, EvaluatorResult, Verdict
from rubric_core.families.promptfoo.cases.runnable import PromptfooRunnable
from rubric_core.families.promptfoo.model.assertion import given_score

from . import oracle
from .row import Row, Scored
from .server import serving
from .socket_server import speaking

__all__ = [
    "Difference", "compare", "compare_all", "environment_of", "rubric_rows", "suites", "unexplained",
]  # fmt: skip

_SUITES, _KNOWN = Path(__file__).parent / "suites", Path(__file__).parent / "known.yaml"
#: The variables that the configurations read, and those that promptfoo itself reads for one of them.
_ENVIRONMENT: Mapping[str, str] = {"PARITY_NAME": "Ann"}
_OWN: Mapping[str, Mapping[str, str]] = {
    "promptfooconfig.semicolons.yaml": {"PROMPTFOO_CSV_DELIMITER": ";"},
    "promptfooconfig.switches.yaml": {
        "PROMPTFOO_DISABLE_VAR_EXPANSION": "true", "PROMPTFOO_DISABLE_JSON_AUTOESCAPE": "1", "PROMPTFOO_DISABLE_CONVERSATION_VAR": "yes",
        "PROMPTFOO_PROMPT_SEPARATOR": "===",
    },
    "promptfooconfig.untemplated.yaml": {"PROMPTFOO_DISABLE_TEMPLATING": "true"},
    "promptfooconfig.hidden-environment.yaml": {"PROMPTFOO_DISABLE_TEMPLATE_ENV_VARS": "true"},
    "promptfooconfig.short-circuit.yaml": {"PROMPTFOO_SHORT_CIRCUIT_TEST_FAILURES": "true"},
}  # fmt: skip
#: Programs that a configuration needs, beside node and python3, and that not every machine has.
_PROGRAMS: Mapping[str, str] = {"promptfooconfig.ruby.yaml": "ruby"}
#: Scores differ from here on.
_NEAR = 1e-6


class Difference(NamedTuple):
    """What differs in one row."""

    configuration: str
    #: The description of its test.
    test: str
    words: str

    def __str__(self) -> str:
        return f"{self.configuration}: {self.test}: {self.words}"


def known_differences() -> Mapping[str, Mapping[str, str]]:
    """Those that are there on purpose: by the name of the configuration and the test, with the reason."""
    read: Mapping[str, Mapping[str, str]] = yaml.safe_load(_KNOWN.read_text(encoding="utf-8"))
    return read


def unexplained(found: Sequence[Difference], compared: Collection[str]) -> list[str]:
    """A sentence for each difference that is not known, and for each known one of the configurations `compared` that is none."""
    known = known_differences()
    new = [f"{each}" for each in found if each.test not in known.get(each.configuration, {})]
    seen = {(each.configuration, each.test) for each in found}
    gone = [(name, test) for name in compared for test in known.get(name, {}) if (name, test) not in seen]
    nowhere = known.keys() - {each.name for each in suites()}
    return [
        *new,
        *(f"{name}: {test}: no longer differs" for name, test in gone),
        *(f"{name}: there is no such configuration" for name in sorted(nowhere)),
    ]


def suites() -> list[Path]:
    """The configurations that are compared."""
    return sorted(_SUITES.glob("promptfooconfig.*.yaml"))


def environment_of(configuration: Path) -> Mapping[str, str]:
    """The variables with which a configuration is run."""
    return {**_ENVIRONMENT, **_OWN.get(configuration.name, {})}


def compare(
    configuration: Path, theirs: Mapping[tuple[int, int], Row], ours: Mapping[tuple[int, int], Row]
) -> tuple[int, list[Difference]]:
    """How many assertions and rows were compared, and what differs."""
    name = configuration.name
    found = [Difference(name, _name(theirs[key]), "rubric has no such row") for key in theirs.keys() - ours.keys()]
    found += [Difference(name, _name(ours[key]), "promptfoo has no such row") for key in ours.keys() - theirs.keys()]
    for key in sorted(theirs.keys() & ours.keys()):
        found += [Difference(name, _name(theirs[key]), words) for words in _differences(ours[key], theirs[key])]
    return sum(1 + len(row.assertions) for row in theirs.values()), found


def compare_all(
    start: Sequence[str], work: Path, only: str = "", at_once: int = 1
) -> Iterator[tuple[str, int, list[Difference]]]:
    """Each configuration whose name has `only` in it: its name, how much was compared, and what differs.

    Runs `at_once` of promptfoo beside each other. Raises RuntimeError when one of them gives no results.
    """
    compared = [each for each in suites() if only in each.name]
    for each in [each for each in compared if not _has_program(each)]:
        print(f"{each.name}: not compared, because there is no {_PROGRAMS[each.name]} on this machine")
        compared.remove(each)
    with (
        serving() as port, speaking() as socket,
        _set({
            "PARITY_PORT": f"{port}", "PARITY_SOCKET": f"{socket}", "OLLAMA_BASE_URL": f"http://127.0.0.1:{port}",
            "PATH": _path(start),
        }),
        ThreadPoolExecutor(at_once) as pool,
    ):  # fmt: skip
        # Kept: while other configurations of promptfoo run, that of this process changes for those of rubric.
        around = dict(os.environ)

        def theirs(configuration: Path) -> dict[tuple[int, int], Row]:
            folder = work / f"promptfoo-{configuration.stem}"
            folder.mkdir(parents=True)
            return oracle.rows(start, configuration, {**around, **environment_of(configuration)}, folder)

        for configuration, rows in zip(compared, pool.map(theirs, compared), strict=True):
            with _set(environment_of(configuration)):
                ours = rubric_rows(configuration)
            yield configuration.name, *compare(configuration, rows, ours)


def _path(start: Sequence[str]) -> str:
    """The search path with the program of promptfoo: rubric loads packages of npm from beside it."""
    programs = (Path(each).parents[3] / ".bin" for each in start if Path(each).name == "entrypoint.js")
    return os.pathsep.join([*map(str, programs), os.environ["PATH"]])


def _has_program(configuration: Path) -> bool:
    needed = _PROGRAMS.get(configuration.name)
    return needed is None or shutil.which(needed) is not None


def _name(row: Row) -> str:
    return row.description or row.prompt[:40]


def _differences(ours: Row, theirs: Row) -> Iterator[str]:
    if ours.verdict != theirs.verdict:
        yield f"{ours.verdict} ({ours.reason}), in promptfoo {theirs.verdict} ({theirs.reason[:120]})"
        return
    if theirs.verdict == "unscored":
        return
    if theirs.score is not None and not _alike(ours.score, theirs.score):
        yield f"score {ours.score}, in promptfoo {theirs.score}"
    if [each.passed for each in ours.assertions] != [each.passed for each in theirs.assertions]:
        yield f"{ours.assertions}, in promptfoo {theirs.assertions}"
    for mine, other in zip(ours.assertions, theirs.assertions, strict=False):
        if not _alike(mine.score, other.score):
            yield f"{other.type} scores {mine.score}, in promptfoo {other.score}"
    if ours.output != theirs.output:
        yield f"output {ours.output!r}, in promptfoo {theirs.output!r}"
    if ours.prompt and not theirs.prompt.startswith("[") and not _is_same_text(ours.prompt, theirs.prompt):
        yield f"prompt {ours.prompt!r}, in promptfoo {theirs.prompt!r}"
    if ours.named_scores.keys() != theirs.named_scores.keys() or any(
        not _alike(value, theirs.named_scores[name]) for name, value in ours.named_scores.items()
    ):
        yield f"named scores {ours.named_scores}, in promptfoo {theirs.named_scores}"


def _is_same_text(ours: str, theirs: str) -> bool:
    """Whether two prompts are the same: promptfoo's file of results has those that are JSON on one line."""
    if ours == theirs or not theirs.startswith("{"):
        return ours == theirs
    try:
        return bool(json.loads(ours) == json.loads(theirs))
    except ValueError:
        return False


def _alike(one: float | None, other: float | None) -> bool:
    return one == other if one is None or other is None else abs(one - other) < _NEAR


@contextmanager
def _set(environment: Mapping[str, str]) -> Iterator[None]:
    before = dict(os.environ)
    os.environ.update(environment)
    try:
        yield
    finally:
        os.environ.clear()
        os.environ.update(before)


def rubric_rows(configuration: Path) -> dict[tuple[int, int], Row]:
    """The rows of rubric, by the numbers that promptfoo gives tests and columns."""
    suite = load_suite(configuration)
    if suite.programs:
        suite = load_suite(configuration, generated=asyncio.run(_generated(suite)))
    whole = [case for case in suite.in_range if isinstance(case, PromptfooRunnable)]
    # One without values tells why a test has no row at all.
    varied = [
        (case, each)
        for case in whole
        for each in variations(case)
        if each.variant and each.variant.variables is not None
    ]

    async def run() -> list[CaseResult]:
        async with system_ports() as ports:
            return await run_cases([each for _, each in varied], ports)

    results = asyncio.run(run())
    places = _places(whole)
    return {places[id(each)]: _row(each, result) for (_, each), result in zip(varied, results, strict=True)}


async def _generated(suite: LoadedSuite) -> Mapping[str, GeneratedCases]:
    async with system_ports() as ports:
        return await generate_cases(suite, ports)


def _places(cases: Sequence[PromptfooRunnable]) -> dict[int, tuple[int, int]]:
    """The numbers of test and column of each variation."""
    found: dict[int, tuple[int, int]] = {}
    for case in cases:
        columns = [(provider.name, prompt) for provider, prompt in case.matrix.columns]
        rows: list[object] = [row.variables for row in case.rows()]
        for each in variations(case):
            assert isinstance(each, PromptfooRunnable)
            if each.variant is None or each.variant.variables is None:
                continue
            number = next(n for n, row in enumerate(rows) if row == each.variant.variables)
            column = next(
                (
                    n
                    for n, (name, prompt) in enumerate(columns)
                    if name == each.options.target and prompt is each.sent_prompt
                ),
                -1,
            )
            found[id(each)] = (case.first_row + number, column)
    return found


def _row(case: PromptfooRunnable, result: CaseResult) -> Row:
    sent = [each for each in result.exchanges if each.role == "target"]
    prompt = sent[0].messages[0].content if sent and len(sent[0].messages) == 1 else ""
    flat = tuple(each for outer in result.evaluators for each in outer.flat())
    return Row(
        case.test.description, result.verdict.value, given_score(result) if result.verdict is not Verdict.UNSCORED else None,
        tuple(map(_scored, flat)) if result.verdict is not Verdict.UNSCORED else (), prompt, result.answer,
        dict((result.details or {}).get("named_scores") or {}), result.reason,
    )  # fmt: skip


def _scored(result: EvaluatorResult) -> Scored:
    return Scored(result.type, result.verdict is Verdict.PASSED, given_score(result) or 0.0)
