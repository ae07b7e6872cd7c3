"""The question before a run: what it would execute, read and send, in words. Reads no environment."""

from collections.abc import Collection, Iterator, Sequence
from pathlib import Path

from rubric_core.control_characters import reveal
from rubric_core.language.markdown import code
from rubric_core.validation.wording import count
from rubric_lsp.features.markdown import fenced, shortened
from rubric_lsp.features.run_effects import RunConsequences, Suites, consequences_of

__all__ = ["details", "is_long", "question"]

#: The most characters of a plan that fits into one sentence, and the most lines of one in the question itself.
_LONGEST = 400
_MOST_LINES = 40


def question(suites: Suites, roots: Sequence[Path] = (), new: Collection[str] | None = None) -> str:
    """The question before cases run: everything that is executed, read and sent, in full.

    Args:
        suites: The cases to run.
        roots: The open folders; files outside of them are named.
        new: The entries that are new, if others were allowed before.
    """
    plan = consequences_of(suites, roots)
    lines = list(_entries(plan, new))
    doing = _sentence(plan) if new is None else ""
    if len(doing) > _LONGEST or "\n" in doing or new is not None:
        shown = lines[:_MOST_LINES]
        left = len(lines) - len(shown)
        begin = "It does more than you allowed before. It will" if new is not None else "It will"
        doing = "\n".join(
            [
                begin,
                *shown,
                *([f"… and {count(left, 'more line')}, which the document has"] if left else []),
            ]
        )
    return f"Run {_subject(suites)}? {doing}".rstrip()


def is_long(suites: Suites, roots: Sequence[Path] = ()) -> bool:
    """Whether the question is too long, so that a document has to be shown beside it."""
    return len(list(_entries(consequences_of(suites, roots), None))) > _MOST_LINES


def _sentence(plan: RunConsequences) -> str:
    """A short plan as a sentence."""
    does = [("execute", plan.programs), ("send the case to", plan.addresses)]
    reads = [("of the environment", plan.variables), ("outside of the open folder", plan.outside)]
    parts = [f"{verb} {_listed(verb == 'execute', words)}" for verb, words in does if words]
    parts += [f"read {', '.join(words)} {where}" for where, words in reads if words]
    return f"It will {', and '.join(parts)}." if parts else ""


def _listed(quoted: bool, words: Sequence[str]) -> str:
    return ", ".join(f"`{word}`" if quoted else word for word in words)


def _entries(plan: RunConsequences, new: Collection[str] | None) -> Iterator[str]:
    """Each part of a plan with a heading, line by line; new entries are marked."""
    for title, words in _parts(plan):
        yield f"{title}:"
        for word in words:
            first, *rest = word.split("\n")
            yield f"  • {'NEW ' if new is not None and word in new else ''}{first}"
            yield from (f"      {line}" for line in rest)


def _parts(plan: RunConsequences) -> Iterator[tuple[str, Sequence[str]]]:
    titles = ("execute", "send the case to", "read of the environment", "read outside of the open folder")
    for title, (_, words) in zip(titles, plan.parts(), strict=True):
        if words:
            yield title, words


def details(suites: Suites, roots: Sequence[Path] = ()) -> str:
    """The full plan as Markdown."""
    plan = consequences_of(suites, roots)
    lines = [f"# What running {_subject(suites)} would do", ""]
    lines += [] if plan.programs else ["It executes nothing.", ""]
    for title, words in _parts(plan):
        lines += [f"## {title.capitalize()}", ""]
        for word in words:
            lines += [fenced(reveal(word)), ""]
    return "\n".join(lines)


def _subject(suites: Suites) -> str:
    every = [case for cases, _ in suites for case in cases]
    # No name can look like the end of the question.
    name = shortened(every[0].id).replace("`", "'").replace("? ", "?") if len(every) == 1 else ""
    return code(name) if name else count(len(every), "case")
