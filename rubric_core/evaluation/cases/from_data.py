"""Cases and suites from plain data instead of files, under the same rules: errors raise, warnings are logged."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from rubric_core.analysis import analyze
from rubric_core.disk import DiskFiles
from rubric_core.evaluation.cases.load import suite_in, with_origins
from rubric_core.evaluation.cases.loaded_suite import LoadedSuite
from rubric_core.evaluation.cases.options import Options
from rubric_core.evaluation.model.arguments import instance
from rubric_core.evaluation.model.plain_data import as_json, dialect_of, located, raise_and_log
from rubric_core.language.dialect import Dialect
from rubric_core.language.file_kinds import FileKind
from rubric_core.loading.files import read_text
from rubric_core.loading.project import Project
from rubric_core.syntax.line_document import JsonDocument

__all__ = ["suite_from_data"]


def suite_from_data(
    data: Mapping[str, Any],
    path: Path | str = "suite.eval.yaml",
    *,
    dialect: Dialect | str | None = None,
    options: Options | None = None,
) -> LoadedSuite:
    """A suite from plain data, ready for `run_cases`: a mapping with the keys of a suite in YAML.

    Warnings, deprecated keys among them, are logged.

    Args:
        data: Texts, numbers, booleans, None, paths, and lists and mappings of these.
        path: The path that the suite would have. Targets, recordings and files that it names are resolved from there; no
            file has to exist at it.
        dialect: The dialect of its keys; detected by default.
        options: The options of the user, which override the suite.

    Raises InvalidSuiteError for a suite with errors, each on a line with its place, as in `tests[0].rubrics[1].weight`;
    NoSuiteError for data that are not a suite; TypeError or ValueError for data that YAML cannot represent, and ValueError
    for an unknown dialect.
    """
    place, options = Path(path), options or Options()
    instance("options", options, Options, "an Options")
    project = Project(DiskFiles(), place.absolute().parent)
    named = None if dialect is None else dialect_of(dialect).name
    document = JsonDocument.of(json.dumps(as_json(data, "a suite"), ensure_ascii=False, indent=2))
    analysis = analyze(document, dialect=named, path=place, kind=FileKind.SUITE, project=project)
    suite = with_origins(suite_in(place, analysis, project, read_text, options))
    raise_and_log(located(analysis.diagnostics, analysis), suite.file_errors)
    return suite
