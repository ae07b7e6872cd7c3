"""The real agentv and rubric over a few suites: the short form of `make parity`."""

from pathlib import Path

import npm
import pytest
from thorough import only_thorough

from . import agentv
from .assessment import assess
from .bundles import read_suites
from .known import read_known
from .run import Runner, compare_suites
from .server import scripted_server

pytestmark = pytest.mark.node

#: Suites in which nothing is left to be mended.
SUITES = ("contains", "ranges", "gates", "judge-fence")


@pytest.fixture(scope="module")
def command() -> tuple[str, ...]:
    try:
        return agentv.command()
    except npm.UnavailableError as reason:
        pytest.skip(str(reason))


@only_thorough  # `make parity` compares all of them
def test_both_programs_score_alike(command: tuple[str, ...], tmp_path: Path) -> None:
    sources = read_suites()
    with scripted_server() as server:
        found = list(compare_suites(Runner(command, tmp_path, server), [sources[name] for name in SUITES], 2))
    assert all(each.agentv.cases and each.rubric.cases for each in found)
    assert not assess(found, read_known()).failures
