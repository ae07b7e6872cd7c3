"""Settings of a whole run that promptfoo refuses or does not find: ranges of cases, filters, sets of data, and metrics of one name."""

from collections.abc import Iterator

from rubric_core.families.promptfoo.checks.suite import providers_of
from rubric_core.families.promptfoo.language.configuration import Configuration
from rubric_core.families.promptfoo.language.consequences import STOPS
from rubric_core.families.promptfoo.language.provider_ids import are_models
from rubric_core.families.promptfoo.language.run_options import RunOptions
from rubric_core.lazy_compilation import pattern
from rubric_core.syntax.edit import quoted
from rubric_core.syntax.tree import Mapping, Scalar, Sequence
from rubric_core.text import Edit, Span
from rubric_core.validation.fixes import write_value
from rubric_core.validation.rule import Finding, Fix, Related, checks
from rubric_core.validation.wording import number

_RANGE = pattern(r"(\d{0,12})\s{0,9}:\s{0,9}(\d{0,12})\Z")
_WITH_DASH = pattern(r"(\d{1,12})[ \t]{0,3}(?:-|\.\.|,)[ \t]{0,3}(\d{1,12})\Z")
_MOST_SUGGESTIONS = 50
#: Limits in milliseconds, up to which numbers are more likely meant as seconds.
_SHORT_LIMITS = (("timeout", 300), ("total", 900))
_LOCAL = ("ollama", "localai", "llamafile", "llama")
_REFUSED = "`promptfoo validate` rejects the configuration; a run goes on without it"
#: An address of Hugging Face that is not one of promptfoo.
_DATA_SET = pattern(
    r"(?:huggingface://(?!datasets/)(?:dataset/)?|hf://(?:datasets?/)?|https://huggingface\.co/datasets/)(?P<name>[\w.-]{1,100}/[\w.-]{1,100}[^\s]{0,200})\Z"
)


@checks("promptfoo/filter-range", "invalid-value")
def case_ranges(shape: RunOptions) -> Iterator[Finding]:
    """A `filterRange` that is not `start:end`, or a `suggestionsCount` outside 1 to 50."""
    place = shape.places.get("filter_range")
    node = place.node if place is not None and not place.borrowed else None
    if isinstance(node, Scalar) and node.value is not None and node.text.strip() and "{{" not in node.text:
        found, dash = _RANGE.match(node.text.strip()), _WITH_DASH.match(node.text)
        if found is None or not (found[1] or found[2]):
            written = f"{dash[1]}:{dash[2]}" if dash is not None else ""
            fixes = (Fix(f"write {quoted(written)}", (Edit(node.span, quoted(written)),), safe=False),) if dash else ()
            words = "`filterRange` is `start:end`, counted from 0"
            yield Finding(node.span, words, fixes=fixes, severity="error", consequence=STOPS)
        elif found[1] and found[2] and int(found[1]) > int(found[2]):
            words = "`filterRange` starts after its end"
            yield Finding(node.span, words, severity="error", consequence=STOPS)
    place, value = shape.places.get("suggestion_count"), shape.suggestion_count
    is_count = isinstance(value, int | float) and 1 <= value <= _MOST_SUGGESTIONS and float(value).is_integer()
    if place is not None and isinstance(value, int | float) and not is_count:
        words = f"`suggestionsCount` is a whole number from 1 to {_MOST_SUGGESTIONS}"
        yield Finding(place.value, words, severity="warning", consequence=_REFUSED)


@checks("promptfoo/short-limit", "invalid-value", "hint")
def short_limits(configuration: Configuration) -> Iterator[Finding]:
    """A time limit in milliseconds that is so short that seconds were probably meant."""
    shape: RunOptions | None = configuration.evaluate_options
    models = (each.id for each in providers_of(configuration))
    if shape is None or not any(are_models([each]) and not each.startswith(_LOCAL) for each in models):
        return
    for field, most in _SHORT_LIMITS:
        place, value = shape.places.get(field), vars(shape).get(field)
        if not isinstance(value, int | float) or isinstance(value, bool) or place is None or place.borrowed:
            continue
        if 0 < value <= most:
            words = f"`{place.name}` is in milliseconds: {number(value)} is less than most models need"
            fixes = write_value(place, number(value * 1000))
            yield Finding(place.value, words, fixes=fixes, severity="hint")


@checks("promptfoo/filter-file", "invalid-value")
def filter_files(shape: Configuration) -> Iterator[Finding]:
    """A file of a Nunjucks filter that begins with `file://`, or is not JavaScript."""
    place = shape.places.get("nunjucks_filters")
    node = place.node if place is not None and not place.borrowed else None
    for entry in node.entries if isinstance(node, Mapping) else ():
        value = entry.value
        if not isinstance(value, Scalar) or not isinstance(value.value, str) or value.is_block or "{{" in value.text:
            continue
        if value.text.startswith("file://"):
            start = value.span.start + value.is_quoted
            fix = Fix("remove file://", (Edit(Span(start, start + len("file://")), ""),))
            words = "the file of a filter is a path, without file://"
            effect = "promptfoo finds no such file: each row that uses the filter is an error"
            yield Finding(value.span, words, fixes=(fix,), severity="error", consequence=effect)
        elif value.text.endswith((".py", ".rb", ".go")):
            yield Finding(value.span, "a filter is a file in JavaScript", severity="error", consequence=STOPS)


@checks("promptfoo/test-generator", "invalid-value")
def data_sets(shape: Configuration) -> Iterator[Finding]:
    """The address of a Hugging Face data set that promptfoo does not read."""
    place = shape.places.get("tests")
    nodes = (
        ()
        if place is None or place.borrowed
        else place.node.items
        if isinstance(place.node, Sequence)
        else (place.node,)
    )
    for node in nodes:
        found = _DATA_SET.match(node.text) if isinstance(node, Scalar) and isinstance(node.value, str) else None
        if found is not None and isinstance(node, Scalar):
            meant = f"huggingface://datasets/{found['name']}"
            edit = Edit(node.span, quoted(meant) if node.is_quoted else meant)
            fixes = () if node.is_block else (Fix(f"change it to `{meant}`", (edit,)),)
            words = f"promptfoo reads sets of data at huggingface://datasets/; did you mean `{meant}`?"
            yield Finding(node.span, words, fixes=fixes, severity="error", consequence="it finds no case here")


@checks("promptfoo/metric-names", "invalid-value", "warning")
def metrics_of_one_name(shape: Configuration) -> Iterator[Finding]:
    """Derived metrics of which the later one replaces the earlier one, unless it is calculated from it."""
    place = shape.places.get("derived_metrics")
    node = place.node if place is not None and not place.borrowed else None
    first: dict[str, Scalar] = {}
    for item in node.items if isinstance(node, Sequence) else ():
        name = item.get("name") if isinstance(item, Mapping) else None
        value = item.get("value") if isinstance(item, Mapping) else None
        if not isinstance(name, Scalar) or not isinstance(value, Scalar) or not name.text:
            continue
        earlier = first.setdefault(name.text, name)
        if earlier is not name and name.text not in value.text:
            related = (Related(earlier.span, "the earlier one"),)
            words = f"there are two metrics `{name.text}`, and this one replaces the other"
            yield Finding(
                name.span, words, related=related, severity="warning", consequence="only the last one is kept"
            )
