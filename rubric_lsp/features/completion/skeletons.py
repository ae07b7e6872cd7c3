"""Skeletons of whole items: suites, cases, criteria, evaluators."""

from collections.abc import Iterator

from rubric_core.language.evaluators import Band, Criterion
from rubric_core.language.file_kinds import FileKind, root_of
from rubric_core.language.model import Case, Message, Suite
from rubric_core.language.shape import Skeleton
from rubric_core.language.shape_kinds import Messages, Shaped, Shorthand, Tagged
from rubric_core.language.targets import Entry, Target
from rubric_core.language.value_kinds import Kind, ListOf, NodeUnion, Ranges
from rubric_lsp.features.completion.bands import band, bands
from rubric_lsp.features.completion.context import Completion, CompletionSite
from rubric_lsp.features.completion.values import types
from rubric_lsp.features.cursor_site import listed_kind

__all__ = ["TYPE_ITEM", "case", "dashes", "items", "listed_case", "suite"]

#: An evaluator of which only the type is to be chosen.
TYPE_ITEM = "- type"


def items(site: CompletionSite, kind: Kind[object] | None) -> Iterator[Completion]:
    """Completions for a whole list item."""
    for each in kind.branches if isinstance(kind, NodeUnion) else (kind,):
        if isinstance(each, Tagged) and each.base.stands_for == "check" and not site.cursor.flow:
            yield from types(site, lead="type: ")
        elif isinstance(each, Tagged) and issubclass(each.base, Target) and not site.cursor.flow:
            yield _target(site, "")
        elif isinstance(each, Shaped) and each.shape is Band:
            yield band(site)
        elif isinstance(each, Shaped) and not site.cursor.flow:
            yield from _shape_skeletons(site, each, "")


def dashes(site: CompletionSite, kind: Kind[object] | None) -> Iterator[Completion]:
    """Skeletons below a key with a list value, if no dash is typed yet."""
    if isinstance(kind, Ranges):
        yield from bands(site)
        return
    sequence = kind.sequence if isinstance(kind, NodeUnion) else kind
    if isinstance(sequence, Messages):
        yield _message(site)
    item = sequence.item if isinstance(sequence, ListOf) else None
    branches = item.branches if isinstance(item, NodeUnion) else (item,)
    for each in branches:
        if isinstance(each, Shaped):
            yield from _shape_skeletons(site, each, "- ")
        elif isinstance(each, Tagged) and issubclass(each.base, Target):
            yield _target(site, "- ")
        elif (isinstance(each, Tagged) and each.base.stands_for == "check") or (
            isinstance(each, Shorthand) and len(branches) == 1
        ):
            yield Completion(
                TYPE_ITEM,
                "snippet",
                site.span,
                "- type: ",
                "- type: $1",
                each.base.title() if isinstance(each, Tagged) else "an evaluator",
                sort="0",
                then_suggest=True,
            )


def _shape_skeletons(site: CompletionSite, kind: Shaped, dash: str) -> Iterator[Completion]:
    if kind.shape is Criterion:
        yield _criterion(site, dash)
    elif issubclass(kind.shape, Case):
        yield case(site, dash)
    elif kind.shape.skeleton is not None:
        yield _inserted(site, kind.shape.skeleton, dash)


def listed_case(site: CompletionSite) -> Iterator[Completion]:
    """A whole case as an item of the list that is cut into blocks."""
    kind = listed_kind(site.analysis)
    for each in kind.branches if isinstance(kind, NodeUnion) else (kind,):
        if isinstance(each, Shaped):
            yield from _shape_skeletons(site, each, "- ")


def _message(site: CompletionSite) -> Completion:
    body = f"- role: ${{1|user,system,assistant,tool|}}{site.line(2)}content: ${{2:text}}"
    return Completion("message", "snippet", site.span, "- role: user", body, Message.title(), sort="00")


def _target(site: CompletionSite, dash: str) -> Completion:
    spelled = site.dialect.spelled
    line = site.line(len(dash))
    body = (
        f"{dash}{spelled(Entry, 'name') or 'name'}: ${{1:default}}{line}{spelled(Entry, 'provider') or 'provider'}: $2"
    )
    return Completion("target", "snippet", site.span, f"{dash}name: ", body, "a target", sort="00")


