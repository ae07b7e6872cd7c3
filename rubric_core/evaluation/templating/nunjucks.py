"""Templates in the syntax of Nunjucks, which is nearly that of Jinja: expressions with filters, conditions, loops.

They are filled in in a sandbox: they compute texts and do nothing else, within limits of time, memory and length.
"""

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, TypeVar

from rubric_core.language.dialect import Dialect
from rubric_core.ports import Ports
from rubric_core.sandbox.process import Sandbox, SandboxError

if TYPE_CHECKING:
    from rubric_core.evaluation.model.template_filters import TemplateFilters

__all__ = ["TemplateError", "Templates", "render_off_loop"]

T = TypeVar("T")

#: Seconds of processor time.
_TIME_LIMIT = 2.0


async def render_off_loop(dialect: Dialect, ports: Ports, work: Callable[[], T]) -> T:
    """What `work` gives, which may fill in templates: in a thread where the dialect has some that compute."""
    if not dialect.properties.nunjucks:
        return work()
    made: T = await ports.sandbox.threaded(work)
    return made


class TemplateError(Exception):
    """A template that cannot be filled in; the message says why."""


class Templates:
    """Fills in templates with the same values.

    Args:
        values: Everything that is known, by name.
        environment: What stands under `env`; only what a template names is looked at.
        sandbox: Where templates are filled in; without one they are not.
        filters: Those that the suite brings.
        is_plain: Whether they are filled in as Nunjucks itself does it: what is missing is empty, and a list has commas.
    """

    def __init__(
        self,
        values: Mapping[str, Any],
        environment: Mapping[str, str],
        sandbox: Sandbox | None,
        filters: "TemplateFilters | None" = None,
        *,
        is_plain: bool = False,
    ) -> None:
        self._values, self._environment, self._sandbox, self._filters = values, environment, sandbox, filters
        self._is_plain = is_plain

    def text(self, template: str) -> str | None:
        """A template, filled in; None where a name in it has no value. Blocks. Raises TemplateError, and what filters raise."""
        if self._sandbox is None:
            return None
        filters = list(self._filters.files) if self._filters is not None else []
        request: dict[str, Any] = {
            "do": "render",
            "template": template,
            "values": dict(self._values),
            "filters": filters,
        }
        if self._is_plain:
            request["plain"] = True
        try:
            made = self._sandbox.call(request, _TIME_LIMIT, self._answer)
        except SandboxError as error:
            raise TemplateError(str(error) if error.told else f"the template {error}") from None
        return made if made is None else str(made)

    def _answer(self, what: str, about: Any) -> Any:
        """What a template asks for while it is filled in."""
        if what == "environment":
            return self._environment.get(about)
        name, *arguments = about
        return self._filters.value(name, tuple(arguments)) if self._filters is not None else ""
