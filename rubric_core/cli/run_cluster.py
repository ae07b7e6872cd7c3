"""`rubric run --on`: the cluster for the cases of all suites of a run. Imports nothing of a cluster unless used."""

import argparse
import logging
from contextlib import ExitStack
from pathlib import Path
from types import TracebackType

from rubric_core.cli.live_table import Live
from rubric_core.cli.selection import WrongUseError
from rubric_core.evaluation.cases.loaded_suite import LoadedSuite
from rubric_core.evaluation.engine.executor import Executor
from rubric_core.evaluation.engine.schedule import WORKERS
from rubric_core.evaluation.model.plan import Plan
from rubric_core.program_lookup import process_environment
from rubric_core.trust import Trust

__all__ = ["RunCluster", "check_cluster_options"]

#: Why an option excludes `--on`.
_EXCLUDED = {
    "cache": "answers of targets are not cached on a cluster",
    "record": "judges are not recorded on a cluster",
    "refresh": "judges are not recorded on a cluster",
    "watch": "a cluster is set up for one run",
}


def check_cluster_options(options: argparse.Namespace) -> None:
    """Raises WrongUseError for options that exclude `--on`, and for those that need it."""
    if options.on is None:
        if options.send_env or options.shared_files:
            raise WrongUseError(
                f"{'--send-env' if options.send_env else '--shared-files'} is about the workers of --on"
            )
        return
    for name, why in _EXCLUDED.items():
        if getattr(options, name):
            raise WrongUseError(f"--{name} and --on exclude each other: {why}")
    if options.keep_workspaces != "never":
        raise WrongUseError(
            "--keep-workspaces and --on exclude each other: workspaces are on the workers, and go with the run"
        )
    for name in options.send_env or ():
        if name not in process_environment():
            raise WrongUseError(f"--send-env {name}: there is no such variable here")


class RunCluster:
    """The cluster of `--on`, set up for a run.

    Args:
        options: The command line.
        live: Shows the number of workers.
    """

    def __init__(self, options: argparse.Namespace, live: Live) -> None:
        self._options, self._live = options, live
        self._stack = ExitStack()
        self._address = ""
        self._has_said = False
        #: The lines of plans that were shown.
        self._shown: set[str] = set()

    def __enter__(self) -> None:
        """Raises ClusterError."""
        if self._options.on is not None:
            from rubric_core.cluster.connection import cluster_at, required_distributed  # noqa: PLC0415  # an extra

            required_distributed()
            for name in list(logging.root.manager.loggerDict):  # each has a level of its own
                if name.partition(".")[0] == "distributed":
                    logging.getLogger(name).setLevel(logging.CRITICAL)  # rubric reports the outcome itself
            self._address = self._stack.enter_context(cluster_at(self._options.on, self._options.workers or WORKERS))

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """End the processes that were started."""
        self._stack.close()

    def executor(self, suite: LoadedSuite) -> Executor | None:
        """The executor for a suite; None for this process."""
        if not self._address:
            return None
        from rubric_core.cluster.executor import ClusterExecutor  # noqa: PLC0415  # an extra

        return ClusterExecutor(
            suite, self._address, send=self._options.send_env or (), shared_files=self._options.shared_files,
            on_workers=self._workers, on_dashboard=self._dashboard, on_plan=self._plan,
        )  # fmt: skip

    def _workers(self, number: int) -> None:
        self._live.workers = number

    def _dashboard(self, address: str) -> None:
        if not self._has_said:
            self._has_said = True
            self._live.say(f"rubric: the dashboard of the cluster: {address}")

    def _plan(self, plan: Plan, folder: Path) -> None:
        """Show what a run does, besides what was shown for an earlier suite; nothing if the folder remembers all of it."""
        from rubric_core.cli.plan_output import plan_lines  # noqa: PLC0415  # a run on this machine shows none

        lines = [line for line in plan_lines(plan, folder) if line not in self._shown]
        try:
            is_known = Trust().new_entries(folder, [plan]) == {}
        except OSError:
            is_known = False
        if lines and not is_known:
            self._shown.update(lines)
            self._live.say(f"rubric: what cases do on {self._options.on}, and nothing else:")
            for line in lines:
                self._live.say(f"  {line}")
