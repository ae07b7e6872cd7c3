"""The reference as Markdown pages, generated from the catalogue, the dialects and the rules."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from rubric_core.language.cursor_place import history
from rubric_core.language.dialect import Dialect, SpellingStatus
from rubric_core.language.evaluators import Band, Evaluator
from rubric_core.language.file_kinds import LANGUAGE, FileKind
from rubric_core.language.markdown import cell, code_cell, heading, sentence, table
from rubric_core.language.model import Case, Suite
from rubric_core.language.reference_dialects import dialects_page
from rubric_core.language.shape import Key, Shape
from rubric_core.language.shape_kinds import Messages, Shaped, Shorthand, Tagged
from rubric_core.language.targets import Entry, Provider, Target
from rubric_core.language.value_kinds import Choice, Kind, ListOf, MapOf, NodeUnion, Ranges, usual

__all__ = ["NOTICE", "RuleRow", "choices_of", "pages", "shapes_in"]

#: The first line of every page.
NOTICE = "<!-- Made by `rubric reference`: change the catalogue, not this page. -->"
_FILES = {
    FileKind.SUITE: "Suites", FileKind.CONFIG: "Configurations of agentv", FileKind.TEMPLATE: "Templates of evaluators",
    FileKind.WORKSPACE: "Workspaces", FileKind.ENVIRONMENT: "Environments",
}  # fmt: skip


_TARGETS_RUN = """\
Rubric runs {kinds}, and programs in `.agentv/providers` by their names. A case with a target of another kind stays without a
score, and says so at its line; so does one with a setting that would change what is graded and that rubric does not act on. What
else is ignored is reported after a run."""
_NOT_RUN = "Rubric does not run it: a case that has one stays without a score, and says so at its line."


class RuleRow(NamedTuple):
    """A rule, as the table of rules shows it."""

    code: str
    severity: str
    summary: str
    #: Its page, from the folder of the reference.
    link: str
    has_fix: bool


def pages(
    dialects: Sequence[Dialect],
    rules: Iterable[RuleRow],
    evaluators: Mapping[str, str],
    ways: Mapping[str, Sequence[str]],
    kinds: Mapping[str, Sequence[str]],
) -> dict[str, str]:
    """Every page by its file name.

    Args:
        dialects: Oldest first.
        rules: What can be found.
        evaluators: Links to pages on how a type scores, by the type; rubric does not run the others.
        ways: What is done to a suite on the way into each dialect, by its name.
        kinds: The kinds of targets that rubric runs, each with the settings that it does not act on.
    """
    made = {
        "README.md": _index(),
        "dialects.md": dialects_page(dialects, ways),
        "keys.md": _Catalogue(dialects).keys(),
        "evaluators.md": _Catalogue(dialects).evaluators(evaluators),
        "targets.md": _Catalogue(dialects).targets(kinds),
        "rules.md": _rules(rules),
    }
    return {name: f"{NOTICE}\n\n{text.rstrip()}\n" for name, text in made.items()}


def _index() -> str:
    return """# Reference

- [Dialects](dialects.md): which releases read what, what was renamed, what is ignored or refused, and how each scores
- [Keys](keys.md): every key of suites, cases and the files around them
- [Evaluators](evaluators.md): every type of check, with its keys
- [Targets](targets.md): what answers and judges, and the settings of every kind
- [Rules](rules.md): every code that `rubric check` may report
- [promptfoo](promptfoo.md): every key and assertion type of configurations of promptfoo

