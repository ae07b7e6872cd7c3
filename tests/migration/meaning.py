"""What a suite means when it runs: every case asked and graded, by judges and programs that stand in for the real ones.

They give scores that follow from what they are told alone, so that two suites mean the same when their scores are the same.
"""

import hashlib
import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from rubric_core.adapters import system_ports
from rubric_core.analysis import Language, analyze
from rubric_core.disk import DiskFiles
from rubric_core.evaluation.cases.options import Options
from rubric_core.evaluation.cases.runnable import runnables
from rubric_core.evaluation.engine.schedule import run_cases
from rubric_core.evaluation.evaluators.llm_judge import LlmJudgeEvaluator
from rubric_core.evaluation.judging.prompts import BUILT_IN
from rubric_core.evaluation.model.context import EvaluationContext
from rubric_core.evaluation.model.criteria import CriterionCheck, CriterionItem
from rubric_core.evaluation.model.evaluation_score import EvaluationScore
from rubric_core.evaluation.model.recording import JudgeInput, RecordedJudgement
from rubric_core.evaluation.model.result import CaseResult, EvaluatorResult, Verdict
from rubric_core.language.evaluators import CodeEvaluator
from rubric_core.loading.directory_search import find_file
from rubric_core.loading.project import Project
from rubric_core.migration import migrate
from rubric_core.ports import Finished, Program
from rubric_core.syntax.parse import parse
from rubric_core.syntax.tree import Scalar, walk

__all__ = ["Meaning", "compared", "differences", "meaning"]

_ANSWER = "The answer is 42. A refund is possible within 30 days, hello."
_NAME = re.compile(r"[\w.-]{1,60}\Z")
_VARIABLE = re.compile(r"\{\{\s*(?:env\.)?([A-Z][A-Z0-9_]*)\s*\}\}")


