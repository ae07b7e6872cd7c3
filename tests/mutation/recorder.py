"""A plugin of pytest: coverage of every test under its id, and what became of it, for `reach`.

The variables name the files: programs that a test starts are measured as well, by the configuration that they find there.
"""

import json
import os
import time
from collections.abc import Iterator
from pathlib import Path

import coverage
import pytest

__all__ = ["CONTEXT", "OUTCOMES"]

#: The variable in which a program that is started finds the test that starts it.
CONTEXT = "RUBRIC_TEST_CONTEXT"
#: The variable with the file into which the seconds of tests that passed are written.
OUTCOMES = "RUBRIC_TEST_OUTCOMES"

_seconds = pytest.StashKey[dict[str, float]]()


def pytest_configure(config: pytest.Config) -> None:
    config.stash[_seconds] = {}


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item: pytest.Item) -> Iterator[None]:
    running = coverage.Coverage.current()
    assert running is not None
    running.switch_context(item.nodeid)
    os.environ[CONTEXT] = item.nodeid
    begun = time.monotonic()
    item.config.stash[_seconds][item.nodeid] = 0.0
    yield
    if item.nodeid in item.config.stash[_seconds]:
        item.config.stash[_seconds][item.nodeid] = round(time.monotonic() - begun, 3)
    running.switch_context("")
    return None


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item) -> Iterator[None]:
    report = yield
    if not report.passed:  # skipped here, or failing without a mutation: it says nothing about one
        item.config.stash[_seconds].pop(item.nodeid, None)
    return report


def pytest_sessionfinish(session: pytest.Session) -> None:
    Path(os.environ[OUTCOMES]).write_text(json.dumps(session.config.stash[_seconds]), encoding="utf-8")
