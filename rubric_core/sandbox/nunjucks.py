"""Nunjucks templates as Jinja templates, in a sandbox process. `worker` loads this module by its path."""

import re
from collections import Counter
from typing import Any

from jinja2 import TemplateRuntimeError, nodes
from jinja2.ext import Extension
from jinja2.parser import Parser
from jinja2.visitor import NodeTransformer

__all__ = ["Switch", "in_jinja", "javascript_tree"]

_OPENED = re.compile(r"\{[{%]")
_CLOSED = re.compile(r"[%}]\}")
#: `===` and `!==`, which Jinja lacks. They become `== +` and `!= +`, which nobody writes otherwise.
_STRICT = re.compile(r"([=!])==")
#: `r/pattern/flags`.
_REGEX = re.compile(r"(?<![\w.'\"])r/(?:[^\\/\n]|\\.){1,200}/")


def in_jinja(template: str) -> str:
    """A template of Nunjucks with the operators of Jinja in its tags: `a === b` is `a == +b`.

    Raises TemplateRuntimeError for a regular expression, which Jinja would read as divisions.
    """
    made: list[str] = []
    end = 0
    while (opened := _OPENED.search(template, end)) and (closed := _CLOSED.search(template, opened.end())):
        tag = template[opened.start() : closed.end()]
        if _REGEX.search(tag):
            raise TemplateRuntimeError("rubric does not have regular expressions such as `r/a+/` in templates")
        made += template[end : opened.start()], _STRICT.sub(r"\1= +", tag)
        end = closed.end()
    return "".join((*made, template[end:]))


def javascript_tree(tree: nodes.Template, environment: Any) -> nodes.Template:
    """The tree of a template with the operators, conditions and loops of JavaScript, which are filters there.

    Raises TemplateRuntimeError for a loop that changes a variable which is read outside of it.
    """
    for loop in tree.find_all(nodes.For):
        _refuse_changes(loop, tree)
    made: nodes.Template = _Operators().visit(tree)
    made.set_environment(environment)
    return made


def _refuse_changes(loop: nodes.For, tree: nodes.Template) -> None:
    """Raises TemplateRuntimeError where a loop sets a variable of the text around it, which in Jinja it does not."""
    changed = {
        name.name for each in loop.find_all(nodes.Assign) for name in each.find_all(nodes.Name) if name.ctx == "store"
    }
    if changed:
        inside = Counter(name.name for name in loop.find_all(nodes.Name))
        whole = Counter(name.name for name in tree.find_all(nodes.Name))
        outside = next((name for name in sorted(changed) if whole[name] > inside[name]), None)
        if outside is not None:
            raise TemplateRuntimeError(f"rubric does not carry `{outside}`, which a loop sets, out of the loop")


def _filter(name: str, node: nodes.Node, *arguments: nodes.Expr) -> nodes.Filter:
    assert isinstance(node, nodes.Expr)
    return nodes.Filter(node, name, list(arguments), [], None, None, lineno=node.lineno)


class _Operators(NodeTransformer):
    """Puts filters in the place of operators that mean something else in Python."""

    def visit_Compare(self, node: nodes.Compare) -> nodes.Expr:  # noqa: N802  # as Jinja calls it
        """Comparisons."""
        self.generic_visit(node)
        if any(each.op in ("in", "notin") for each in node.ops):
            for each in node.ops:
                each.expr = _filter("_searched", each.expr)
            return node
        made = node.expr
        for each in node.ops:
            is_strict, right = _without_mark(each.expr)
            name = "_same" if is_strict else f"_{each.op.replace('ne', 'eq')}"
            made = _filter(name, made, right)
            made = nodes.Not(made, lineno=node.lineno) if each.op == "ne" else made
        return made

    def visit_And(self, node: nodes.And) -> nodes.Expr:  # noqa: N802
        """The second value where the first one is true, else the first."""
        self.generic_visit(node)
        return nodes.CondExpr(_filter("_truthy", node.left), node.right, node.left, lineno=node.lineno)

    def visit_Or(self, node: nodes.Or) -> nodes.Expr:  # noqa: N802
        """The first value if it is true, else the second."""
        self.generic_visit(node)
        return nodes.CondExpr(_filter("_truthy", node.left), node.left, node.right, lineno=node.lineno)

    def visit_Not(self, node: nodes.Not) -> nodes.Expr:  # noqa: N802
        """Negations."""
        self.generic_visit(node)
        return nodes.Not(_filter("_truthy", node.node), lineno=node.lineno)

    def visit_If(self, node: nodes.If) -> nodes.Node:  # noqa: N802
        """Conditions."""
        self.generic_visit(node)
        node.test = _filter("_truthy", node.test)
        return node

    def visit_CondExpr(self, node: nodes.CondExpr) -> nodes.Node:  # noqa: N802
        """Conditions in an expression."""
        self.generic_visit(node)
        node.test = _filter("_truthy", node.test)
        return node

    def visit_For(self, node: nodes.For) -> nodes.Node:  # noqa: N802
        """Loops."""
        self.generic_visit(node)
        assert isinstance(node.iter, nodes.Expr)
        names = len(node.target.items) if isinstance(node.target, nodes.Tuple) else 1
        node.iter = _filter("_items", node.iter) if names == 1 else _filter("_pairs", node.iter, nodes.Const(names))
        return node

    def visit_Concat(self, node: nodes.Concat) -> nodes.Node:  # noqa: N802
        """`~`."""
        self.generic_visit(node)
        node.nodes = [_filter("_added", each) for each in node.nodes]
        return node


def _without_mark(node: nodes.Expr) -> tuple[bool, nodes.Expr]:
    """Whether a `+` marks an operand as one of `===`, and the operand without it."""
    if isinstance(node, nodes.Pos):
        return True, node.node
    inner = getattr(node, "node", None)
    if isinstance(node, nodes.Filter | nodes.Getattr | nodes.Getitem | nodes.Call) and isinstance(inner, nodes.Expr):
        is_marked, node.node = _without_mark(inner)
        return is_marked, node
    return False, node


class Switch(Extension):
    """`{% switch %}` with `{% case %}` and `{% default %}`: a case without a body falls through."""

    tags = {"switch"}  # noqa: RUF012  # as Jinja declares it

    def parse(self, parser: Parser) -> nodes.Node | list[nodes.Node]:
        """A chain of conditions."""
        line = next(parser.stream).lineno
        subject = parser.parse_expression()
        parser.parse_statements(("name:case", "name:default", "name:endswitch"))
        cases: list[tuple[list[nodes.Expr], list[nodes.Node]]] = []
        default: list[nodes.Node] = []
        waiting: list[nodes.Expr] = []
        while not parser.stream.current.test("name:endswitch"):
            is_case = next(parser.stream).value == "case"
            if is_case:
                waiting.append(_filter("_same", subject, parser.parse_expression()))
            body = parser.parse_statements(("name:case", "name:default", "name:endswitch"))
            if not is_case:
                default = body
            elif body:
                cases.append((waiting, body))
                waiting = []
        next(parser.stream)
        made = default
        for tests, body in reversed(cases):
            test = tests[0]
            for each in tests[1:]:
                test = nodes.Or(test, each, lineno=line)
            made = [nodes.If(test, body, [], made, lineno=line)]
        return made