def _criterion(site: CompletionSite, dash: str = "") -> Completion:
    line = site.line(len(dash))
    outcome = site.dialect.spelled(Criterion, "outcome")
    body = f"{dash}id: ${{1:name}}{line}{outcome}: ${{2:what the answer has to achieve}}{line}weight: ${{3:1.0}}"
    return Completion(
        "criterion", "snippet", site.span, f"{dash}id: ", body, "a criterion with id, text and weight", sort="05"
    )


def case(site: CompletionSite, dash: str) -> Completion:
    """A whole case."""
    body, _ = _case_lines(site, 1)
    line = site.line(len(dash))
    return Completion(
        "case", "snippet", site.span, f"{dash}id: ", f"{dash}{line.join(body)}", "a whole case", sort="00"
    )


def _inserted(site: CompletionSite, skeleton: Skeleton, dash: str) -> Completion:
    body, name = site.line(len(dash)).join(skeleton.lines), skeleton.name
    return Completion(
        name, "snippet", site.span, f"{dash}{skeleton.head}", f"{dash}{body}", f"a whole {name}", sort="00"
    )


def _case_lines(site: CompletionSite, stop: int) -> tuple[list[str], int]:
    """The lines of a case in this dialect, with tab stops from `stop` on."""
    spelled = site.dialect.spelled
    lines = [f"id: ${{{stop}:name}}"] if spelled(Case, "id") else []
    criteria, asked = spelled(Case, "criteria"), spelled(Case, "input")
    # In dialects with prompts, criteria are an assertion.
    if criteria and asked:
        lines.append(f"{criteria}: ${{{stop + 1}:what a good answer achieves}}")
    if asked and isinstance(site.dialect.declared(Case, site.dialect.table(Case)[asked]).kind, Messages):
        # Before agentv-1, input is always a conversation.
        lines += [f"{asked}:", "  - role: user", f"    content: ${{{stop + 2}:question}}"]
        if site.dialect.properties.reference == "in-input":
            lines += ["  - role: assistant", f"    content: ${{{stop + 3}:a good answer}}"]
    elif asked:
        lines.append(f"{asked}: ${{{stop + 2}:question}}")
    elif spelled(Case, "vars"):
        lines += ["vars:", f"  question: ${{{stop + 2}:question}}"]
    checks = spelled(Case, "assertions")
    if checks and site.dialect.properties.string_assertions:
        lines += [f"{checks}:", f"  - ${{{stop + 3}:what the answer has to mention}}"]
    elif spelled(Case, "rubrics"):
        lines += [f"{spelled(Case, 'rubrics')}:", f"  - ${{{stop + 3}:what the answer has to mention}}"]
    return lines, stop + 4


def suite(site: CompletionSite) -> Iterator[Completion]:
    """A whole suite, or another kind of file."""
    if site.analysis.kind is FileKind.TARGETS:
        body = "targets:\n  - name: ${1:default}\n    provider: $2\n"
        yield Completion(
            "targets", "snippet", site.span, "targets:\n  - name: default\n", body, "a whole targets file", sort="00"
        )
        return
    root = root_of(site.analysis.kind)
    skeleton = root.shape.skeleton if isinstance(root, Shaped) else None
    if skeleton is not None:
        body, name = "".join(f"{line}\n" for line in skeleton.lines), skeleton.name
        yield Completion(name, "snippet", site.span, skeleton.head, body, f"a whole {name}", sort="00")
    if site.analysis.kind is not FileKind.SUITE:
        return
    spelled = site.dialect.spelled
    lines, _ = _case_lines(site, 2)
    head = "name: ${1:my-suite}\n" if spelled(Suite, "name") else "description: ${1:what is tested}\n"
    if spelled(Suite, "prompts"):
        head += 'prompts:\n  - "{{ question }}"\n'
    cases = spelled(Suite, "cases")
    body = f"{head}{cases}:\n  - " + "\n    ".join(lines) + "\n"
    yield Completion("suite", "snippet", site.span, f"{cases}:\n  - id: first-case\n", body, "a whole suite", sort="00")
