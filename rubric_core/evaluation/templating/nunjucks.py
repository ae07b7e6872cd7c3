"""Templates in the syntax of Nunjucks, which is nearly that of Jinja: expressions with filters, conditions, loops.

They are rendered in a sandbox, within limits of time, memory and length; of Nunjucks, those that only name values are
filled in at once.
"""

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, TypeVar

from rubric_core.evaluation.templating.plain_references import filled_in
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
    """The result of `work`, which may render templates: in a thread if the dialect's templates can contain code."""
    if not dialect.properties.nunjucks:
        return work()
    made: T = await ports.sandbox.threaded(work)
    return made


class TemplateError(Exception):
    """A template cannot be rendered; the message says why."""


class Templates:
    """Renders templates with the same values.

    Args:
        values: The values by name.
        environment: The values of `env`; only those that a template names are read.
        sandbox: Renders templates; without one they are not rendered.
        filters: The suite's filters.
        is_plain: Whether they are rendered as by Nunjucks itself: missing values are empty, and lists have commas.
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
        """The rendered template; None if a name has no value. Blocks. Raises TemplateError, and errors of filters."""
        if self._sandbox is None:
            return None
        if self._is_plain:
            filled = filled_in(template, self._values)
            if filled is not None:
                return filled
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
        """Answers requests of a template during rendering."""
        if what == "environment":
            return self._environment.get(about)
        name, *arguments = about
        return self._filters.value(name, tuple(arguments)) if self._filters is not None else ""
