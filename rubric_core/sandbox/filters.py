"""The filters of Nunjucks in a sandbox process. `worker` loads this module by its path, after `values`."""

import json
import math
import random
import re
from collections.abc import Callable, Iterable, Mapping
from html import escape
from typing import Any
from urllib.parse import quote

from jinja2 import TemplateRuntimeError, Undefined

from rubric_core.sandbox.values import computed, is_nothing, is_truthy, number, number_text, shown

__all__ = ["FILTERS"]

_NUMBER = re.compile(r"\s*[+-]?(?:Infinity|(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?)")
_WORD = re.compile(r"[A-Za-z0-9_]+")
_TAG = re.compile(r"</?[a-z][a-z0-9]{0,99}\b[^<>]{0,2000}>", re.IGNORECASE)
#: The characters that `encodeURIComponent` does not escape.
_PLAIN = "-_.!~*'()"


def _text(name: str, value: Any) -> str:
    """A text, or nothing as an empty one. Raises TemplateRuntimeError for anything else."""
    if is_nothing(value):
        return ""
    if not isinstance(value, str):
        raise TemplateRuntimeError(f"the filter {name} takes a text, found {json.dumps(value, default=str)[:60]}")
    return value


def _list(name: str, value: Any) -> list[Any]:
    if isinstance(value, Undefined) or not isinstance(value, list | tuple | range):
        what = "nothing" if isinstance(value, Undefined) or value is None else f"{json.dumps(value, default=str)[:60]}"
        raise TemplateRuntimeError(f"the filter {name} takes a list, found {what}")
    return list(value)


def _member(item: Any, name: Any) -> Any:
    """A member of an item of a list; None if it is missing."""
    if item is None:
        raise TemplateRuntimeError(f"an item is nothing, which has no {name}")
    found = item
    for part in str(name).split("."):
        found = found.get(part) if isinstance(found, dict) else len(found) if part == "length" and found else None
    return found


def _batch(value: Any, count: Any, fill: Any = None) -> list[list[Any]]:
    items = list(value) if isinstance(value, str) else _list("batch", value)
    size = int(number(count))
    made = [items[at : at + size] for at in range(0, len(items), size)] if size > 0 else [items] if items else []
    if made and is_truthy(fill):
        made[-1] += [fill] * (size - len(made[-1]))
    return made


def _slice(value: Any, count: Any, fill: Any = None) -> list[list[Any]]:
    items, parts = _list("slice", value), int(number(count))
    size, extra = divmod(len(items), parts) if parts else (0, 0)
    made, start = list[list[Any]](), 0
    for part in range(parts):
        end = start + size + (part < extra)
        made.append(items[start:end] + ([fill] if is_truthy(fill) and part >= extra else []))
        start = end
    return made


def _capitalized(text: str) -> str:
    return text[:1].upper() + text[1:].lower()


def _center(value: Any, width: Any = 80) -> str:
    text = _text("center", value)
    blanks = int(number(width) or 80) - len(text)
    if blanks <= 0:
        return text
    # Nunjucks puts one blank too few before the text if their number is odd.
    return " " * math.ceil(blanks / 2 - blanks % 2) + text + " " * math.ceil(blanks / 2)


def _default(value: Any, other: Any = "", is_for_false: Any = False) -> Any:  # as templates call it
    missing = not is_truthy(value) if is_truthy(is_for_false) else isinstance(value, Undefined)
    return other if missing else value


def _dictsort(value: Any, case_sensitive: Any = False, by: str = "key") -> list[list[Any]]:
    if not isinstance(value, dict):
        raise TemplateRuntimeError("the filter dictsort takes a mapping")
    at = ("key", "value").index(by)
    pairs = [[name, each] for name, each in value.items()]
    return sorted(
        pairs, key=lambda p: p[at].upper() if isinstance(p[at], str) and not is_truthy(case_sensitive) else p[at]
    )


def _dump(value: Any, indent: Any = None) -> str:
    if isinstance(value, Undefined):
        return ""
    step = indent if isinstance(indent, str) else " " * (int(number(indent)) if indent is not None else 0)
    return _json(value, step, "\n")


