"""format-marker: a `$schema` or `version` of another format."""

from collections.abc import Iterator

from rubric_core.language.file_kinds import Config
from rubric_core.language.model import Suite
from rubric_core.language.shape import Shape
from rubric_core.language.targets import TargetFile
from rubric_core.syntax.edit import replace_value
from rubric_core.syntax.tree import Scalar
from rubric_core.text import Edit
from rubric_core.validation.rule import Context, Finding, Fix, rule

__all__ = ["FORMAT_MARKER"]

#: How the markers of each format begin.
_MARKERS: tuple[tuple[type[Shape], str, str], ...] = (
    (Suite, "agentv-eval", "a suite"),
    (TargetFile, "agentv-targets", "a targets file"),
    (Config, "agentv-config", "a configuration"),
)


@rule("format-marker", "warning", "A `$schema` or `version` of another format")
def FORMAT_MARKER(file: Suite | TargetFile | Config, context: Context) -> Iterator[Finding]:  # noqa: N802  # a rule is a constant
    """Agentv goes by it when it looks what a file is; the first releases refuse a file for it."""
    written = file.schema
    if isinstance(written, str):
        told = next((what for _, begin, what in _MARKERS if written.startswith(begin)), None)
        own = next(what for shape, _, what in _MARKERS if isinstance(file, shape))
        marker = context.dialect.properties.suite_marker
        if told is not None and told != own:
            yield Finding(
                file.at("schema"),
                f"this marks the file as {told}, and it is {own}",
                fixes=_own_mark(file, context),
                consequence="`agentv validate` relies on the marker",
            )
        elif isinstance(file, Suite) and marker and written != marker:
            place = file.places["schema"]
            fix = (
                Fix(f"write `{marker}`", (replace_value(place.node, marker),))
                if isinstance(place.node, Scalar)
                else None
            )
            yield Finding(
                file.at("schema"),
                f"the marker of a suite is `{marker}`",
                fixes=(fix,) if fix is not None and not place.borrowed else (),
                consequence="releases 0.5 and 0.6 reject the file",
            )
    elif isinstance(file, Suite | TargetFile) and context.dialect.properties.suite_marker and not file.has("schema"):
        version = _number(file.version)
        if version is not None and version < 2:
            place = file.places["version"]
            first = Fix("write 2.0", (Edit(place.value, '"2.0"' if isinstance(file.version, str) else "2.0"),))
            yield Finding(
                file.at("version"),
                "this format starts at version 2.0",
                fixes=() if place.borrowed else (first,),
                consequence="releases 0.2 and 0.3 reject the file",
            )


def _own_mark(file: Suite | TargetFile | Config, context: Context) -> tuple[Fix, ...]:
    """The mark of what the file is; which of the two is wrong, the mark or the place, is for the author to say."""
    place = file.places["schema"]
    if place.borrowed:
        return ()
    begin = next(begin for shape, begin, _ in _MARKERS if isinstance(file, shape))
    version = "v2.2" if isinstance(file, TargetFile) and not context.dialect.properties.suite_marker else "v2"
    return (Fix(f"write `{begin}-{version}`", (Edit(place.value, f"{begin}-{version}"),), safe=False),)


def _number(written: object) -> float | None:
    """The number that a version is, quoted or not."""
    if isinstance(written, bool) or not isinstance(written, str | int | float):
        return None
    try:
        return float(written)
    except ValueError:
        return None