def _share(*told: object) -> float:
    """A score of 0..1 that depends only on the input, and is mostly high."""
    return max(0, 10 - hashlib.sha256(repr(told).encode()).digest()[0] % 14 // 2 * 2) / 10


class _Judged:
    """Replaces recordings: a judge whose score depends on its input, apart from the wording around it."""

    def __init__(self) -> None:
        self.told: list[tuple[str, ...]] = []

    def check(self, asked: JudgeInput, item: CriterionItem, ranges: bool, judge: str | None) -> RecordedJudgement:  # noqa: ARG002  # as recordings have it
        self.told.append((asked.question, asked.reference, item.text))
        raw = round(10 * _share(asked.question, asked.reference, item.text, item.bands, item.operator))
        return RecordedJudgement(
            "hash", "", CriterionCheck(score=raw) if ranges else CriterionCheck(satisfied=raw >= 6)
        )

    def free_form(self, asked: JudgeInput, judge: str | None) -> RecordedJudgement:  # noqa: ARG002  # as recordings have it
        # A prompt of the author's shows what it wants to show, by whatever name the dialect has for it.
        goal = asked.goal.strip() if asked.prompt == BUILT_IN else ""
        self.told.append((asked.question, asked.reference, goal))
        return RecordedJudgement("hash", "", score=EvaluationScore(score=_share(asked.question, asked.reference, goal)))


class _Program:
    """Grades by a hash of its command line."""

    kind = "code"

    def evaluate(self, context: EvaluationContext) -> EvaluationScore:
        config = context.evaluator
        assert isinstance(config, CodeEvaluator)
        words = config.command.split() if isinstance(config.command, str) else config.command
        return EvaluationScore(score=_share(words, config.cwd))


class _NoPrograms:
    async def run(self, program: Program) -> Finished:  # noqa: ARG002  # the port says so
        raise OSError("no program is run here")

    async def serve(self, program: Program) -> Finished:
        return await self.run(program)


@dataclass(frozen=True)
class Meaning:
    """What one case came to."""

    verdict: str
    score: float | None
    graded: tuple[tuple[Any, ...], ...]
    asked: tuple[tuple[str, ...], ...]


async def meaning(text: str, path: Path, dialect: str, language: Language, folder: Path) -> Mapping[str, Meaning]:
    """Every case of a suite that stands at `path`; `folder` is for what the run needs."""
    # Whatever a suite calls a target, there is one.
    names = {n.text for n in walk(parse(text).root) if isinstance(n, Scalar) and _NAME.match(n.text)}
    entries = [
        {"name": name, "provider": "mock", "response": _ANSWER} for name in ("default", *sorted(names - {"default"}))
    ]
    targets = folder / "targets.yaml"
    targets.write_text(json.dumps({"targets": entries}))
    analysis = analyze(
        language.document(text, path), language, dialect=dialect, path=path, project=Project(DiskFiles())
    )
    judged = _Judged()
    judge = LlmJudgeEvaluator(resolve_judge_provider=lambda _: None, recordings=judged, mode="replay")
    options = Options(targets_file=targets, evaluators={"llm_judge": judge, "code": _Program()})
    environment = {name: name for name in _VARIABLE.findall(text)}
    found: dict[str, Meaning] = {}
    async with system_ports(environment) as ports:
        sealed = replace(ports, processes=_NoPrograms())
        for case in runnables(path, analysis, options):
            judged.told.clear()
            plain = replace(case, suite=_without_place(case.suite), case=_without_place(case.case))
            (result,) = await run_cases([plain], sealed)
            found[result.id] = _of(result, judged.told)
    return found


def _without_place(shape: Any) -> Any:
    """Nothing is prepared: no workspace, no environment."""
    from copy import copy

    made = copy(shape)
    made.places = {k: v for k, v in shape.places.items() if k not in ("workspace", "environment")}
    for name in ("workspace", "environment"):
        vars(made).pop(name, None)
    return made


def _of(result: CaseResult, asked: Sequence[tuple[str, ...]]) -> Meaning:
    assert "a mistake in rubric" not in result.reason, result.reason
    graded = tuple(sorted((_graded(each) for each in result.evaluators), key=repr))
    return Meaning(_verdict(result.verdict), _rounded(result.score), graded, tuple(sorted(set(asked))))


def _graded(result: EvaluatorResult) -> tuple[Any, ...]:
    criteria = tuple(
        (c.outcome, c.weight, _rounded(c.minimum), c.gate_failed, _rounded(c.score)) for c in result.criteria
    )
    members = tuple(sorted((_graded(each) for each in result.members), key=repr))
    return (_verdict(result.verdict), _rounded(result.score), result.weight, result.required, criteria, members)


def _verdict(verdict: Verdict) -> str:
    return verdict.value if verdict in (Verdict.PASSED, Verdict.UNSCORED) else "not passed"


def _rounded(value: float | None) -> float | None:
    return None if value is None else round(value, 6)


def differences(before: Mapping[str, Meaning], after: Mapping[str, Meaning]) -> list[str]:
    """What is not the same, in words."""
    found = [f"{name} is gone" for name in before.keys() - after.keys()]
    found += [f"{name} has come" for name in after.keys() - before.keys()]
    for name in before.keys() & after.keys():
        for part in ("verdict", "score", "graded", "asked"):
            a, b = getattr(before[name], part), getattr(after[name], part)
            if a != b:
                found.append(f"{name}: {part} {a!r} → {b!r}")
                break
    return found


async def compared(
    path: Path, source: str, target: str, language: Language, folder: Path
) -> tuple[list[str], list[str]]:
    """What differs, and what was announced."""
    text = path.read_bytes().decode()
    files = DiskFiles()

    def read(name: str) -> str | None:
        found = find_file(name, path.parent, files, Path.cwd())
        return found.read_text(encoding="utf-8") if found is not None else None

    made = migrate(text, source, target, read=read, path=path)
    before = await meaning(text, path, source, language, folder)
    after = await meaning(made.text, path, target, language, folder)
    return differences(before, after), [note.words for note in made.notes]