def _json(value: Any, step: str, line: str) -> str:
    """A value as `JSON.stringify` writes it; `line` is the line break with the indentation of the closing bracket."""
    if isinstance(value, bool) or value is None or isinstance(value, Undefined):
        return shown(value) or "null"
    if isinstance(value, int | float):
        return number_text(value) if math.isfinite(value) else "null"
    if isinstance(value, str):
        return json.dumps(value, ensure_ascii=False)
    inner = line + step
    between, colon = (f",{inner}", ": ") if step else (",", ":")
    if isinstance(value, dict):
        members = [f"{_json(str(name), '', '')}{colon}{_json(each, step, inner)}" for name, each in value.items()]
        opened, closed = "{", "}"
    else:
        members, opened, closed = [_json(each, step, inner) for each in value], "[", "]"
    return (
        f"{opened}{inner}{between.join(members)}{line}{closed}"
        if step and members
        else f"{opened}{between.join(members)}{closed}"
    )


def _first(value: Any) -> Any:
    return value[0] if isinstance(value, str | list | tuple | range) and len(value) else _none_of("first", value)


def _last(value: Any) -> Any:
    return value[-1] if isinstance(value, str | list | tuple | range) and len(value) else _none_of("last", value)


def _nl2br(value: Any) -> str:
    if value is False:
        raise TemplateRuntimeError("the filter nl2br takes a text")
    return re.sub(r"\r\n|\n", "<br />\n", _text("nl2br", value))


def _string(value: Any) -> str:
    if value is None or isinstance(value, Undefined):
        raise TemplateRuntimeError("the filter string takes a value, found nothing")
    return shown(value)


def _none_of(name: str, value: Any) -> None:
    if value is None or isinstance(value, Undefined):
        raise TemplateRuntimeError(f"the filter {name} takes a list, found nothing")


def _float(value: Any, other: Any = None) -> Any:
    found = _NUMBER.match(shown(value))
    return float(found[0].replace("Infinity", "inf")) if found else other


def _groupby(value: Any, name: Any) -> dict[str, list[Any]]:
    made: dict[str, list[Any]] = {}
    for item in _list("groupby", value):
        made.setdefault("undefined" if (key := _member(item, name)) is None else shown(key), []).append(item)
    return made


def _indent(value: Any, width: Any = 4, is_first: Any = False) -> str:
    lines, blanks = _text("indent", value).split("\n"), " " * int(number(width) or 4)
    if lines == [""]:
        return ""
    return "\n".join(line if at == 0 and not is_truthy(is_first) else blanks + line for at, line in enumerate(lines))


def _int(value: Any, default: Any = None, base: Any = 10) -> Any:
    radix = int(number(base)) or 10
    found = re.match(r"\s*([+-]?)(?:0[xX](?=[0-9a-fA-F]))?([0-9a-zA-Z]+)", shown(value))
    digits = ""
    for sign in found[2] if found else "":
        if not sign.isalnum() or int(sign, 36) >= radix:
            break
        digits += sign
    return int(f"{found[1] if found else ''}{digits}", radix) if digits else default


def _join(value: Any, between: Any = "", name: Any = None) -> str:
    items = _list("join", value)
    return (shown(between) if is_truthy(between) else "").join(shown(_member(i, name) if name else i) for i in items)


def _length(value: Any) -> Any:
    if is_nothing(value):
        return 0
    return len(value) if isinstance(value, str | list | tuple | dict | range) else None


def _as_list(value: Any) -> list[Any]:
    if isinstance(value, dict):
        return [{"key": name, "value": each} for name, each in value.items()]
    if not isinstance(value, str | list | tuple | range):
        raise TemplateRuntimeError("the filter list takes a text, a list or a mapping")
    return list(value)


def _filtered(name: str, *, is_kept: bool) -> Callable[[Any, Any], list[Any]]:
    """The filter that keeps the items with a member, or those without."""
    return lambda value, key: [each for each in _list(name, value) if is_truthy(_member(each, key)) == is_kept]


def _replace(value: Any, old: Any, new: Any = "", most: Any = -1) -> Any:
    if isinstance(old, int | float) and not isinstance(old, bool):
        old = shown(old)
    if not isinstance(old, str):
        return value
    text = shown(value) if isinstance(value, int | float) and not isinstance(value, bool) else value
    if text == "" and old == "":
        return shown(new) * 2
    return text.replace(old, shown(new), int(number(most))) if isinstance(text, str) else text


def _reverse(value: Any) -> Any:
    return value[::-1] if isinstance(value, str) else _list("reverse", value)[::-1]


