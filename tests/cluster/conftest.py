"""A cluster of two worker processes, for all tests of this folder."""

import os
from collections.abc import Iterator

import pytest

pytest.importorskip("distributed", reason="the extra `cluster` is not installed: pip install distributed")


@pytest.fixture(scope="session")
def address() -> Iterator[str]:
    """The scheduler of two workers with two threads each."""
    from rubric_core.cluster.connection import cluster_at

    os.environ.pop("RUBRIC_PLANTED", None)
    with cluster_at("local:2", 4) as found:
        yield found
