"""Rekeys recordings after a suite is rewritten: a reply stays valid if the judge would see the same facts.

The key of a recording covers everything in the judge's prompt. A newer dialect may leave parts out or rename them although
the case and its criteria are the same: then the key is computed again. This calls no model and runs no program.
"""

from collections.abc import Collection, Iterable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple, cast

from rubric_core.adapters import system_ports
from rubric_core.analysis import Analysis
from rubric_core.disk import read_file
from rubric_core.evaluation.cases.load import LoadedSuite, suite_in
from rubric_core.evaluation.cases.messages import reference_of
from rubric_core.evaluation.cases.prompts import case_input
from rubric_core.evaluation.cases.runnable import Runnable
from rubric_core.evaluation.cases.turns import turn_evaluators, turns_of
from rubric_core.evaluation.cases.variations import variations
from rubric_core.evaluation.engine.attempt import Attempt, graders_of
from rubric_core.evaluation.engine.events import ignore_event
from rubric_core.evaluation.engine.fill_variables import fill_variables
from rubric_core.evaluation.evaluators.llm_judge import LlmJudgeEvaluator
from rubric_core.evaluation.judging.recorded_text import write_entries
from rubric_core.evaluation.judging.recording_file import RecordedEntry, entries_in
from rubric_core.evaluation.judging.recording_paths import recordings_path
from rubric_core.evaluation.judging.recordings import Recordings
from rubric_core.evaluation.model.context import EvaluationContext, EvaluatorConfig
from rubric_core.evaluation.model.criteria import CriterionItem
from rubric_core.evaluation.model.inputs import PromptInputs, ResolvedTarget
from rubric_core.evaluation.model.recording import JudgeInput, RecordedJudgement
from rubric_core.evaluation.model.unscored import Unscored
from rubric_core.language.evaluators import LlmJudge, Rubric
from rubric_core.language.shape import children
from rubric_core.lazy_compilation import dataclass, replace
from rubric_core.loading.files import read_text
from rubric_core.loading.project import Project
from rubric_core.ports import Answer, Finished, Ports, Program, Request
from rubric_core.syntax.parse import parse
from rubric_core.syntax.tree import Mapping as MappingNode
from rubric_core.syntax.tree import Sequence as SequenceNode

__all__ = ["RekeyedRecordings", "UnusedRecording", "rekey_recordings"]

#: Bytes of recordings.
_LARGEST = 50_000_000


class UnusedRecording(NamedTuple):
    """A recording that can no longer be used: its line in the file, and its case."""

    line: int
    case: str
    #: The file with the case, if that is not the suite and was not rewritten with it.
    file: Path | None = None


class _JudgeInputs(NamedTuple):
    """The inputs of the judges of a case, without the answer, in the order of grading."""

    whole: list[JudgeInput]
    #: Those of a conversation, whose questions contain answers that are not known yet.
    talk: list[JudgeInput]
    #: The file of the case, if that is not the suite.
    file: Path | None


@dataclass(frozen=True, slots=True)
class RekeyedRecordings:
    """The recordings of a suite, rekeyed for its new text."""

    path: Path
    entries: tuple[RecordedEntry, ...]
    #: How many of them have a new key.
    changed: int
    #: Those that matched the old text and do not match the new one.
    lost: tuple["UnusedRecording", ...]

    def write(self, suite: Path) -> None:
        """Write the file. Raises OSError."""
        write_entries(self.path, self.entries, suite.name, aligned=True)


async def rekey_recordings(
    path: Path, before: Analysis, after: Analysis, project: Project, texts: Mapping[Path, str]
) -> RekeyedRecordings | None:
    """The recordings beside a suite; None without any.

    Args:
        path: The suite.
        before: Its text before.
        after: Its text now.
        project: The files around it, as they were.
        texts: The new texts of the case files that were rewritten with it.

    Raises RecordingsError for an unreadable recordings file.
    """
    file = recordings_path(path)
    if not file.is_file():
        return None
    text = read_file(file, _LARGEST).decode("utf-8")
    entries = entries_in(file, text)
    async with system_ports({}) as ports:
        sealed = replace(ports, processes=_NoPrograms())
        old = await _suite_inputs(suite_in(path, before, project, read_text), sealed)
        new = await _suite_inputs(
            suite_in(path, after, project, lambda f: texts[f] if f in texts else read_text(f)), sealed
        )
    ways = _ways(old, new, texts)
    lines, made, changed, lost = _lines(text), list[RecordedEntry](), 0, list[UnusedRecording]()
    for number, entry in enumerate(entries):
        was, told = _recorded_input(entry), old.get(entry.case)
        now = ways.get((entry.case, was))
        talk = ways.get((entry.case, _conversation_input(was))) if now is None else None
        now = replace(talk, question=was.question, more=was.more) if talk is not None else now
        if now is not None and now != was:
            changed += 1
        elif now is None and told is not None and (was in told.whole or _conversation_input(was) in told.talk):
            away = told.file if told.file not in texts else None
            lost.append(UnusedRecording(lines[number] if number < len(lines) else 1, entry.case, away))
        made.append(_anew(entry, now) if now is not None else entry)
    return RekeyedRecordings(file, tuple(made), changed, tuple(lost))


