"""What rules across cases read of a case is what tells whether they have to look again.

Their functions, and those that these call with a case, are read as programs: a key that is not among `CASE_FACTS` would
make a keystroke keep a finding that no longer holds.
"""

import ast
import inspect
from collections.abc import Iterator
from textwrap import dedent
from types import FunctionType
from typing import Any, get_args

import pytest

from rubric_core.analysis.suite_cross_case import CASE_FACTS
from rubric_core.language.model import Case
from rubric_core.validation.entry_lists import CaseList
from rubric_core.validation.rule import Context, Finding, Rule, rule
from rubric_core.validation.rules import all_rules

#: Besides keys: what a case is made of counts for the edits of fixes, which stand where the finding stands; an `input`
#: that is refused is a fact of its own, so are misspelt `vars`, and the names of all keys where one of two cases may be half a case.
STRUCTURE = frozenset({"node", "borrowed", "span", "unread: input", "unread: vars", "names of places"})
ACROSS = [each for each in all_rules() if CaseList in (get_args(each.visits) or (each.visits,))]


class Reads(ast.NodeVisitor):
    """What a function reads of cases: keys, other attributes, or `everything` where it hands one on to who knows whom."""

    def __init__(self, function: FunctionType, cases: frozenset[str]) -> None:
        self.function = function
        #: The variables that hold a case.
        self.cases = set(cases)
        self.found: set[str] = set()
        self.called: list[tuple[FunctionType, frozenset[str]]] = []

    def is_case(self, node: ast.AST) -> bool:
        return (isinstance(node, ast.Attribute) and node.attr == "case") or (
            isinstance(node, ast.Name) and node.id in self.cases
        )

    def visit_Assign(self, node: ast.Assign) -> None:
        if self.is_case(node.value):
            self.cases.update(each.id for each in node.targets if isinstance(each, ast.Name))
        self.generic_visit(node)

    def visit_Compare(self, node: ast.Compare) -> None:
        right = node.comparators[0]
        if isinstance(right, ast.Attribute) and right.attr == "unread" and self.is_case(right.value):
            self.found.add(f"unread: {str(node.left.value) if isinstance(node.left, ast.Constant) else 'everything'}")
        elif isinstance(node.ops[0], ast.In | ast.NotIn) and self._is_places(right):
            self.found.add("names of places")
            self.visit(node.left)
        else:
            self.generic_visit(node)

    def visit_Subscript(self, node: ast.Subscript) -> None:
        if self._is_places(node.value):
            self._key(node.slice)
        else:
            self.generic_visit(node)

    def visit_Attribute(self, node: ast.Attribute) -> None:
        if self.is_case(node.value):
            self.found.add(node.attr)
        self.generic_visit(node)

    def visit_Call(self, node: ast.Call) -> None:
        called = node.func
        if isinstance(called, ast.Attribute) and (
            (self.is_case(called.value) and called.attr in ("has", "at", "key_at"))
            or (self._is_places(called.value) and called.attr == "get")
        ):
            self._key(node.args[0])
            return
        function = self.function.__globals__.get(called.id) if isinstance(called, ast.Name) else None
        handed = [number for number, each in enumerate(node.args) if self.is_case(each)]
        if isinstance(function, FunctionType) and function.__module__.startswith(("rubric_core.", __name__)):
            names = list(inspect.signature(function).parameters)
            self.called.append((function, frozenset(names[number] for number in handed)))
        elif handed and not (isinstance(called, ast.Name) and called.id == "isinstance"):
            self.found.add("everything")
        self.generic_visit(node)

    def _is_places(self, node: ast.AST) -> bool:
        return isinstance(node, ast.Attribute) and node.attr == "places" and self.is_case(node.value)

    def _key(self, node: ast.AST) -> None:
        self.found.add(str(node.value) if isinstance(node, ast.Constant) else "everything")


def annotated(tree: ast.FunctionDef, name: str) -> bool:
    """Whether a parameter is annotated with a class, or with something made of it."""
    words = (node for each in tree.args.args if each.annotation for node in ast.walk(each.annotation))
    return any(isinstance(node, ast.Name) and node.id == name for node in words)


def reads(check: FunctionType) -> set[str]:
    """What a function, and every one that it calls with cases, reads of them."""
    found: set[str] = set()
    waiting, seen = [(check, frozenset[str]())], set[tuple[FunctionType, frozenset[str]]]()
    while waiting:
        function, cases = waiting.pop()
        if (function, cases) in seen:
            continue
        seen.add((function, cases))
        tree = next(
            n for n in ast.walk(ast.parse(dedent(inspect.getsource(function)))) if isinstance(n, ast.FunctionDef)
        )
        if not cases and function is not check and not annotated(tree, "CaseEntry") and not annotated(tree, "CaseList"):
            continue
        reader = Reads(function, cases)
        for statement in tree.body:
            reader.visit(statement)
        found |= reader.found
        waiting += reader.called
    return found


def check_of(each: Rule[Any]) -> FunctionType:
    assert isinstance(each.check, FunctionType)
    return each.check


@pytest.mark.parametrize("each", ACROSS, ids=[each.code for each in ACROSS])
def test_rules_across_cases_read_only_what_is_compared(each: Rule[Any]) -> None:
    assert reads(check_of(each)) - STRUCTURE <= {*CASE_FACTS}


def test_every_key_that_is_compared_is_read() -> None:
    """A key that nobody reads would make rules look again for nothing."""
    assert {key for each in ACROSS for key in reads(check_of(each))} - STRUCTURE == {*CASE_FACTS}
    assert {*CASE_FACTS} <= {*Case.keys}


def _wordy(case: Case) -> bool:
    """A helper that looks at a key of its own."""
    return case.has("criteria")


def test_a_key_that_is_not_compared_is_seen() -> None:
    @rule("made-up", "warning", "Cases")
    def direct(suite: CaseList, context: Context) -> Iterator[Finding]:
        """Reads an attribute."""
        return (Finding(e.case.at("id"), str(e.case.expected_output)) for e in suite.cases)

    @rule("made-up", "warning", "Cases")
    def by_helper(suite: CaseList, context: Context) -> Iterator[Finding]:
        """Hands a case on."""
        return (Finding(e.case.at("id"), "") for e in suite.cases if _wordy(e.case))

    @rule("made-up", "warning", "Cases")
    def by_name(suite: CaseList, context: Context) -> Iterator[Finding]:
        """Asks for a key whose name is not written here."""
        return (Finding(e.case.at("id"), "") for e in suite.cases for name in Case.keys if e.case.has(name))

    @rule("made-up", "warning", "Cases")
    def whole(suite: CaseList, context: Context) -> Iterator[Finding]:
        """Looks at all of it."""
        return (Finding(e.case.at("id"), str(vars(e.case))) for e in suite.cases)

    made = {"direct": direct, "by_helper": by_helper, "by_name": by_name, "whole": whole}
    more = {name: reads(check_of(each)) - {"id"} for name, each in made.items()}
    assert more == {
        "direct": {"expected_output"},
        "by_helper": {"criteria"},
        "by_name": {"everything"},
        "whole": {"everything"},
    }
