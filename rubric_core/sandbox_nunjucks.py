"""Nunjucks as Jinja fills it in, in a sandbox: see `sandbox_worker`, which loads this by its path."""

import json
import re
from collections.abc import Mapping
from typing import Any

from jinja2 import TemplateRuntimeError, Undefined, pass_eval_context

__all__ = ["filters", "in_javascript", "in_jinja"]

_OPENED = re.compile(r"\{[{%]")
_CLOSED = re.compile(r"[%}]\}")
_LOOP = re.compile(r"\{%-?\s*for\s")
_IN = re.compile(r"\sin\s")
_NAMES = re.compile(r"[\w\s,]+")


def filters(known: Mapping[str, Any]) -> dict[str, Any]:
    """The filters that Nunjucks has otherwise than Jinja, whose own are `known`."""
    return {
        "dump": _dump,
        "join": _join_filter(known["join"]),
        "load": json.loads,
        "_pairs": lambda value: list(value.items()) if isinstance(value, dict) else value,
        **{name: _text_filter(name, known[name]) for name in ("upper", "lower", "capitalize", "title", "trim")},
    }


def _dump(value: Any, indent: int | None = None) -> str:
    """The filter `dump` of Nunjucks: JSON, and nothing of what is missing."""
    if isinstance(value, Undefined):
        return ""
    return json.dumps(value, ensure_ascii=False, indent=indent, separators=(",", ": " if indent else ":"))


def _join_filter(apply: Any) -> Any:
    """The filter `join` of Nunjucks, which fails on what is missing."""

    def join(context: Any, value: Any, *arguments: Any) -> Any:
        if isinstance(value, Undefined) or value is None:
            raise TemplateRuntimeError("the filter join takes a list, found nothing")
        # Of items, not of a member of each.
        items = list(map(in_javascript, value)) if len(arguments) < 2 and isinstance(value, list) else value
        return apply(context, items, *arguments)

    return pass_eval_context(join)


def _text_filter(name: str, apply: Any) -> Any:
    """A filter that Nunjucks has for texts alone; nothing is an empty text."""

    def text_filter(value: Any, *arguments: Any) -> Any:
        if value is None or value is False or isinstance(value, Undefined):
            return ""
        if not isinstance(value, str):
            raise TemplateRuntimeError(f"the filter {name} takes a text, found {json.dumps(value, default=str)[:60]}")
        return apply(value, *arguments)

    return text_filter


def in_jinja(template: str) -> str:
    """A template of Nunjucks with the operators of Jinja in its tags."""
    made: list[str] = []
    end = 0
    while (opened := _OPENED.search(template, end)) and (closed := _CLOSED.search(template, opened.end())):
        made += template[end : opened.start()], _tag_in_jinja(template[opened.start() : closed.end()])
        end = closed.end()
    return "".join((*made, template[end:]))


def _tag_in_jinja(tag: str) -> str:
    text = tag.replace("!==", "!=").replace("===", "==")
    loop, name_end = _LOOP.match(text), _IN.search(text)
    if loop is None or name_end is None:
        return text
    names, value_end = text[loop.end() : name_end.start()], len(text) - (3 if text.endswith("-%}") else 2)
    if "," not in names or not _NAMES.fullmatch(names) or not text.endswith("%}"):
        return text
    # Two names in a loop are a key and its value, or the parts of an item.
    return f"{text[: name_end.end()]}({text[name_end.end() : value_end]})|_pairs{text[value_end:]}"


def in_javascript(value: Any) -> Any:
    """A value in a text as JavaScript writes it: lists with commas, mappings without their content."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float) and value.is_integer() and abs(value) < 1e21:
        return str(int(value))
    if isinstance(value, list | tuple):
        return ",".join(str(in_javascript(item)) for item in value)
    return "[object Object]" if isinstance(value, dict) else value
