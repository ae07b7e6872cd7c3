"""Facts about a text that many cases share: a configuration, a suite around its cases, a file of cases."""

from rubric_core.cached_properties import cached_property
from rubric_core.evaluation.model.redaction import names_in_text

__all__ = ["TextFacts"]


class TextFacts:
    """What is looked for in a text; each is searched for once, when it is asked for first."""

    def __init__(self, text: str) -> None:
        self._text = text

    @cached_property
    def has_braces(self) -> bool:
        """Whether there may be a reference in it."""
        return "{" in self._text

    @cached_property
    def has_templates(self) -> bool:
        """Whether it has the beginning of an expression or of a statement."""
        return "{{" in self._text or "{%" in self._text

    @cached_property
    def has_dollar_braces(self) -> bool:
        """Whether there may be a reference to the environment, as `${NAME}`."""
        return "${" in self._text

    @cached_property
    def mentions_env(self) -> bool:
        """Whether `env` occurs in it, without which no template reads the environment."""
        return "env" in self._text

    @cached_property
    def variables(self) -> frozenset[str]:
        """The environment variables that it names, as `names_in_text` finds them."""
        return names_in_text(self._text)