def _lines(text: str) -> list[int]:
    """The first line of each entry of the file, from 1."""
    root = parse(text).root
    listed = root.get("recordings") if isinstance(root, MappingNode) else None
    items = listed.items if isinstance(listed, SequenceNode) else []
    return [text.count("\n", 0, item.span.start) + 1 for item in items]


def _ways(
    old: Mapping[str, _JudgeInputs], new: Mapping[str, _JudgeInputs], texts: Collection[Path]
) -> dict[tuple[str, JudgeInput], JudgeInput]:
    """The new input for each old input of a judge, by case; without cases whose number of inputs changed."""
    return {
        (case, was): now
        for case, told in old.items()
        if case in new
        for before, after in ((told.whole, new[case].whole), (told.talk, new[case].talk))
        if len(before) == len(after)
        for was, now in zip(before, after, strict=True)
        # A file that is yet to be migrated is read in its old dialect.
        if was == now or told.file is None or told.file in texts
    }


def _conversation_input(told: JudgeInput) -> JudgeInput:
    """The state of a conversation before it starts."""
    return replace(told, question="", more="")


def _recorded_input(entry: RecordedEntry) -> JudgeInput:
    return JudgeInput(entry.prompt, entry.question, "", entry.goal, entry.reference, entry.more)


def _anew(entry: RecordedEntry, told: JudgeInput) -> RecordedEntry:
    update = {"prompt": told.prompt, "question": told.question, "goal": told.goal, "reference": told.reference}
    return entry.model_copy(update={**update, "more": told.more})


async def _suite_inputs(suite: LoadedSuite, ports: Ports) -> dict[str, _JudgeInputs]:
    return {case.id: await _case_inputs(case, ports) for case in suite.cases}


async def _case_inputs(case: Runnable, ports: Ports) -> _JudgeInputs:
    judged = _KeyCollector()
    talk: list[JudgeInput] = []
    judge = LlmJudgeEvaluator(
        resolve_judge_provider=lambda _: None,
        recordings=cast("Recordings", judged),
        mode="replay",
    )
    for each in variations(case):
        with suppress(Unscored):
            ready = await case_input(fill_variables(each, ports.environment), ports)
            attempt = Attempt(ready, ports, ignore_event)
            context = attempt.context(
                ResolvedTarget(name="", kind="mock"), _SilentTarget(), attempt.inputs(), Answer(""), 0.0
            )
            turns = turns_of(ready.case)
            begun = len(judged.told)
            for turn in turns:
                inputs = PromptInputs(
                    question="",
                    reference_answer=reference_of(turn.expected_output, ready.anchors, ready.directory, ports.files),
                )
                await _listen(judge, replace(context, prompt_inputs=inputs), turn_evaluators(turn))
            await _listen(judge, context, () if turns and not ready.graders else graders_of(ready))
            if turns:
                talk += map(_conversation_input, judged.told[begun:])
                del judged.told[begun:]
    return _JudgeInputs(judged.told, talk, case.file)


async def _listen(judge: LlmJudgeEvaluator, context: EvaluationContext, graders: Iterable[EvaluatorConfig]) -> None:
    """Pass every rubric and judge among the graders, members of sets included, to the collector."""
    for config in graders:
        for shape in children(config):
            if isinstance(shape, LlmJudge | Rubric):
                with suppress(Unscored):
                    await judge.evaluate(replace(context, evaluator=shape))


class _KeyCollector:
    """Replaces the recordings and collects the keys that are looked up."""

    def __init__(self) -> None:
        self.told: list[JudgeInput] = []

    def check(
        self, asked: JudgeInput, _item: CriterionItem, _ranges: bool, _judge: str | None
    ) -> RecordedJudgement | None:
        """Find nothing; the criteria of one rubric have the same inputs."""
        if not self.told or self.told[-1] is not asked:
            self.told.append(asked)
        return None

    def free_form(self, asked: JudgeInput, _judge: str | None) -> RecordedJudgement | None:
        """Nothing."""
        self.told.append(asked)
        return None


class _NoPrograms:
    """Keeps programs from running while a file is migrated."""

    async def run(self, _program: Program) -> Finished:
        """Refuse. Raises OSError."""
        raise OSError("no program is run for a migration")

    async def serve(self, _program: Program) -> Finished:
        """Refuse. Raises OSError."""
        raise OSError("no program is run for a migration")


class _SilentTarget:
    """A target that is never called."""

    name = kind = identity = ""

    async def ask(self, _request: Request) -> Answer:
        """Nothing."""
        return Answer("")
