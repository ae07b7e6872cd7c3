"""The shapes that the server sends, compared with lsprotocol's model and with the extension of VS Code."""

import re
import subprocess
import sys
import types
import typing
from collections.abc import Sequence
from enum import Enum
from pathlib import Path

import attrs
import pytest
from lsprotocol import types as lsp

from rubric_lsp.protocol.json_array import JsonArray
from rubric_lsp.protocol.wire_types import diagnostics, documents, explorer, features, handshake, messages, window

PROTOCOL = Path(__file__).parents[2] / "editors/vscode/src/protocol.ts"
MODULES = (diagnostics, documents, explorer, features, handshake, messages, window)
SHAPES = {
    n: c
    for module in MODULES
    for n, c in vars(module).items()
    if typing.is_typeddict(c) and n[0] != "_" and c.__module__ == module.__name__
}
#: Shapes that lsprotocol has no class for, or that are ours.
OURS = {
    *(n for n, c in SHAPES.items() if c.__module__ == explorer.__name__),
    *("RubricTests", "Experimental", "NotificationMessage", "RequestMessage", "ResponseMessage"),
    *("WritingCapabilities", "DisplayCapabilities", "NavigationCapabilities"),  # parts of ServerCapabilities
}
OTHER_NAMES = {"CommandWithArguments": "Command", "Documented": "CompletionItem"}
OF_LSP = {n: getattr(lsp, OTHER_NAMES.get(n, n)) for n in SHAPES if hasattr(lsp, OTHER_NAMES.get(n, n))}


def camel(name: str) -> str:
    first, *rest = name.rstrip("_").split("_")
    return first + "".join(each.title() for each in rest)


def members(kind: object) -> tuple[object, ...]:
    return typing.get_args(kind) if typing.get_origin(kind) in (typing.Union, types.UnionType) else (kind,)


def fits(ours: object, theirs: object) -> bool:
    """Whether every value of the one is a value of the other."""
    if theirs in (typing.Any, lsp.LSPAny):
        return True
    return all(any(fits_one(one, other) for other in members(theirs)) for one in members(ours))


def fits_one(ours: object, theirs: object) -> bool:
    if theirs in (typing.Any, object):
        return True
    origin = typing.get_origin(theirs)
    if typing.get_origin(ours) is typing.Literal:
        values = typing.get_args(ours)
        if origin is typing.Literal:
            return set(values) <= set(typing.get_args(theirs))
        if isinstance(theirs, type) and issubclass(theirs, Enum):
            return set(values) <= {each.value for each in theirs}
        return all(type(value) is theirs for value in values)
    if ours is JsonArray:
        return origin in (list, Sequence, typing.get_origin(typing.Sequence[int]))
    if typing.get_origin(ours) is list:
        return origin in (list, Sequence) and fits(typing.get_args(ours)[0], typing.get_args(theirs)[0])
    if typing.get_origin(ours) is dict:
        return origin is not None and fits(typing.get_args(ours)[1], typing.get_args(theirs)[1])
    if typing.is_typeddict(ours):
        return OF_LSP.get(ours.__name__) is theirs
    if isinstance(theirs, type) and issubclass(theirs, Enum):
        return isinstance(next(iter(theirs)).value, ours)
    return ours is theirs


def test_all_shapes_but_ours_are_those_of_lsp():
    assert SHAPES.keys() - OF_LSP.keys() == OURS
    assert len(OF_LSP) >= 75


def test_starting_makes_none_of_these_classes():
    code = "import sys; from rubric_lsp.routes import make_server; make_server(); print([m for m in sys.modules if 'wire_types' in m])"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout == "[]\n"


@pytest.mark.parametrize("name", sorted(OF_LSP))
def test_a_shape_has_the_members_of_lsp(name: str):
    shape, model = SHAPES[name], attrs.resolve_types(OF_LSP[name])
    fields = {camel(each.name): each for each in attrs.fields(model)}
    written = typing.get_type_hints(shape)
    assert not written.keys() - fields.keys(), f"{name} has members that LSP does not know"
    for member, kind in written.items():
        assert fits(kind, fields[member].type), f"{name}.{member}: {kind} is no {fields[member].type}"
    if name != "Documented":
        needed = {member for member, each in fields.items() if each.default is attrs.NOTHING}
        assert needed <= shape.__required_keys__, f"{name} leaves out what LSP requires"


@pytest.mark.parametrize(
    ("ours", "theirs"),
    [
        (str, int),
        (documents.Position, lsp.Range),
        (list[str], Sequence[int]),
        (str | None, str),
        (int, lsp.MarkupKind),
    ],
)
def test_other_types_do_not_fit(ours: object, theirs: object):
    assert not fits(ours, theirs)


INTERFACE = re.compile(r"export interface (\w+)(?: extends \w+)? \{\n(.*?)\n\}", re.DOTALL)
MEMBER = re.compile(r"^  (\w+)(\??): (.+);$", re.MULTILINE)
DECLARED = {name: MEMBER.findall(body) for name, body in INTERFACE.findall(PROTOCOL.read_text(encoding="utf-8"))}


@pytest.mark.parametrize(
    "name", ["Test", "Discovered", "Changed", "Message", "TestState", "RunBegan", "RunEnded", "About"]
)
def test_a_shape_is_what_the_extension_declares(name: str):
    shape, declared = SHAPES[name], DECLARED[name]
    assert {member for member, optional, _ in declared if not optional} == shape.__required_keys__
    assert {member for member, optional, _ in declared if optional} == shape.__optional_keys__
    written = typing.get_type_hints(shape)
    assert {member: type_name(written[member], kind) for member, _, kind in declared} == {m: k for m, _, k in declared}


def type_name(kind: object, declared: str) -> str:
    """A type as TypeScript writes it; one that has a name there by that name."""
    if kind in (str, bool, int, float):
        return {str: "string", bool: "boolean", int: "number", float: "number"}[kind]
    if kind == explorer.State:
        return "State"
    if typing.get_origin(kind) is typing.Literal:
        return " | ".join(f"'{each}'" for each in typing.get_args(kind))
    if typing.get_origin(kind) is list:
        return f"{type_name(typing.get_args(kind)[0], declared)}[]"
    assert typing.is_typeddict(kind)
    if declared.startswith("{"):
        inner = "; ".join(f"{n}: {type_name(k, '')}" for n, k in typing.get_type_hints(kind).items())
        return f"{{ {inner} }}"
    return kind.__name__
