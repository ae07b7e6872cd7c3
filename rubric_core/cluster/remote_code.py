"""Code that a run sends to scheduler and workers pickled by value: a scheduler needs no rubric."""

import pickle
from collections.abc import Callable
from typing import Any, NamedTuple

from rubric_core.cluster.connection import required_distributed

__all__ = ["RemoteCode", "remote_code"]


class RemoteCode(NamedTuple):
    """The code that scheduler and workers run."""

    #: See `RubricRuns`.
    plugin: Any
    #: See `worker_tasks`.
    run_batch: Callable[..., Any]
    call_worker: Callable[..., Any]
    probe: Callable[[], tuple[str, str, str]]
    secret_names: Callable[[], list[str]]


def remote_code() -> RemoteCode:
    """The plugin and the functions, pickled by value wherever they are sent. Raises ClusterError without Dask."""
    required_distributed()
    import cloudpickle  # type: ignore[import-untyped]  # noqa: PLC0415  # it comes with distributed, untyped

    from rubric_core.cluster import scheduler_plugin, worker_tasks  # noqa: PLC0415  # they need the extra
    from rubric_core.evaluation.targets import minute_window  # noqa: PLC0415  # the plugin's arithmetic

    for module in (scheduler_plugin, worker_tasks, minute_window):
        cloudpickle.register_pickle_by_value(module)
    calls = worker_tasks.run_batch, worker_tasks.call_worker, worker_tasks.probe, worker_tasks.secret_names
    made = scheduler_plugin.RubricRuns(), *calls
    # A copy is not the object of that name in its module, so no pickle can refer to it by name.
    return RemoteCode(*pickle.loads(cloudpickle.dumps(made)))  # noqa: S301  # made in the line above
