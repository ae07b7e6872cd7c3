"""Recordings of a suite that is written anew: what a judge said goes on counting where it would be told the same facts.

The key of a recording holds all that the judge was told. A newer dialect may tell it less, or call it something else, though
the case and its criteria are the same: then the key is worked out anew. Nothing is asked and no program runs for that.
"""

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import cast

from rubric_core.adapters import system_ports
from rubric_core.analysis import Analysis
from rubric_core.evaluation.asked import asked
from rubric_core.evaluation.attempt import Attempt
from rubric_core.evaluation.context import EvaluationContext, ResolvedTarget
from rubric_core.evaluation.evaluators.llm_judge import LlmJudgeEvaluator
from rubric_core.evaluation.events import silent
from rubric_core.evaluation.filling import filled
from rubric_core.evaluation.grade import default_judge
from rubric_core.evaluation.judging.recorded import Entry, entries_in, recordings_path, write_entries
from rubric_core.evaluation.judging.recordings import Asked, Recorded, Recordings
from rubric_core.evaluation.judging.templates import own_prompt
from rubric_core.evaluation.matrix import variations
from rubric_core.evaluation.result import Unscored
from rubric_core.evaluation.rubric import Item
from rubric_core.evaluation.runnable import Runnable, runnables
from rubric_core.language.evaluators import LlmJudge, Rubric
from rubric_core.language.shape import children
from rubric_core.ports import Answer, Finished, Ports, Program, Request
from rubric_core.syntax.parse import parse
from rubric_core.syntax.tree import Mapping as MappingNode
from rubric_core.syntax.tree import Sequence as SequenceNode

__all__ = ["Carried", "carried"]


@dataclass(frozen=True, slots=True)
class Carried:
    """The recordings of a suite, as its new text needs them."""

    path: Path
    entries: tuple[Entry, ...]
    #: How many of them have another key now.
    changed: int
    #: The lines of those that answered the old text and do not answer the new one, with the case that each is of.
    lost: tuple[tuple[int, str], ...]

    def write(self, suite: Path) -> None:
        """Write the file. Raises OSError."""
        write_entries(self.path, self.entries, suite.name)


async def carried(path: Path, before: Analysis, after: Analysis) -> Carried | None:
    """The recordings beside the suite at `path`; None without any. Raises RecordingsError for a file that cannot be read."""
    file = recordings_path(path)
    if not file.is_file():
        return None
    text = file.read_text(encoding="utf-8")
    entries = entries_in(file, text)
    async with system_ports({}) as ports:
        sealed = replace(ports, processes=_NoPrograms())
        old, new = await _told(path, before, sealed), await _told(path, after, sealed)
    ways = _ways(old, new)
    lines, made, changed, lost = _lines(text), list[Entry](), 0, list[tuple[int, str]]()
    for number, entry in enumerate(entries):
        key = (entry.case, _asked(entry))
        known = ways.get(key)
        if known is not None and known != key[1]:
            changed += 1
        elif known is None and key in {(case, told) for case, every in old.items() for told in every}:
            lost.append((lines[number] if number < len(lines) else 1, entry.case))
        made.append(_anew(entry, known) if known is not None else entry)
    return Carried(file, tuple(made), changed, tuple(lost))


def _lines(text: str) -> list[int]:
    """The line on which each entry of the file begins, from 1."""
    root = parse(text).root
    listed = root.get("recordings") if isinstance(root, MappingNode) else None
    items = listed.items if isinstance(listed, SequenceNode) else []
    return [text.count("\n", 0, item.span.start) + 1 for item in items]


def _ways(old: Mapping[str, Sequence[Asked]], new: Mapping[str, Sequence[Asked]]) -> dict[tuple[str, Asked], Asked]:
    """What each judge of a case was told, and what it is told now; where their number is another nobody knows which is which."""
    return {
        (case, was): now
        for case, every in old.items()
        if len(every) == len(new.get(case, ()))
        for was, now in zip(every, new[case], strict=True)
    }


def _asked(entry: Entry) -> Asked:
    return Asked(entry.prompt, entry.question, "", entry.goal, entry.reference, entry.more)


def _anew(entry: Entry, told: Asked) -> Entry:
    update = {"prompt": told.prompt, "question": told.question, "goal": told.goal, "reference": told.reference}
    return entry.model_copy(update={**update, "more": told.more})


async def _told(path: Path, analysis: Analysis, ports: Ports) -> dict[str, list[Asked]]:
    """What the judges of every case are told beside the answer, in the order in which they grade."""
    return {case.id: await _of_case(case, ports) for case in runnables(path, analysis)}


async def _of_case(case: Runnable, ports: Ports) -> list[Asked]:
    judged = _Listening()
    judge = LlmJudgeEvaluator(
        resolve_judge_provider=lambda _: None,
        recordings=cast("Recordings", judged),
        mode="replay",
        judge_prompt=own_prompt,
    )
    for each in variations(case):
        with suppress(Unscored):
            ready = await asked(filled(each, ports.environment), ports)
            attempt = Attempt(ready, ports, silent)
            context = attempt.context(
                ResolvedTarget(name="", kind="mock"), _Nobody(), attempt.inputs(), Answer(""), 0.0
            )
            for config in ready.graders or (default_judge(),):
                for shape in children(config):
                    if isinstance(shape, LlmJudge | Rubric):
                        await _listen(judge, replace(context, evaluator=shape))
    return judged.told


async def _listen(judge: LlmJudgeEvaluator, context: EvaluationContext) -> None:
    with suppress(Unscored):
        await judge.evaluate(context)


class _Listening:
    """Stands in for recordings and keeps what it is asked for."""

    def __init__(self) -> None:
        self.told: list[Asked] = []

    def check(self, asked: Asked, _item: Item, _ranges: bool, _judge: str | None) -> Recorded | None:
        """Nothing; the criteria of one rubric are told the same."""
        if not self.told or self.told[-1] is not asked:
            self.told.append(asked)
        return None

    def free_form(self, asked: Asked, _judge: str | None) -> Recorded | None:
        """Nothing."""
        self.told.append(asked)
        return None


class _NoPrograms:
    """Nothing runs because a file is migrated."""

    async def run(self, _program: Program) -> Finished:
        """Refuse. Raises OSError."""
        raise OSError("no program is run for a migration")


class _Nobody:
    """A target that is not asked."""

    name = kind = identity = ""

    async def ask(self, _request: Request) -> Answer:
        """Nothing."""
        return Answer("")
