"""Tools and the choice among them in the words of OpenAI, as promptfoo translates them for other vendors."""

from collections.abc import Mapping
from typing import Any

__all__ = ["anthropic_choice", "anthropic_tools", "google_choice", "google_tools"]

_CHOICES = ("auto", "none", "required")
#: The tools that Anthropic runs itself: their versions, and what is sent of them.
_SERVER_TOOLS: Mapping[str, tuple[str, ...]] = {
    "web_fetch": ("web_fetch_20250910", "web_fetch_20260209", "web_fetch_20260309"),
    "web_search": ("web_search_20250305", "web_search_20260209"),
}
_WITH_CACHE = "web_fetch_20260309"
_SHARED_FIELDS = (
    "allowed_callers",
    "max_uses",
    "allowed_domains",
    "blocked_domains",
    "cache_control",
    "defer_loading",
    "strict",
)
_FETCH_FIELDS = (*_SHARED_FIELDS, "citations", "max_content_tokens", "use_cache")
_SEARCH_FIELDS = (*_SHARED_FIELDS, "user_location")
#: Keywords of JSON Schema that Google does not take.
_UNKNOWN_TO_GOOGLE = ("additionalProperties", "$schema", "default", "$id", "$ref")
_GOOGLE_KEYWORDS = frozenset({
    "type", "format", "description", "nullable", "enum", "maxItems", "minItems", "properties", "required", "propertyOrdering", "items",
})  # fmt: skip


def _is_openai(tools: Any) -> bool:
    """Whether tools are those of OpenAI, which the first one shows."""
    first = tools[0] if isinstance(tools, list) and tools else None
    function = first.get("function") if isinstance(first, dict) and first.get("type") == "function" else None
    return isinstance(function, dict) and isinstance(function.get("name"), str)


def _function(tool: Any) -> Mapping[str, Any]:
    function = tool.get("function") if isinstance(tool, dict) else None
    return function if isinstance(function, dict) else {}


def anthropic_tools(tools: Any) -> list[dict[str, Any]]:
    """The tools in Anthropic's form; none if they are not a list."""
    if not isinstance(tools, list):
        return []
    if not _is_openai(tools):
        return [_server_tool(each) for each in tools if isinstance(each, dict)]
    return [
        {
            "name": function.get("name"),
            **({"description": function["description"]} if function.get("description") else {}),
            "input_schema": function.get("parameters") or {"type": "object", "properties": {}},
        }
        for function in map(_function, tools)
    ]


def _server_tool(tool: Mapping[str, Any]) -> dict[str, Any]:
    """A tool that Anthropic runs itself, with what promptfoo sends of it; any other as it is."""
    kind = tool.get("type")
    name = next((each for each, versions in _SERVER_TOOLS.items() if kind in versions), None)
    if name is None:
        return dict(tool)
    fields = _FETCH_FIELDS if name == "web_fetch" else _SEARCH_FIELDS
    kept = {field: tool[field] for field in fields if field in tool and (field != "use_cache" or kind == _WITH_CACHE)}
    return {"type": kind, "name": name, **kept}


def _named_choice(choice: Any) -> str:
    """The name of the one function that has to be called; empty for none."""
    function = choice.get("function") if isinstance(choice, dict) and choice.get("type") == "function" else None
    name = function.get("name") if isinstance(function, dict) else None
    return name if isinstance(name, str) else ""


def anthropic_choice(choice: Any) -> Any:
    """The choice in Anthropic's form; unchanged if it is not in OpenAI's."""
    if isinstance(choice, str) and choice in _CHOICES:
        return {"type": "any" if choice == "required" else choice}
    name = _named_choice(choice)
    return {"type": "tool", "name": name} if name else choice


def google_choice(choice: Any) -> Any:
    """The choice in Google's form; unchanged if it is not in OpenAI's."""
    if isinstance(choice, str) and choice in _CHOICES:
        return {"functionCallingConfig": {"mode": "ANY" if choice == "required" else choice.upper()}}
    name = _named_choice(choice)
    return {"functionCallingConfig": {"mode": "ANY", "allowedFunctionNames": [name]}} if name else choice


def google_tools(tools: Any) -> list[Any]:
    """The tools as Google takes them."""
    listed = tools if isinstance(tools, list) else [tools] if tools else []
    if _is_openai(tools):
        listed = [{"functionDeclarations": [_declaration(each) for each in tools]}]
    return [_normal(each) if isinstance(each, dict) else each for each in listed]


def _declaration(tool: Any) -> dict[str, Any]:
    function = _function(tool)
    made = {"name": function.get("name")}
    made |= {"description": function["description"]} if function.get("description") else {}
    return {**made, **({"parameters": _sanitized(function["parameters"])} if function.get("parameters") else {})}


def _normal(tool: Mapping[str, Any]) -> dict[str, Any]:
    made = dict(tool)
    for old, new in (
        ("google_search", "googleSearch"),
        ("code_execution", "codeExecution"),
        ("google_search_retrieval", "googleSearchRetrieval"),
    ):
        if tool.get(old) is not None and not made.get(new):
            made[new] = tool[old]
    declared = made.get("functionDeclarations")
    if isinstance(declared, list):
        made["functionDeclarations"] = [_known(each) if isinstance(each, dict) else each for each in declared]
    return made


def _known(declaration: Mapping[str, Any]) -> dict[str, Any]:
    parameters = declaration.get("parameters")
    made = {name: value for name, value in declaration.items() if name != "parameters"}
    return {**made, "parameters": _supported(parameters)} if parameters else made


def _sanitized(schema: Any) -> Any:
    """A schema without the keywords that Google refuses, and with its types in capitals."""
    return _each_schema(schema, lambda name: name not in _UNKNOWN_TO_GOOGLE, _sanitized)


def _supported(schema: Any) -> Any:
    """A schema with only the keywords that Google knows."""
    return _each_schema(schema, lambda name: name in _GOOGLE_KEYWORDS, _supported)


def _each_schema(schema: Any, keeps: Any, inner: Any) -> Any:
    if not isinstance(schema, dict):
        return schema
    made: dict[str, Any] = {}
    for name, value in schema.items():
        if not keeps(name):
            continue
        if name == "type" and isinstance(value, str):
            made[name] = value.upper()
        elif name == "properties" and isinstance(value, dict):
            made[name] = {key: inner(each) for key, each in value.items()}
        else:
            made[name] = inner(value) if name == "items" else value
    return made
