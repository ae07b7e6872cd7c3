"""`$ref` without a target in a promptfoo configuration: promptfoo stops."""

from collections.abc import Callable, Iterator

from rubric_core.families.promptfoo.checks.case_parts import pointers_in, pointers_of_items
from rubric_core.families.promptfoo.checks.suite import PromptfooSuite
from rubric_core.families.promptfoo.language.consequences import STOPS
from rubric_core.language.closest_name import closest
from rubric_core.loading.reference_issues import PointerIntoFile
from rubric_core.syntax.edit import quoted
from rubric_core.syntax.parse import parse
from rubric_core.syntax.pointers import part_name, pointed
from rubric_core.syntax.tree import Alias, Mapping, Node, Scalar, Sequence
from rubric_core.text import Edit, Span
from rubric_core.validation.rule import Finding, Fix, checks

#: The list whose entries are not in the text around them.
_LIST = "tests"
#: How many parts of a pointer into that list are looked at: a number, a key, and the number of an assertion. What else is in a
#: case is not among the facts for which this rule looks again.
_DEEPEST = 5


@checks("promptfoo/unknown-pointer", "unknown-alias")
def lost_pointers(suite: PromptfooSuite) -> Iterator[Finding]:
    """A `$ref` whose target does not exist, or is a list in the place of one entry."""
    root = suite.configuration.node
    if not isinstance(root, Mapping):
        return
    for node, outer in _pointers(suite, root):
        at = outer(node.span)
        if node.text[:1] == "#" and node.text[1:2] not in ("", "/"):
            written = f"#/{node.text[1:]}"
            fix = Fix(f"change it to `{written}`", (Edit(at, quoted(written)),), safe=False)
            yield Finding(at, f"`{node.text}` is no pointer: write `{written}`", fixes=(fix,), consequence=STOPS)
            continue
        lost = _lost(node.text, root, suite)
        if lost is not None:
            yield _finding(at, node.text, lost, _intended_pointer(node.text, lost, root, suite))
    for node, outer in _pointers(suite, root, pointers_of_items):
        parts = node.text.split("/")
        if parts[0] == "#" and parts[1:2] != [_LIST] and isinstance(pointed(root, parts[1:]), Sequence):
            yield Finding(
                outer(node.span), f"`{node.text}` is a list, and stands in the place of one entry", consequence=STOPS
            )


def _pointers(
    suite: PromptfooSuite, root: Mapping, found_in: Callable[[Node | None], Iterator[Scalar]] = pointers_in
) -> Iterator[tuple[Scalar, Callable[[Span], Span]]]:
    """Every pointer: in the text around the cases, and in each case with a block of its own."""
    if "$ref" in suite.frame.text:
        yield from ((node, suite.frame.outer) for node in found_in(root))
    for placed, summary in suite.digest.pointing:
        if placed.block >= 0:
            own = summary.pointers if found_in is pointers_in else _of_items(summary.case.node)
            yield from ((node, placed.outer) for node in own)


def _of_items(case: Node | None) -> Iterator[Scalar]:
    """The same for a case with a block of its own, which is an entry itself."""
    own = case.get("$ref") if isinstance(case, Mapping) else None
    if isinstance(own, Scalar):
        yield own
    yield from pointers_of_items(case)


@checks("promptfoo/unknown-pointer", "unknown-alias")
def lost_pointer_into_file(issue: PointerIntoFile) -> Iterator[Finding]:
    """A `$ref` into another file whose target is not there."""
    name, _, pointer = issue.node.text.partition("#")
    if pointer and pointer[0] != "/":
        written = f"{name}#/{pointer}"
        fix = Fix(f"change it to `{written}`", (Edit(issue.span, quoted(written)),), safe=False)
        words = f"`#{pointer}` is no pointer: write `#/{pointer}`"
        yield Finding(issue.span, words, fixes=(fix,), consequence=STOPS)
        return
    parts = pointer.split("/")
    tree = parse(issue.text) if len(parts) > 1 and "{{" not in pointer and "%" not in pointer else None
    lost = _lost_below(tree.root, parts, 1) if tree is not None and not tree.problems else None
    if lost is not None and tree is not None:
        meant = closest(parts[lost.part], lost.names)
        intended = [*parts[: lost.part], meant, *parts[lost.part + 1 :]] if meant else []
        is_there = bool(intended) and _lost_below(tree.root, intended, 1) is None
        yield _finding(issue.span, issue.node.text, lost, f"{name}#{'/'.join(intended)}" if is_there else "")


class _Lost:
    """A pointer without a target."""

    def __init__(self, part: int, names: tuple[str, ...], length: int | None = None) -> None:
        #: The missing part of the pointer, and the existing names beside it.
        self.part, self.names = part, names
        #: How many entries the list has, where the part is a number.
        self.length = length


def _finding(at: Span, pointer: str, lost: _Lost, meant: str) -> Finding:
    fixes = (Fix(f"change it to `{meant}`", (Edit(at, quoted(meant)),)),) if meant else ()
    words = f"there is nothing at `{pointer}`" + (f"; did you mean `{meant}`?" if meant else "")
    if lost.length is not None:
        words += f": the list ends at {lost.length - 1}" if lost.length else ": the list is empty"
    return Finding(at, words, fixes=fixes, consequence=STOPS)


def _intended_pointer(pointer: str, lost: _Lost, root: Mapping, suite: PromptfooSuite) -> str:
    """The pointer with the name that was probably meant; empty if that has no target either."""
    parts = pointer.split("/")
    name = closest(parts[lost.part], lost.names)
    meant = "/".join([*parts[: lost.part], name, *parts[lost.part + 1 :]]) if name else ""
    return meant if meant and _lost(meant, root, suite) is None else ""


def _lost(pointer: str, root: Mapping, suite: PromptfooSuite) -> _Lost | None:
    """The missing part of a pointer; None if it has a target, or that is unknown."""
    parts = pointer.split("/")
    if parts[0] != "#" or len(parts) < 2 or "{{" in pointer or "%" in pointer:
        return None
    if parts[1] == _LIST and suite.items:
        return _lost_in_cases(parts, suite)
    return _lost_below(root, parts, 1)


def _lost_in_cases(parts: list[str], suite: PromptfooSuite) -> _Lost | None:
    """The same for a pointer into the list of cases, down to the assertions of one."""
    if len(parts) <= 2:  # `#/tests` itself
        return None
    if not parts[2].isdecimal() or int(parts[2]) >= suite.items:
        return _Lost(2, (), suite.items)
    node = suite.listed[int(parts[2])].case.node if len(suite.listed) == suite.items else None
    if not isinstance(node, Mapping) or isinstance(node.get("assert"), Alias):
        return None  # paths and mistakes are in the list, too
    deepest = _DEEPEST if parts[3:4] == ["assert"] else _DEEPEST - 1
    return _lost_below(node, parts[:deepest], 3)


def _lost_below(node: Node | None, parts: list[str], begin: int) -> _Lost | None:
    for at, part in enumerate(parts[begin:], begin):
        name = part_name(part)
        node = node.target if isinstance(node, Alias) else node
        if isinstance(node, Sequence):
            if not name.isdecimal() or int(name) >= len(node.items):
                return _Lost(at, (), len(node.items) if name.isdecimal() else None)
            node = node.items[int(name)]
        elif isinstance(node, Mapping):
            names = tuple(entry.name for entry in node.entries if entry.name is not None)
            if name not in names:
                return None if "<<" in names or "$ref" in names else _Lost(at, names)
            node = node.get(name)
        elif isinstance(node, Scalar):
            return _Lost(at, ())
        else:
            return None
    return None
