"""Writes plain data with comments as block YAML."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from rubric_core.lazy_compilation import dataclass, pattern
from rubric_core.syntax.edit import plain_or_quoted, quoted

__all__ = ["Commented", "bare", "write_yaml"]

#: A text that a literal block can hold verbatim; a first line that is indented would need an indicator.
_BLOCK = pattern(r"[^\s\x00-\x1f\x7f](?:[^\x00-\x08\x0b-\x1f\x7f\x85\u2028\u2029\ufeff]*[^\s\x00-\x1f\x7f])?\n?\Z")
#: A text of words on one line, which can be folded anywhere.
_WORDS = pattern(r"\S+(?: \S+)*\n?\Z")
_WIDTH = 100
_STEP = "  "


@dataclass(frozen=True, slots=True)
class Commented:
    """A value with its comments, each with its `#`; an empty text above is a blank line."""

    value: Any
    above: tuple[str, ...] = ()
    beside: str = ""


def bare(value: Any) -> Any:
    """The value without its own comments; those inside it stay."""
    return value.value if isinstance(value, Commented) else value


def write_yaml(data: Mapping[str, Any]) -> str:
    """A mapping as YAML text, with blank lines between large parts. Values are plain data or `Commented`."""
    parts = ["".join(f"{line}\n" for line in _mapping({name: value}, "")) for name, value in data.items()]
    large = [part.count("\n") > 1 for part in parts]
    return "".join(f"\n{part}" if n and (large[n] or large[n - 1]) else part for n, part in enumerate(parts))


def _mapping(data: Mapping[str, Any], margin: str) -> Iterator[str]:
    for name, written in data.items():
        above, beside = _comments(written)
        yield from (f"{margin}{line}" if line else "" for line in above)
        yield from _entry(f"{margin}{plain_or_quoted(name)}:", bare(written), beside, margin)


def _sequence(items: Sequence[Any], margin: str) -> Iterator[str]:
    for written in items:
        above, beside = _comments(written)
        yield from (f"{margin}{line}" if line else "" for line in above)
        value = bare(written)
        if isinstance(value, dict) and value:
            inner = list(_mapping(value, margin + _STEP))
            first = next(n for n, line in enumerate(inner) if line and not line.lstrip().startswith("#"))
            # Comments of the first key would come between the dash and the key.
            yield from (line[len(_STEP) :] if line else "" for line in inner[:first])
            yield f"{margin}- {inner[first][len(margin) + len(_STEP) :]}{_side(beside)}"
            yield from inner[first + 1 :]
        elif isinstance(value, list) and value:
            inner = list(_sequence(value, margin + _STEP))
            yield f"{margin}- {inner[0][len(margin) + len(_STEP) :]}{_side(beside)}"
            yield from inner[1:]
        else:
            yield from _entry(f"{margin}-", value, beside, margin)


def _entry(head: str, value: Any, beside: str, margin: str) -> Iterator[str]:
    """A key or a dash with its value."""
    if isinstance(value, dict) and value:
        yield f"{head}{_side(beside)}"
        yield from _mapping(value, margin + _STEP)
    elif isinstance(value, list) and value:
        yield f"{head}{_side(beside)}"
        yield from _sequence(value, margin + _STEP)
    elif isinstance(value, str) and "\n" in value.removesuffix("\n") and _BLOCK.match(value):
        yield f"{head} |{'' if value.endswith(chr(10)) else '-'}{_side(beside)}"
        yield from (f"{margin}{_STEP}{line}" if line else "" for line in value.removesuffix("\n").split("\n"))
    elif isinstance(value, str) and len(value) > _WIDTH and _BLOCK.match(value) and _WORDS.match(value):
        yield f"{head} >{'' if value.endswith(chr(10)) else '-'}{_side(beside)}"
        yield from (f"{margin}{_STEP}{line}" for line in _folded(value.split()))
    else:
        yield f"{head} {_scalar(value)}{_side(beside)}"


def _folded(words: Sequence[str]) -> Iterator[str]:
    line = words[0]
    for word in words[1:]:
        if len(line) + len(word) >= _WIDTH:
            yield line
            line = word
        else:
            line += f" {word}"
    yield line


def _scalar(value: Any) -> str:
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    if isinstance(value, float) and 0 < abs(value) < 1:
        short = f"{value:.8f}".rstrip("0")
        return short if float(short) == value else repr(value)
    if isinstance(value, float):
        return repr(value).replace("inf", ".inf").replace("nan", ".nan")
    if isinstance(value, int):
        return str(value)
    if isinstance(value, dict | list):
        return "{}" if isinstance(value, dict) else "[]"
    return plain_or_quoted(str(value)) if "\n" not in str(value) else quoted(str(value))


def _comments(written: Any) -> tuple[tuple[str, ...], str]:
    return (written.above, written.beside) if isinstance(written, Commented) else ((), "")


def _side(comment: str) -> str:
    return f"  {comment}" if comment else ""
