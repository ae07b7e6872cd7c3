"""Nothing restates the catalogue: spellings of keys and types stand in `language`, and nowhere else without a reason."""

import ast
from collections.abc import Iterator

from source_trees import REPOSITORY, source_trees

from rubric_core.family import FAMILIES
from rubric_core.language.dialects import DIALECTS
from rubric_core.language.file_kinds import language_of
from rubric_core.language.shape import Shape

#: Where spellings may stand, and why; a place that ends in a slash is a folder.
ALLOWED = {
    "rubric_core/family.py": "a text is cut into cases before anything of its family is loaded; a test compares the keys",
    "rubric_core/language/": "this is the catalogue",
    "rubric_core/families/promptfoo/language/": "this is the catalogue",
    "rubric_core/families/promptfoo/evaluators/": "a module names the type that it runs",
    "rubric_core/families/promptfoo/migration/": "the way leads from one spelling to another",
    "rubric_core/evaluation/evaluators/": "a module names the type that it runs",
    "rubric_core/evaluation/targets/providers/": "a module names the kind that it runs",
    "rubric_core/evaluation/model/evaluator.py": "names of evaluators as the engine gives them",
    "rubric_core/evaluation/engine/grade.py": "names of evaluators as the engine gives them",
    "rubric_core/evaluation/engine/registry.py": "the kind that grades where nothing else does",
    "rubric_core/evaluation/cases/runnable.py": "the kind that grades where nothing else does",
    "rubric_core/evaluation/judging/judgement.py": "names of evaluators as the engine gives them",
    "rubric_core/evaluation/judging/prompts.py": "variables of prompts, which older releases call as keys of theirs",
    "rubric_core/families/promptfoo/cases/models.py": "promptfoo has a grader of its own for one type",
    "rubric_core/families/promptfoo/cases/tables.py": "the cells of a table name types of checks in short",
    "rubric_core/families/promptfoo/code/npm_packages.py": "the packages that types of assertions need",
    "rubric_core/evaluation/code/payload.py": "fields of what programs are given",
    "rubric_core/evaluation/reporting/rows.py": "fields of results",
    "rubric_core/evaluation/targets/resolve.py": "targets of any dialect are read",
    "rubric_core/loading/detect_eval_yaml.py": "the kind of a file is detected before its dialect",
    "rubric_core/loading/grading.py": "names of evaluators as the engine gives them",
    "rubric_core/loading/detect_file_kind.py": "the kind of a file is detected before its dialect",
    "rubric_core/loading/infer_dialect.py": "the kind of a file is detected before its dialect",
    "rubric_core/families/promptfoo/loading/case_files.py": "types of assertions whose value is a JSON Schema",
    "rubric_core/loading/case_table.py": "the columns of a table name types of checks",
    "rubric_core/loading/targets.py": "targets of any dialect are read",
    "rubric_core/migration/": "the way leads from one spelling to another",
    "rubric_core/families/promptfoo/checks/table_checks.py": "the cells of a table name types of checks in short",
    "rubric_core/validation/rules/aggregator_setting.py": "an aggregator goes by the names of two types",
    "rubric_core/validation/rules/renamed_key.py": "what the scalar evaluator says is the name of a type",
    "rubric_lsp/suite_status.py": "targets of any dialect are shown",
}


def _shapes(base: type[Shape]) -> set[type[Shape]]:
    return {base, *(s for each in base.__subclasses__() for s in _shapes(each))}


def _words() -> frozenset[str]:
    """Spellings that can mean nothing else: words of several parts, and not the name of a field as well."""
    for family in FAMILIES:
        language_of(family.name)  # loads its shapes
    fields = {name for shape in _shapes(Shape) for name in shape.keys}
    keys = {name for dialect in DIALECTS for table in dialect.spellings.values() for name in table}
    families = [dialect.types for dialect in DIALECTS] + [f for d in DIALECTS for f in d.families.values()]
    types = {name for family in families for name in family}
    return (
        frozenset(w for w in (keys - fields) | types if "-" in w or "_" in w or w in ("evalcases", "testcases"))
        - fields
    )


def _restated() -> Iterator[tuple[str, str]]:
    words = _words()
    for path, tree in source_trees():
        name = path.relative_to(REPOSITORY).as_posix()
        for node in ast.walk(tree):
            if isinstance(node, ast.Constant) and node.value in words:
                yield name, str(node.value)


def test_nothing_restates_the_catalogue() -> None:
    found = list(_restated())
    assert [each for each in found if not each[0].startswith(tuple(ALLOWED))] == []
    unneeded = [place for place in ALLOWED if not any(name.startswith(place) for name, _ in found)]
    assert unneeded == [], "places that restate nothing any more"


def test_there_is_something_to_restate() -> None:
    assert {"llm-rubric", "evalcases", "input_messages", "code_judge"} <= _words()
