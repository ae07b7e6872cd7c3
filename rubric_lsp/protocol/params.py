"""What the parameters of a method have to hold, and what is wrong with those that do not.

Only what the server reads is looked at: clients of tomorrow may send more, and one that leaves out what nobody needs is
served anyway. lsprotocol has a class for everything that can be sent; loading them would be half of the start-up.
"""

from collections.abc import Iterator, Mapping, Sequence

from rubric_lsp.protocol.errors import INVALID_PARAMS, RequestFailedError

__all__ = [
    "ANYTHING", "AT", "DOCUMENT", "FLAG", "ID", "INTEGER", "NOTHING", "NUMBER", "POSITION", "RANGE", "TEXT", "WITHIN",
    "Shape", "check_params",
]  # fmt: skip

#: A kind of value by its name; the members of an object, of which those with a "?" may be missing or null; a list of one shape.
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
#: The parameters of most requests: about a document, a place in it, a stretch of it.
DOCUMENT = {"textDocument": {"uri": TEXT}}
AT = {**DOCUMENT, "position": POSITION}
WITHIN = {**DOCUMENT, "range": RANGE}
#: A list with more mistakes than this is not what was meant to be sent.
_MOST_TOLD = 5


def check_params(method: str, params: object, shape: Shape) -> object:
    """The parameters of `method`, those that do not exist as an empty object. Raises RequestFailedError for another shape."""
    given: object = {} if params is None else params
    found = list(_first(_misfits(given, shape, "")))
    if found:
        raise RequestFailedError(INVALID_PARAMS, f"the parameters of {method} cannot be read: {'; '.join(found)}")
    return given


def _first(found: Iterator[str]) -> Iterator[str]:
    return (each for _, each in zip(range(_MOST_TOLD), found, strict=False))


def _misfits(value: object, shape: object, path: str) -> Iterator[str]:
    """What is wrong with a value, in words."""
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
    """What a value is. Not the value itself: a text may be confidential."""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, int | float):
        return f"{value:.20}" if isinstance(value, float) else str(value)[:20]
    if value is None:
        return "null"
    return "a text" if isinstance(value, str) else "an object" if isinstance(value, dict) else "a list"
