"""Assertions that are code, or a service; and code as AgentV reads it."""

from collections.abc import Mapping
from typing import Any, Literal

from rubric_core.families.promptfoo.language.javascript import declarations_and_result
from rubric_core.families.promptfoo.migration.conversion import (
    Conversion,
    NotCarriedError,
    Surroundings,
    above_zero,
    share_of,
)
from rubric_core.lazy_compilation import pattern
from rubric_core.loading.directory_search import URL

__all__ = ["javascript_code", "script", "transform_code", "webhook"]

_CODE = "if the code returns a number, promptfoo passes it above 0, AgentV fails a case with a score below 1"
_NUMBER = "promptfoo passes any number above 0, hence the low `min_score`"
#: The score from which a number passes where promptfoo wants more than 0.
_MORE_THAN_NOTHING = 0.00001
_GIVES_RESULT = pattern(r"\breturn\b|=>|\bthrow\b|\braise\b")
#: Operators and calls whose result is a truth value.
_TRUTH = pattern(
    r"[<>]=?|[=!]==?|\.(?:includes|startsWith|endsWith|startswith|endswith|test|some|every|hasOwnProperty|isdigit)\(|^\s*!|\bnot\s|\bin\b"
    r"|^\s*(?:true|false|True|False)\s*$|^\s*(?:bool|any|all|isinstance|Boolean)\("
)
_NUMBERED = pattern(r"\?|\*|\bif\b|Math\.|\|\|\s*\d|&&\s*\d|\bscore\b|\blambda\b")
#: A choice between 1 and 0, or true and false.
_CHOICE = pattern(r"\? ?(?:1 ?: ?0|true ?: ?false)\Z")


def javascript_code(code: str) -> str:
    """Code as AgentV runs it: one line with declarations returns its last expression there only with `return`.

    Raises NotCarriedError for declarations alone.
    """
    line = code.strip().rstrip(";").rstrip()
    if "\n" in line:
        return code.rstrip()
    declared, result = declarations_and_result(line)
    if not declared:
        return line
    if not result.strip():
        raise NotCarriedError(
            "the code only declares something, so promptfoo fails every output: add what it should give"
        )
    return f"{declared}; return {result.strip()}"


def _result_of(code: str) -> Literal["truth", "number", "unknown"]:
    """The kind of value that code returns, judged by its text."""
    if "\n" in code.strip() or code.startswith(URL) or "{" in code:
        return "unknown"
    is_truth = bool(_TRUTH.search(code)) and not _NUMBERED.search(code)
    line = code.strip().rstrip("; ")
    is_choice = bool(_CHOICE.search(line)) or (line.startswith("1 if ") and line.endswith(" else 0"))
    return "truth" if is_truth or is_choice else "number"


def transform_code(written: Any) -> str:
    """The code of a `transform`. Raises NotCarriedError for anything else."""
    if not isinstance(written, str):
        raise NotCarriedError("AgentV takes code, or a file with code, as `transform`")
    return written if written.startswith(URL) else javascript_code(written)


def script(settings: Mapping[str, Any], _: Surroundings) -> Conversion:
    """`javascript` and `python`."""
    kind, value = settings["type"].removeprefix("not-"), settings.get("value")
    if not isinstance(value, str) or not value.strip():
        raise NotCarriedError(f"`{settings['type']}` has no code")
    if not value.startswith(URL) and "\n" in value.strip() and not _GIVES_RESULT.search(value):
        raise NotCarriedError("the code returns nothing, so promptfoo fails every output: add `return`")
    least = share_of(settings)
    keys: dict[str, Any] = {"value": value if value.startswith(URL) or kind == "python" else javascript_code(value)}
    if least is not None:
        keys["threshold"] = least
    if isinstance(settings.get("config"), dict):
        keys["config"] = settings["config"]
    if least is not None:
        return Conversion(keys, "score", above_zero(least))
    result = _result_of(value)
    if result == "number" and settings["type"] == kind:
        return Conversion(keys, "score", _MORE_THAN_NOTHING, (_NUMBER,))
    return Conversion(keys, differs=() if result == "truth" else (_CODE,))


def webhook(settings: Mapping[str, Any], _: Surroundings) -> Conversion:
    """`webhook`."""
    value, least = settings.get("value"), share_of(settings)
    if not isinstance(value, str) or not value:
        raise NotCarriedError("`webhook` has no address")
    keys: dict[str, Any] = {"value": value, **({} if least is None else {"threshold": least})}
    differs = ("AgentV sends more about the case than promptfoo does; a score counts as it is",)
    return Conversion(keys, "score" if least is not None else "check", 1.0 if least is None else least, differs)
