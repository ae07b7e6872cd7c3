"""The reference of one dialect as one Markdown page, short enough for the context of a model."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import fields
from typing import Any

from rubric_core.language.dialect import Dialect, Spelling, SpellingStatus
from rubric_core.language.evaluators import Evaluator
from rubric_core.language.file_kinds import LANGUAGE, FileKind
from rubric_core.language.markdown import code, heading, sentence
from rubric_core.language.model import Case, Suite
from rubric_core.language.properties import Properties
from rubric_core.language.reference import choices_of, shapes_in
from rubric_core.language.reference_dialects import property_words
from rubric_core.language.shape import Key, Shape
from rubric_core.language.targets import Entry, Provider, Target, TargetFile
from rubric_core.language.value_kinds import Kind

__all__ = ["REFERENCE", "ReferencePage", "dialect_reference", "example_suite"]

_INTRODUCTION = """\
Suites are YAML, with one entry per case. The first line of a suite may name its dialect: `# rubric: dialect={name}`.
Write only the keys below: {unknown}
`rubric check --format agent FILE` lists mistakes with their fixes, `rubric check --fix FILE` applies the safe ones,
`rubric explain CODE` explains one."""

_QUESTION = "My parcel is late. Can I have my money back?"
_CRITERION = "Offers the refund and says how long it takes"


def dialect_reference(dialect: Dialect) -> str:
    """The page: an example, how cases are scored, every key and type with its spelling in this dialect, and the names not to write."""
    page = ReferencePage(dialect)
    unknown = "an unknown key makes agentv reject the file." if dialect.properties.strict_keys else "agentv silently ignores others."  # fmt: skip
    parts = [
        f"# The language of evaluation suites, dialect {dialect.name}", "",
        f"Read by agentv {dialect.releases}.", _INTRODUCTION.format(name=dialect.name, unknown=unknown), "",
        "## Example", "", "```yaml", example_suite(dialect).rstrip(), "```", "",
        "## How it reads and scores", "", *page.properties(), "", "## Suites", *page.suites(),
        "", "## Evaluators", *page.evaluators(), "", "## Targets files", *page.targets(), *page.misspellings(),
    ]  # fmt: skip
    return "\n".join(parts) + "\n"


def example_suite(dialect: Dialect) -> str:
    """A small suite in the spelling of a dialect, in which `rubric check` finds nothing."""
    suite = {s.field: s.name for s, _ in dialect.fields(Suite)}
    case = {s.field: s.name for s, _ in dialect.fields(Case)}
    lines = [f"# rubric: dialect={dialect.name}"]
    if dialect.properties.suite_marker:
        lines.append(f"$schema: {dialect.properties.suite_marker}")
    if "input" not in case:
        lines.append(f"{suite['prompts']}: ['{{{{ question }}}}']")
    lines += [f"{suite['cases']}:", f"  - {case['id']}: late-parcel", *_question(dialect, case)]
    if "assertions" in case and (known := dialect.type_of("contains")) is not None:
        criterion = [f"      - {_CRITERION}"] if "input" not in case else []
        lines += [f"    {case['assertions']}:", *criterion, f"      - {{type: {known.name}, value: refund}}"]
    return "\n".join(lines) + "\n"


def _question(dialect: Dialect, case: Mapping[str, str]) -> Iterator[str]:
    """The input of a case, and the description of a good answer.

    A case with prompts has its criteria among its assertions.
    """
    if "input" not in case:
        yield f"    {case['vars']}: {{question: {_QUESTION}}}"
        return
    yield f"    {case['criteria']}: {_CRITERION}"
    yield f"    {case['input']}:"
    yield f"      - {{role: user, content: {_QUESTION}}}"
    if dialect.properties.reference == "in-input":
        yield "      - {role: assistant, content: Yes. The refund takes five days.}"


class ReferencePage:
    """The parts of the page; every shape is described once."""

    def __init__(self, dialect: Dialect, besides: Iterable[type[Shape]] = (Evaluator, Entry, Target, Provider)) -> None:
        """`besides`: the bases of typed shapes, which have sections of their own."""
        self._dialect = dialect
        self._bases = tuple(besides)
        self._shown: set[type[Shape]] = set(self._bases)

    def properties(self) -> Iterator[str]:
        """How the dialect reads and scores, one sentence per property."""
        for each in fields(Properties):
            words = property_words(each.name, getattr(self._dialect.properties, each.name))
            if words:
                yield f"- {words}"

    def suites(self) -> Iterator[str]:
        """Suites, cases, and their parts."""
        yield from self.shapes(LANGUAGE.roots[FileKind.SUITE])

    def shapes(self, root: Kind[Any]) -> Iterator[str]:
        """Every shape at the root, and those inside it."""
        shapes = [shape for shape in self._new(root) if self._dialect.fields(shape)]
        shapes.sort(key=lambda shape: (shape is not Suite, shape is not Case))
        for shape in shapes:
            yield from self._section(shape)

    def evaluators(self) -> Iterator[str]:
        """The keys of every evaluator, each type with its own keys, and their shapes."""
        yield from self.typed(Evaluator, "Every evaluator")

    def typed(self, base: type[Shape], title: str) -> Iterator[str]:
        """The same for the types below any base; types with `not-` are described in one sentence."""
        yield from self._section(base, title)
        inner: list[type[Shape]] = []
        for shape, every in self._types(base).items():
            names = [name for name in every if base is Evaluator or not name.startswith("not-")]
            self._shown.add(shape)
            own = [(s, k) for s, k in self._dialect.fields(shape) if base.keys.get(k.field) is not k]
            inner += [each for _, k in own for each in self._new(k.kind)]
            yield from ("", f"### {', '.join(map(code, names))}", "", sentence(shape), *self._rows(shape, own))
        for shape in dict.fromkeys(inner):
            yield from self._section(shape)

    def targets(self) -> Iterator[str]:
        """The keys of every target, and the names of the settings of each kind."""
        for field, base in (("targets", Target), ("providers", Provider)):
            name = self._dialect.spelled(TargetFile, field)
            if name is not None:
                yield from self._section(base, f"Entries of {code(name)}")
        kinds = self._types(Target)
        if kinds:
            yield from ("", "### Kinds, with their settings", "")
        for shape, names in kinds.items():
            own = [(s, k) for s, k in self._dialect.fields(shape) if k.field not in Entry.keys]
            settings = ", ".join(
                f"{code(s.name)}{f' ({words[2:]})' if (words := self._needed(shape, k)) else ''}" for s, k in own
            )
            yield f"- {', '.join(map(code, names))}: {settings or 'no settings'}"

    def misspellings(self) -> Iterator[str]:
        """The names of other releases, which agentv does not read in this dialect or soon will not; a line per place and advice."""
        names: dict[tuple[str, str], list[str]] = {}
        for where, name, advice in self._old_names():
            names.setdefault((where, advice), []).append(code(name))
        if names:
            yield from ("", "## Names of other releases: do not write them", "")
        for (where, advice), alike in names.items():
            yield f"- {where}: {', '.join(dict.fromkeys(alike))}: {advice}"

    def _old_names(self) -> Iterator[tuple[str, str, str]]:
        """The places of old names, the names, and their replacements."""
        usual = (SpellingStatus.CURRENT, SpellingStatus.ALIAS)
        for shape, spellings in self._dialect.spellings.items():
            if shape in self._shown and not issubclass(shape, Entry):
                for spelling in spellings.values():
                    if spelling.fate not in usual:
                        now = self._dialect.spelled(shape, spelling.field)
                        yield heading(shape), spelling.name, _instead(spelling.name, now, spelling.note)
        for known in self._dialect.types.values():
            if known.fate not in usual and not known.name.startswith("not-"):
                yield "Types", known.name, _instead(known.name, self._dialect.type_name(known.shape), known.note)

    def _section(self, shape: type[Shape], title: str = "") -> Iterator[str]:
        rows = self._rows(shape, self._dialect.fields(shape))
        yield from ("", f"### {title or heading(shape)}", "", sentence(shape), *rows)

    def _rows(self, shape: type[Shape], keys: "list[tuple[Spelling, Key[Any]]]") -> Iterator[str]:
        if keys:
            yield ""
        for spelling, declared in keys:
            default = f"; default {declared.shown_default}" if declared.shown_default else ""
            example = f" Example: {code(f'{spelling.name}: {declared.example}')}" if declared.example else ""
            words = f"{declared.kind.words()}{self._needed(shape, declared)}{default}"
            choices = choices_of(declared.kind).replace("<br>", " ")
            own = " rubric's own; AgentV ignores it." if declared.extension else ""
            yield f"- {code(spelling.name)} ({words}): {declared.doc}{choices}{own}{example}"

    def _needed(self, shape: type[Shape], declared: Key[Any]) -> str:
        if not self._dialect.demanded(shape, declared.field):
            return ""
        alike = [(s.name, k) for s, k in self._dialect.fields(shape) if declared.group and k.group == declared.group]
        if len(alike) < 2:
            return "; required"
        first = alike[0][1] is declared  # said once per group
        return f"; one of {', '.join(code(name) for name, _ in alike)} is required" if first else ""

    def _types(self, base: type[Shape]) -> dict[type[Shape], list[str]]:
        """Each shape below `base` with the names that an author should use."""
        names: dict[type[Shape], list[str]] = {}
        for known in self._dialect.types_of(base).values():
            if known.fate is SpellingStatus.CURRENT and issubclass(known.shape, base):
                names.setdefault(known.shape, []).append(known.name)
        return names

    def _new(self, kind: Kind[Any]) -> Iterator[type[Shape]]:
        """The shapes in a kind and inside them that were not met yet."""
        for shape in shapes_in(kind):
            if shape not in self._shown and not issubclass(shape, (*self._bases, Entry)):
                self._shown.add(shape)
                yield shape
                for _, declared in self._dialect.fields(shape):
                    yield from self._new(declared.kind)


def _instead(name: str, now: str | None, note: str) -> str:
    if now and now != name:
        return f"write {code(now)}" + (f" ({note})" if note else "")
    return note or "leave it out"


REFERENCE = dialect_reference
