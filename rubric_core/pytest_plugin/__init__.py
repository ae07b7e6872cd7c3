"""The pytest plugin: suites are test files, and each of their cases is a test.

It does nothing, and imports nothing of rubric, unless `--rubric` is given or the ini option `rubric_suites` is set: pytest
loads it in every environment that rubric is installed in.
"""

import pytest

__all__ = ["pytest_addoption", "pytest_configure"]


def pytest_addoption(parser: pytest.Parser) -> None:
    """Declare the options; see `docs/pytest.md`."""
    add = parser.getgroup("rubric", "evaluation suites (rubric)").addoption
    add("--rubric", action="store_true", help="collect evaluation suites, one test per case")
    add(
        "--rubric-replay",
        action="store_true",
        help="never call the judge: use the recorded replies",
    )
    add("--rubric-target", metavar="NAME", help="the target that answers")
    add("--rubric-grader-target", metavar="NAME", help="the target that judges")
    add("--rubric-targets", metavar="FILE", help="the targets file to use (default: the closest one)")
    add(
        "--rubric-allow-grader-errors",
        action="store_true",
        help="let cases pass by their other graders when one could not run or crashed",
    )
    parser.addini(
        "rubric_suites",
        "evaluation suites to collect: files, folders and patterns, relative to the root folder",
        type="linelist",
        default=[],
    )


def pytest_configure(config: pytest.Config) -> None:
    """Collect suites if that is enabled."""
    if config.getoption("rubric") or config.getini("rubric_suites"):
        from rubric_core.pytest_plugin.collection import SuiteCollection  # noqa: PLC0415  # nothing while inert

        config.pluginmanager.register(SuiteCollection(config), "rubric-suites")
