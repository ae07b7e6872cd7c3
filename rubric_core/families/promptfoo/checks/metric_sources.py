"""What may give a case of promptfoo metrics besides the key `metric`: scripts, files and templates."""

from collections.abc import Collection

from rubric_core.families.promptfoo.language.assertion import Assertion
from rubric_core.lazy_compilation import pattern

__all__ = ["may_give_metrics", "words_of_scripts"]

_WORD = pattern(r"[A-Za-z_]\w*")
#: What gives metrics in the result of a script, or may.
_NAMED_SCORES = pattern(r"named_?[Ss]cores|\.\.\.|\*\*|\b(?:import|require|eval|exec)\b|\.py\b|\.[cm]?js\b")


def may_give_metrics(check: Assertion) -> bool:
    """Whether an assertion may give metrics that the text does not name."""
    kind, code = check.type_name.removeprefix("not-"), str(check.value)
    scripted = kind == "webhook" or (
        kind in ("javascript", "python", "ruby") and _NAMED_SCORES.search(code) is not None
    )
    return scripted or "{{" in str(check.metric) or code.startswith(("file://", "package:"))


def words_of_scripts(checks: Collection[Assertion]) -> frozenset[str]:
    """The words of scripts that give metrics, and of their variables: each may name one."""
    scripts = [check.value for check in checks if isinstance(check.value, str) and "namedScores" in check.value]
    return frozenset(word for script in scripts for word in _WORD.findall(script))