def _round(value: Any, precision: Any = 0, method: str = "common") -> float:
    factor = 10 ** number(precision)
    scaled = number(value) * factor
    if not math.isfinite(scaled):
        return scaled
    rounded = math.ceil(scaled) if method == "ceil" else math.floor(scaled + (0 if method == "floor" else 0.5))
    return rounded / factor


def _sort(value: Any, reverse: Any = False, case_sensitive: Any = False, attribute: Any = None) -> list[Any]:
    def key(item: Any) -> Any:
        found = _member(item, attribute) if attribute else item
        return found.lower() if isinstance(found, str) and not is_truthy(case_sensitive) else found

    return sorted(_list("sort", value), key=key, reverse=is_truthy(reverse))


def _striptags(value: Any, keeps_breaks: Any = False) -> str:
    begin, *parts = _text("striptags", value).split("<!--")
    ends = [(part, *part.partition("-->")[1:]) for part in parts]
    text = "".join((begin, *(rest if closed else f"<!--{part}" for part, closed, rest in ends)))
    text = _TAG.sub("", text).strip()
    if not is_truthy(keeps_breaks):
        return re.sub(r"\s+", " ", text)
    text = re.sub(r"^ +| +$", "", text, flags=re.MULTILINE)
    return re.sub(r"\n\n\n+", "\n\n", re.sub(r" +", " ", text).replace("\r\n", "\n"))


def _sum(value: Any, name: Any = None, start: Any = 0) -> Any:
    total: Any = 0
    for item in _list("sum", value):
        each = _member(item, name) if name else item
        total = computed("+", total, math.nan if name and each is None else each)
    return computed("+", start, total)


def _trim(value: Any) -> str:
    if value is None or not isinstance(value, str):
        raise TemplateRuntimeError(f"the filter trim takes a text, found {shown(value)[:60] or 'nothing'}")
    return value.strip()


def _truncate(value: Any, length: Any = 255, in_words: Any = False, end: Any = "...") -> str:
    text, most = _text("truncate", value), int(number(length) or 255)
    if len(text) <= most:
        return text
    at = -1 if is_truthy(in_words) else text.rfind(" ", 0, most + 1)
    return text[: most if at < 0 else at] + ("..." if end is None or isinstance(end, Undefined) else shown(end))


def _urlencode(value: Any) -> str:
    if isinstance(value, str):
        return quote(value, safe=_PLAIN)
    pairs: Iterable[Any] = value.items() if isinstance(value, dict) else _list("urlencode", value)
    return "&".join(f"{quote(shown(k), safe=_PLAIN)}={quote(shown(v), safe=_PLAIN)}" for k, v in pairs)


def _wordcount(value: Any) -> int | None:
    return len(_WORD.findall(_text("wordcount", value))) or None


def _escape(value: Any) -> str:
    return escape(shown(value), quote=True).replace("&#x27;", "&#39;")


FILTERS: Mapping[str, Callable[..., Any]] = {
    "abs": lambda value: abs(number(value)), "batch": _batch, "capitalize": lambda v: _capitalized(_text("capitalize", v)),
    "center": _center, "default": _default, "d": _default, "dictsort": _dictsort, "dump": _dump, "escape": _escape, "e": _escape,
    "first": _first, "float": _float, "forceescape": _escape, "groupby": _groupby, "indent": _indent, "int": _int, "join": _join,
    "last": _last, "length": _length, "list": _as_list, "load": json.loads, "lower": lambda v: _text("lower", v).lower(),
    "nl2br": _nl2br, "random": lambda v: random.choice(v) if v else None,  # noqa: S311
    "reject": lambda v: [each for each in _list("reject", v) if not is_truthy(each)], "rejectattr": _filtered("rejectattr", is_kept=False),
    "replace": _replace, "reverse": _reverse, "round": _round, "safe": shown, "slice": _slice,
    "select": lambda v: [each for each in _list("select", v) if is_truthy(each)], "selectattr": _filtered("selectattr", is_kept=True),
    "sort": _sort, "string": _string, "striptags": _striptags, "sum": _sum,
    "title": lambda v: " ".join(map(_capitalized, _text("title", v).split(" "))), "trim": _trim, "truncate": _truncate,
    "upper": lambda v: _text("upper", v).upper(), "urlencode": _urlencode, "wordcount": _wordcount,
}  # fmt: skip
