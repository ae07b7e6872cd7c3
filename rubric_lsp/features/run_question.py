"""The question before a run: its plan in words."""

from collections.abc import Collection, Iterator, Sequence
from typing import TYPE_CHECKING

from rubric_core.control_characters import reveal
from rubric_core.language.markdown import code
from rubric_core.validation.wording import count
from rubric_lsp.features.markdown import fenced, shortened

if TYPE_CHECKING:
    from pathlib import Path

    from rubric_core.evaluation.model.plan import Plan

__all__ = ["details", "is_long", "question", "subject"]

#: The most characters of a plan that fits into one sentence, and the most lines of one in the question itself.
_LONGEST = 400
_MOST_LINES = 40
_EXECUTES = "execute"
_READS = "read "


def question(subject: str, plan: "Plan", folder: "Path", new: Collection[str] | None = None) -> str:
    """The question before cases run: everything that is executed, sent and read, in full.

    Args:
        subject: What runs, see `subject`.
        plan: Its plan.
        folder: The folder below which paths are relative.
        new: The words of the entries that are new, if others were allowed before.
    """
    lines = list(_entries(plan, folder, new))
    doing = (_sentence(plan, folder) or _nothing(plan)) if new is None else ""
    if len(doing) > _LONGEST or "\n" in doing or new is not None:
        shown = lines[:_MOST_LINES]
        left = len(lines) - len(shown)
        begin = "It does more than you allowed before. It will" if new is not None else "It will"
        more = [f"… and {count(left, 'more line')}, which the document has"] if left else []
        doing = "\n".join([begin, *shown, *more])
    return f"Run {subject}? {doing}".rstrip()


def is_long(plan: "Plan", folder: "Path") -> bool:
    """Whether the question is too long, so that a document has to be shown beside it."""
    return len(list(_entries(plan, folder, None))) > _MOST_LINES


def _sentence(plan: "Plan", folder: "Path") -> str:
    """A short plan as a sentence."""
    parts = []
    for title, words in plan.parts(folder):
        listed = ", ".join(f"`{word}`" if title == _EXECUTES else word for word in words)
        is_reading = title.startswith(_READS)
        parts.append(f"read {listed} {title.removeprefix(_READS)}" if is_reading else f"{title} {listed}")
    return f"It will {', and '.join(parts)}." if parts else ""


def _nothing(plan: "Plan") -> str:
    """Why a plan is empty, if something keeps its cases from running."""
    return f"It does nothing: {plan.notes[0]}." if plan.notes else ""


def _entries(plan: "Plan", folder: "Path", new: Collection[str] | None) -> Iterator[str]:
    """Each part of a plan with a heading, line by line; new entries are marked, and name the file of their program."""
    files = plan.found_programs(folder) if new is not None else {}
    for title, words in plan.parts(folder):
        yield f"{title}:"
        for word in words:
            is_new = new is not None and word in new
            shown = f"NEW {word} ({files[word]})" if is_new and word in files else f"NEW {word}" if is_new else word
            first, *rest = shown.split("\n")
            yield f"  • {first}"
            yield from (f"      {line}" for line in rest)


def details(subject: str, plan: "Plan", folder: "Path") -> str:
    """The full plan as Markdown."""
    lines = [f"# What running {subject} would do", ""]
    lines += (
        ["Programs may start other programs, which are not listed.", ""]
        if plan.starts
        else ["It executes nothing.", ""]
    )
    for title, words in plan.parts(folder):
        lines += [f"## {title.capitalize()}", ""]
        for word in words:
            lines += [fenced(reveal(word)), ""]
    lines += ["## Not done", "", *(f"- {reveal(note)}" for note in plan.notes), ""] if plan.notes else []
    return "\n".join(lines)


def subject(names: Sequence[str]) -> str:
    """What runs, by the ids of its cases: the only one, or how many there are."""
    # No name can look like the end of the question.
    name = shortened(names[0]).replace("`", "'").replace("? ", "?") if len(names) == 1 else ""
    return code(name) if name else count(len(names), "case")
