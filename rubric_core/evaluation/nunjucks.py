"""Templates in the syntax of Nunjucks, which is nearly that of Jinja: expressions with filters, conditions, loops.

jinja2 is imported with the first template that needs it. Templates are run in its sandbox: they compute texts and do nothing else.
"""

import json
from collections.abc import Iterator, Mapping
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from jinja2.sandbox import SandboxedEnvironment

    from rubric_core.evaluation.own_filters import OwnFilters

__all__ = ["TemplateError", "Templates", "Variables"]


class TemplateError(Exception):
    """A template that cannot be filled in; the message says why."""


class Variables(Mapping[str, str]):
    """The environment as templates see it: one variable at a time, never as a whole."""

    def __init__(self, environment: Mapping[str, str]) -> None:
        self._environment = environment

    def __getitem__(self, name: str) -> str:
        return self._environment[name]

    def __iter__(self) -> Iterator[str]:
        return iter(())

    def __len__(self) -> int:
        return 0

    def __repr__(self) -> str:
        return "(the environment)"

    __str__ = __repr__


class Templates:
    """Fills in templates with the same values.

    Args:
        values: Everything that is known, by name.
        environment: What stands under `env`; only what a template names is looked at.
        filters: Those that the suite brings.
    """

    def __init__(
        self, values: Mapping[str, Any], environment: Mapping[str, str], filters: "OwnFilters | None" = None
    ) -> None:
        self._filters = filters
        self._values = {**values, "vars": values, "env": Variables(environment)}

    @cached_property
    def _jinja(self) -> "SandboxedEnvironment":
        from jinja2 import Undefined, UndefinedError  # noqa: PLC0415  # only templates with more than names need it
        from jinja2.sandbox import ImmutableSandboxedEnvironment  # noqa: PLC0415

        class Missing(Undefined):
            """Empty in a text, as in Nunjucks, but a variable of the environment has to be there."""

            def __str__(self) -> str:
                if isinstance(self._undefined_obj, Variables):
                    raise UndefinedError(f"the environment variable {self._undefined_name} is not set")
                return ""

        made = ImmutableSandboxedEnvironment(
            undefined=Missing, autoescape=False, keep_trailing_newline=True, finalize=_text
        )
        made.filters["dump"] = lambda value, indent=None: json.dumps(value, ensure_ascii=False, indent=indent)
        for name in self._filters.files if self._filters is not None else ():
            made.filters[name] = partial(self._filtered, name)
        return made

    def _filtered(self, name: str, *arguments: Any, **named: Any) -> Any:
        """What a filter of the suite gives; arguments with names are the last one together, as in Nunjucks."""
        every = (*arguments, named) if named else arguments
        return self._filters.value(name, every) if self._filters is not None else ""

    def knows(self, template: str) -> bool:
        """Whether every name in a template has a value. Raises TemplateError for one that is no template."""
        from jinja2 import TemplateSyntaxError, meta  # noqa: PLC0415

        try:
            return meta.find_undeclared_variables(self._jinja.parse(template)) <= self._values.keys()
        except TemplateSyntaxError as error:
            raise TemplateError(f"the template cannot be read: {error.message}") from None

    def text(self, template: str) -> str:
        """A template, filled in. Raises TemplateError."""
        from jinja2 import TemplateError as JinjaError  # noqa: PLC0415

        try:
            return self._jinja.from_string(template).render(self._values)
        except JinjaError as error:
            raise TemplateError(str(error)) from None
        except (TypeError, ValueError, ArithmeticError, LookupError, AttributeError) as error:
            raise TemplateError(f"the template fails: {error}") from None


def _text(value: Any) -> Any:
    """A value in a text: mappings and lists as JSON, nothing for nothing."""
    if value is None:
        return ""
    if isinstance(value, bool | dict | list | tuple):
        return json.dumps(value, ensure_ascii=False, default=str)
    return value
