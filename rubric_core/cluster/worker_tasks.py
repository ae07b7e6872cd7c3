"""The functions that a run calls on Dask's workers.

Sent as code, see `remote_code`, so that even a worker without rubric can report its versions. Each imports what it needs when it runs.
"""

from typing import Any

__all__ = ["call_worker", "probe", "run_batch", "secret_names"]


async def run_batch(run: str, key: str, cases: list[tuple[int, int, str, str]], files: int) -> tuple[str, Any]:
    """The task of a batch: run some cases once the first `files` files of the run have arrived.

    Returns the outcome with a value: "done" or "differs" with what the engine sent, or "lost" or "failed" with the reason.
    """
    from distributed import get_worker  # noqa: PLC0415  # an extra, and only workers have one

    worker = get_worker()
    try:
        is_first = await worker.scheduler.rubric_claim(run=run, key=key, worker=worker.address)
    except OSError as error:
        return "lost", f"it did not reach the scheduler: {error}"
    if not is_first:
        return "lost", "its worker ended"
    from rubric_core.cluster.worker import run_cases_of  # noqa: PLC0415  # see above

    outcome: tuple[str, Any] = await run_cases_of(worker, run, cases, files)
    return outcome


async def call_worker(what: str, run: str, arguments: list[Any], dask_worker: Any = None) -> Any:
    """Have a worker end a run, or some of its cases."""
    from rubric_core.cluster.worker import end_cases, end_run  # noqa: PLC0415  # see above

    return await (end_run(dask_worker, run) if what == "end" else end_cases(dask_worker, run, arguments))


def probe() -> tuple[str, str, str]:
    """The versions of rubric and Python on a worker, and a hash of its catalogue; empty without rubric, and the reason."""
    import platform  # noqa: PLC0415  # see above

    python = ".".join(platform.python_version_tuple()[:2])
    try:
        from rubric_core.cluster.versions import catalogue_hash, rubric_version  # noqa: PLC0415  # see above
    except ImportError as error:
        return "", python, str(error)
    return rubric_version(), python, catalogue_hash()


def secret_names() -> list[str]:
    """The names of the environment variables of a worker that hold secrets, without their values."""
    import os  # noqa: PLC0415  # see above

    from rubric_core.language.secret_names import looks_secret  # noqa: PLC0415  # see above

    return [name for name, value in os.environ.items() if value and looks_secret(name)]
