"""The shapes of request parameters, and the errors of those that do not fit.

Only the members that the server reads are checked: later clients may send more, and one that leaves out an unused
member is served anyway. lsprotocol has classes for all messages, but loading them would be half of the start-up.
"""

from collections.abc import Iterator, Mapping, Sequence

from rubric_lsp.protocol.errors import INVALID_PARAMS, RequestFailedError

__all__ = [
    "ANYTHING", "AT", "DOCUMENT", "FLAG", "ID", "INTEGER", "NOTHING", "NUMBER", "POSITION", "RANGE", "TEXT", "WITHIN",
    "Shape", "check_params",
]  # fmt: skip

#: A kind of value by name; the members of an object, of which those with "?" may be missing or null; a list of one
#: shape.
Shape = str | Mapping[str, object] | Sequence[object]
TEXT = "a text"
NUMBER = "a whole number of at least 0"
INTEGER = "a whole number"
FLAG = "true or false"
ID = "a number or a text"
ANYTHING = "anything"
NOTHING: Mapping[str, object] = {}
POSITION = {"line": NUMBER, "character": NUMBER}
RANGE = {"start": POSITION, "end": POSITION}
#: The parameters of most requests: a document, a position, a range.
DOCUMENT = {"textDocument": {"uri": TEXT}}
AT = {**DOCUMENT, "position": POSITION}
WITHIN = {**DOCUMENT, "range": RANGE}
#: A list with more errors is reported in short.
_MOST_TOLD = 5


def check_params(method: str, params: object, shape: Shape) -> object:
    """The parameters of `method`, or an empty object if they are missing. Raises RequestFailedError for another shape."""
    given: object = {} if params is None else params
    found = list(_first(_misfits(given, shape, "")))
    if found:
        raise RequestFailedError(INVALID_PARAMS, f"the parameters of {method} cannot be read: {'; '.join(found)}")
    return given


def _first(found: Iterator[str]) -> Iterator[str]:
    return (each for _, each in zip(range(_MOST_TOLD), found, strict=False))


def _misfits(value: object, shape: object, path: str) -> Iterator[str]:
    """The errors in a value, in words."""
    if isinstance(shape, str):
        if not _is(value, shape):
            yield f"{path} must be {shape}, found {_shown(value)}"
    elif isinstance(shape, Mapping):
        if not isinstance(value, dict):
            yield f"{path or 'they'} must be an object, found {_shown(value)}"
            return
        for name, inner in shape.items():
            key = name.removesuffix("?")
            given = value.get(key)
            at = f"{path}.{key}" if path else key
            if given is not None:
                yield from _misfits(given, inner, at)
            elif key == name:
                yield f"{at} is missing"
    elif isinstance(shape, Sequence):
        if not isinstance(value, list):
            yield f"{path} must be a list, found {_shown(value)}"
            return
        for number, each in enumerate(value):
            yield from _misfits(each, shape[0], f"{path}[{number}]")


def _is(value: object, kind: str) -> bool:
    if kind == TEXT:
        return isinstance(value, str)
    if kind == NUMBER:
        return isinstance(value, int) and not isinstance(value, bool) and value >= 0
    if kind == INTEGER:
        return isinstance(value, int) and not isinstance(value, bool)
    if kind == FLAG:
        return isinstance(value, bool)
    if kind == ID:
        return isinstance(value, int | str) and not isinstance(value, bool)
    return True


def _shown(value: object) -> str:
    """The type of a value. The value itself may be confidential."""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, int | float):
        return f"{value:.20}" if isinstance(value, float) else str(value)[:20]
    if value is None:
        return "null"
    return "a text" if isinstance(value, str) else "an object" if isinstance(value, dict) else "a list"
