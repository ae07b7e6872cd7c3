"""A browser for the page, runs to show in it, and where pictures go."""

import fcntl
import os
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime, timezone
from pathlib import Path

import chromium
import pytest
from sample_runs import store

from rubric_core.evaluation.report_page.write_report import write_report
from rubric_core.evaluation.results.database import ResultDatabase

ARTIFACTS = Path(__file__).parents[2] / "artifacts"
NOW = datetime(2026, 11, 24, 12, tzinfo=timezone.utc)


@pytest.fixture(scope="session")
def browser() -> Iterator[chromium.Chromium]:
    if chromium.program() is None:
        pytest.skip("Chromium is not installed (apt install chromium)")
    with chromium.Chromium() as started:
        yield started


@pytest.fixture
def tab(browser: chromium.Chromium) -> chromium.Tab:
    return browser.tab()


@pytest.fixture(scope="session")
def database(tmp_path_factory: pytest.TempPathFactory) -> ResultDatabase:
    """Eight runs of sixty cases. Nobody writes to it."""
    return store(tmp_path_factory.mktemp("shop"))


@pytest.fixture(scope="session")
def page(database: ResultDatabase, tmp_path_factory: pytest.TempPathFactory) -> str:
    """The address of the last run's page on disk."""
    path = tmp_path_factory.mktemp("page") / "report.html"
    write_report(path, database, database.find("last"), now=NOW)
    return path.as_uri()


@pytest.fixture(scope="session")
def comparison_page(database: ResultDatabase, tmp_path_factory: pytest.TempPathFactory) -> str:
    """The address of the page that compares the last run with the fourth before it."""
    path = tmp_path_factory.mktemp("comparison") / "report.html"
    write_report(path, database, database.find("last"), base=database.find("last~4"), now=NOW)
    return path.as_uri()


@pytest.fixture
def artifacts() -> Path:
    """Where pictures go: ignored by git, looked at by people."""
    ARTIFACTS.mkdir(exist_ok=True)
    return ARTIFACTS


@contextmanager
def alone(folder: Path) -> Iterator[None]:
    """Meanwhile no other process of the tests installs anything there."""
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield
    finally:
        os.close(descriptor)


@pytest.fixture(scope="session")
def node_modules() -> Path:
    """The packages that the view is built with, as its lock names them."""
    npm = shutil.which("npm")
    if npm is None or shutil.which("node") is None:
        pytest.skip("npm is not installed: the view is not built again")
    folder = ARTIFACTS.parent / "report"
    installed, lock = folder / "node_modules" / ".package-lock.json", folder / "package-lock.json"
    with alone(folder):
        if not installed.exists() or installed.stat().st_mtime < lock.stat().st_mtime:
            done = subprocess.run([npm, "ci", "--no-audit", "--no-fund"], cwd=folder, capture_output=True, text=True, timeout=600, check=False)  # fmt: skip
            if done.returncode:
                pytest.skip(f"npm cannot install what the view is built with: {done.stderr.strip()[-200:]}")
            installed.touch()
    return folder / "node_modules"