`rubric schema --dialect agentv-3` prints the same as JSON Schema, for editors that know nothing else: save it, and put
`# yaml-language-server: $schema=eval.schema.json` into the first line of a suite. `--dialect promptfoo` prints that of
`promptfooconfig.yaml`, which accepts what promptfoo accepts: `$ref`, keys that hold anchors, settings of providers.
"""


def _rules(rules: Iterable[RuleRow]) -> str:
    rows = [
        (f"[{rule.code}]({rule.link})", rule.severity, cell(rule.summary), "yes" if rule.has_fix else "")
        for rule in sorted(rules)
    ]
    return f"# Rules\n\n`rubric explain CODE` shows a page in the terminal.\n\n{table(('Code', 'Severity', 'Says', 'Fix'), rows)}"


class _Catalogue:
    """Tables of keys, each shape once."""

    def __init__(self, dialects: Sequence[Dialect]) -> None:
        self.dialects = dialects
        self._shown: set[type[Shape]] = {Evaluator, Entry, Target, Provider}

    def keys(self) -> str:
        """Every key that is not one of an evaluator or a target."""
        parts = ["# Keys", "", "Names are those of the newest dialect that has the key."]
        for kind, title in _FILES.items():
            shapes = [shape for shape in self._shapes(LANGUAGE.roots[kind]) if self._is_used(shape)]
            shapes.sort(key=lambda shape: (shape is not Suite, shape is not Case))
            if shapes:
                parts += ["", f"## {title}"]
            for shape in shapes:
                parts += ["", f"### {heading(shape)}", "", sentence(shape), "", self.table(shape)]
        return "\n".join(parts)

    def evaluators(self, links: Mapping[str, str]) -> str:
        """The types of evaluators, their common keys, and their parts."""
        types = (t for dialect in self.dialects for t in dialect.types.values())
        shapes = list(dict.fromkeys(t.shape for t in types if t.fate is not SpellingStatus.REJECTED))
        parts = ["# Evaluators", "", "## Every evaluator", "", self.table(Evaluator)]
        inner: list[type[Shape]] = []
        for shape in shapes:
            self._shown.add(shape)
            own = {name: k for name, k in shape.keys.items() if Evaluator.keys.get(name) is not k}
            inner += [s for k in own.values() for s in self._shapes(k.kind) if not issubclass(s, Evaluator)]
            names = self._names(shape)
            page = next((links[name] for name in names if name in links), None)
            turned = [
                name for name in names if name.removeprefix("not-") != name and name.removeprefix("not-") in names
            ]
            own_names = {name: since for name, since in names.items() if name not in turned}
            words = f"Written {_since(own_names)}." + (f" {code_cell(turned[-1])} is its opposite." if turned else "")
            parts += ["", f"## {list(own_names)[-1]}", "", sentence(shape), "", words]
            parts += ["", f"[How it scores]({page})" if page else _NOT_RUN]
            parts += ["", self.table(shape, own)] if own else []
        parts += ["", "## Parts"]
        for shape in dict.fromkeys(inner):
            parts += ["", f"### {heading(shape)}", "", sentence(shape), "", self.table(shape)]
        return "\n".join([*parts, *self._reserved()])

    def _reserved(self) -> list[str]:
        """The types that no dialect runs, and at least one refuses."""
        every = [(dialect, known) for dialect in self.dialects for known in dialect.types.values()]
        usable = {known.name for _, known in every if known.fate is not SpellingStatus.REJECTED}
        rows = [f"| `{t.name}` | {d.name} | {t.note} |" for d, t in every if t.name not in usable]
        return ["", "## Reserved names", "", "| Type | Refused by | What agentv does |", "|---|---|---|", *rows]

    def targets(self, runs: Mapping[str, Sequence[str]]) -> str:
        """Targets files: their keys, those of entries, and the settings of every kind."""
        parts = ["# Targets", "", _TARGETS_RUN.format(kinds=", ".join(map(code_cell, runs)))]
        for shape in self._shapes(LANGUAGE.roots[FileKind.TARGETS]):
            parts += ["", f"## {heading(shape)}", "", sentence(shape), "", self.table(shape)]
        parts += [
            "",
            "## Entries under `targets`",
            "",
            self.table(Target),
            "",
            "## Entries under `providers`",
            "",
            self.table(Provider),
        ]
        kinds: dict[type[Shape], dict[str, str]] = {}
        for dialect in self.dialects:
            for known in dialect.types_of(Target).values():
                if issubclass(known.shape, Target):
                    kinds.setdefault(known.shape, {}).setdefault(known.name, dialect.name)
        for shape, names in kinds.items():
            own = {name: k for name, k in shape.keys.items() if name not in Entry.keys}
            run = [name for name in names if name in runs]
            idle = list(dict.fromkeys(setting for name in run for setting in runs[name] if setting in own))
            words = [f"Kinds: {_since(names)}."]
            words += [f"Rubric runs {', '.join(map(code_cell, run))}." if run else "Rubric runs none of them."]
            words += [f"Accepted and ignored: {', '.join(map(code_cell, idle))}."] if idle else []
            parts += ["", f"## {', '.join(names)}", "", sentence(shape), "", " ".join(words)]
            parts += ["", self.table(shape, own)] if own else []
        return "\n".join(parts)

    def table(self, shape: type[Shape], keys: Mapping[str, Key[Any]] | None = None) -> str:
        """The keys of a shape, those of its bases included unless others are given."""
        rows = [row for declared in (keys or shape.keys).values() for row in self._row(shape, declared)]
        return table(("Key", "Value", "Default", "Meaning", "Written"), rows)

    def _row(self, shape: type[Shape], declared: Key[Any]) -> Iterator[tuple[str, ...]]:
        spelled = history(tuple(self.dialects), shape, declared.field)
        if not spelled:
            return
        name = spelled[-1][1]
        meaning = declared.doc
        if declared.example:
            meaning += f" Example: {code_cell(f'{name}: {declared.example}')}"
        meaning += choices_of(declared.kind) + self._elsewhere(shape, declared)
        words = cell(declared.kind.words()) + self._needed(shape, declared)
        yield code_cell(name), words, cell(declared.shown_default), cell(meaning), self._spellings(shape, declared)

    def _elsewhere(self, shape: type[Shape], declared: Key[Any]) -> str:
        """The kinds of the key in dialects that differ from the catalogue."""
        said: dict[str, list[str]] = {}
        for dialect in self.dialects:
            name = dialect.spelled(shape, declared.field)
            own = dialect.declared(shape, dialect.table(shape)[name]) if name else declared
            if own is not declared:
                words = own.kind.words() if own.doc == declared.doc else own.doc.removesuffix(".")
                said.setdefault(words[:1].lower() + words[1:], []).append(dialect.name)
        spans = (
            (words, names[0] if len(names) == 1 else f"{names[0]} to {names[-1]}") for words, names in said.items()
        )
        return "".join(f" In {names}: {words}." for words, names in spans)

    def _needed(self, shape: type[Shape], declared: Key[Any]) -> str:
        """The dialects in which a key is required."""
        having = [d for d in self.dialects if d.spelled(shape, declared.field)]
        needing = [d for d in having if d.demanded(shape, declared.field)]
        if not needing:
            return ""
        if declared.group:
            alike = [k for k in shape.keys.values() if k.group == declared.group]
            names = [name for k in alike for d in having[-1:] if (name := d.spelled(shape, k.field))]
            return f"; one of {', '.join(map(code_cell, names))} is required" if len(names) > 1 else "; required"
        return "; required" if needing == having else f"; required in {', '.join(d.name for d in needing)}"

    def _spellings(self, shape: type[Shape], declared: Key[Any]) -> str:
        """Which dialects have a key, and how they spell it."""
        if declared.extension:
            return "rubric's own; AgentV ignores it"
        spelled = dict.fromkeys(
            reversed([(name, since) for since, name in history(tuple(self.dialects), shape, declared.field)])
        )
        having = [d.name for d in self.dialects if d.spelled(shape, declared.field)]
        if len(having) == 1 and having[0] != self.dialects[-1].name:
            return f"in {having[0]} only"
        words = ", ".join(
            f"{code_cell(name)} since {since}" if len(spelled) > 1 else f"since {since}"
            for name, since in reversed(spelled)
        )
        return words + (f", until {having[-1]}" if having[-1] != self.dialects[-1].name else "")

    def _names(self, shape: type[Shape]) -> dict[str, str]:
        """The names of a type with the dialect that brought each, the newest one last."""
        for fate in (
            SpellingStatus.CURRENT,
            SpellingStatus.DEPRECATED,
        ):  # a spelling that came and went within a dialect was never current
            names: dict[str, str] = {}
            for dialect in self.dialects:
                for known in dialect.types.values():
                    if known.shape is shape and known.fate is fate:
                        names.setdefault(known.name, dialect.name)
            if names:
                return names
        return {}

    def _is_used(self, shape: type[Shape]) -> bool:
        return any(dialect.fields(shape) for dialect in self.dialects)

    def _shapes(self, kind: Kind[Any]) -> Iterator[type[Shape]]:
        """The shapes in a kind and inside them, each once in all; evaluators and entries have pages of their own."""
        for shape in shapes_in(kind):
            if shape not in self._shown and not issubclass(shape, Evaluator | Entry):
                self._shown.add(shape)
                yield shape
                for declared in shape.keys.values():
                    yield from self._shapes(declared.kind)


def shapes_in(kind: Kind[Any]) -> Iterator[type[Shape]]:
    """The shapes that a value of a kind may have, without those inside them."""
    kind = usual(kind) or kind
    if isinstance(kind, Shaped | Shorthand):
        yield kind.shape
    elif isinstance(kind, Tagged):
        yield kind.base
    elif isinstance(kind, Messages):
        yield kind.message
    elif isinstance(kind, Ranges):
        yield Band
    elif isinstance(kind, ListOf):
        yield from shapes_in(kind.item)
    elif isinstance(kind, MapOf):
        yield from shapes_in(kind.value)
    elif isinstance(kind, NodeUnion):
        for branch in kind.branches:
            yield from shapes_in(branch)


def choices_of(kind: Kind[Any]) -> str:
    """The meaning of each possible word."""
    branches = kind.branches if isinstance(kind, NodeUnion) else (kind,)
    options = [option for branch in branches if isinstance(branch, Choice) for option in branch.options]
    return "".join(f"<br>{code_cell(name)}: {text}" for name, text in options)


def _since(names: Mapping[str, str]) -> str:
    return ", ".join(f"{code_cell(name)} since {dialect}" for name, dialect in names.items())
