"""Variables of the environment that change how promptfoo runs every configuration."""

from collections.abc import Mapping

__all__ = ["DISABLE_TEMPLATING", "HIDING", "hides_environment", "is_on", "number_of"]

#: Fills in no template but those for judges.
DISABLE_TEMPLATING = "PROMPTFOO_DISABLE_TEMPLATING"
#: Each hides the variables of the user from templates.
HIDING = ("PROMPTFOO_DISABLE_TEMPLATE_ENV_VARS", "PROMPTFOO_SELF_HOSTED")
#: The values of a variable that promptfoo takes for true.
_TRUE = frozenset({"1", "true", "yes", "yup", "yeppers"})


def is_on(environment: Mapping[str, str], name: str) -> bool:
    """Whether a variable of promptfoo is set to true."""
    return environment.get(name, "").lower() in _TRUE


def hides_environment(environment: Mapping[str, str]) -> bool:
    """Whether `env` in templates has nothing but the variables of the configuration."""
    hides, usual = HIDING
    return is_on(environment, hides if environment.get(hides) else usual)


def number_of(environment: Mapping[str, str], name: str, usual: float | None = None) -> float | None:
    """The number at the beginning of a variable, as JavaScript reads it; `usual` without one."""
    text = environment.get(name, "").strip()
    sign, digits = (-1, text[1:]) if text.startswith("-") else (1, text)
    found, end = "", 0
    while end < len(digits) and end < 30 and (digits[end].isdecimal() or (digits[end] == "." and "." not in found)):
        found, end = found + digits[end], end + 1
    return sign * float(found) if found.strip(".") else usual
