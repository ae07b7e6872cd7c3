"""A cluster of two worker processes, for all tests of this folder."""

import logging
import os
from collections.abc import Iterator

import pytest

pytest.importorskip("distributed", reason="the extra `cluster` is not installed: pip install distributed")


@pytest.fixture(scope="session")
def address() -> Iterator[str]:
    """The scheduler of two workers with two threads each."""
    from rubric_core.cluster.connection import cluster_at

    os.environ.pop("RUBRIC_PLANTED", None)
    before = {handler: handler.level for handler in logging.getLogger("distributed").handlers}
    with cluster_at("local:2", 4) as found:
        # Dask silences what its logger writes to until the end of the session: those are pytest's handlers, by which
        # tests of other folders in this process see what is logged.
        for handler, level in before.items():
            handler.setLevel(level)
        yield found
