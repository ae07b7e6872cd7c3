"""The families of eval files: AgentV's dialects are one, configurations of promptfoo another.

A family is one entry of text, so that a dialect is found by its name and a text is cut into blocks without importing
anything of a family. Its parts are modules, one for each layer of the core; a layer imports its part when it first asks.
"""

from collections.abc import Mapping
from functools import cache
from importlib import import_module
from types import ModuleType
from typing import NamedTuple

__all__ = ["FAMILIES", "Family", "family_named", "part_of"]


class Family(NamedTuple):
    """A family of eval files."""

    #: Also `Properties.engine` of its dialects.
    name: str
    #: The name of the program that reads them, as its authors write it.
    title: str
    #: The names of its dialects, oldest first.
    dialects: tuple[str, ...]
    #: The top-level keys whose lists hold cases: a text is cut into blocks there, before its family is known.
    case_keys: tuple[str, ...]
    #: The module of each part that it has, by the name of the part, see `docs/architecture.md`; others have defaults.
    parts: Mapping[str, str]
    #: The file with the counts of what real files have, from the folder of this module; see `language/usage_counts.py`.
    #: Empty for a family of which nobody has counted any.
    usage: str = ""


#: Families are asked in this order; AgentV recognises no file, but takes what no other family does.
FAMILIES = (
    Family(
        "agentv",
        "AgentV",
        ("agentv-0.1", "agentv-0.5", "agentv-1", "agentv-2.7", "agentv-3", "agentv-5"),
        ("eval_cases", "evalcases", "testcases", "tests"),
        {
            "dialects": "rubric_core.language.dialects",
            "language": "rubric_core.language.file_kinds",
            "misnomers": "rubric_core.language.misnomers",
            "reference": "rubric_core.language.dialect_reference",
            "runner": "rubric_core.evaluation.engine.agentv_runner",
        },
        "language/usage.json",
    ),
    Family(
        "promptfoo",
        "promptfoo",
        ("promptfoo",),
        ("tests",),
        {
            "cases": "rubric_core.families.promptfoo.cases.family_cases",
            "checks": "rubric_core.families.promptfoo.checks",
            "completion": "rubric_lsp.families.promptfoo.completion",
            "cross_case": "rubric_core.families.promptfoo.analysis.cross_case",
            "dialects": "rubric_core.families.promptfoo.language.dialect",
            "editor": "rubric_lsp.families.promptfoo.editor",
            "export": "rubric_core.families.promptfoo.export",
            "init": "rubric_core.families.promptfoo.commands.init",
            "language": "rubric_core.families.promptfoo.language.catalogue",
            "migration": "rubric_core.families.promptfoo.commands.migrate",
            "misnomers": "rubric_core.families.promptfoo.language.catalogue",
            "names": "rubric_lsp.families.promptfoo.shared_names",
            "recognition": "rubric_core.families.promptfoo.loading.recognition",
            "reference": "rubric_core.families.promptfoo.language.reference",
            "runner": "rubric_core.families.promptfoo.engine.runner",
            "texts": "rubric_core.families.promptfoo.analysis.texts",
        },
        "families/promptfoo/language/usage.json",
    ),
)


def family_named(name: str) -> Family:
    """The family of that name, which is the engine of its dialects. Raises KeyError."""
    return {each.name: each for each in FAMILIES}[name]


@cache
def part_of(name: str, part: str) -> ModuleType | None:
    """The module with a part of a family, imported when it is first asked for; None if the family has no such part."""
    module = family_named(name).parts.get(part)
    return import_module(module) if module is not None else None
