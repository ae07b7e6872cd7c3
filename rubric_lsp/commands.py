"""The commands behind lenses and actions. Their arguments are positional: a document's URI, then the id of a case."""

from collections.abc import Awaitable, Callable, Sequence
from typing import TYPE_CHECKING, Any

from rubric_lsp.orders import Order
from rubric_lsp.protocol import INVALID_PARAMS, RefusedError
from rubric_lsp.workspace import path_of

if TYPE_CHECKING:
    from rubric_lsp.jobs import Job
    from rubric_lsp.server import RubricServer

__all__ = ["Commands"]


class Commands:
    """What `workspace/executeCommand` can be asked for."""

    def __init__(self, server: "RubricServer") -> None:
        self._server = server
        self._table: dict[str, tuple[int, Callable[..., Awaitable[object]]]] = {
            "rubric.runCase": (2, self._run_case),
            "rubric.runFile": (1, self._run_file),
            "rubric.cancel": (1, self._cancel),
            "rubric.clearResults": (1, self._clear),
            "rubric.trust": (1, self._trust),
        }

    @property
    def names(self) -> list[str]:
        """Every command."""
        return list(self._table)

    async def execute(self, name: str, arguments: Sequence[Any]) -> object:
        """Carry out a command. Raises RefusedError for one that does not exist or lacks arguments."""
        found = self._table.get(name)
        if found is None:
            raise RefusedError(INVALID_PARAMS, f"there is no command {name}; there are {', '.join(self._table)}")
        amount, command = found
        given = list(arguments[:amount])
        if len(given) < amount or not all(isinstance(a, str) and a for a in given):
            raise RefusedError(
                INVALID_PARAMS,
                f"{name} takes {'a URI' if amount == 1 else 'a URI and the id of a case'}, found {list(arguments)!r}",
            )
        return await command(*given)

    async def _run_case(self, uri: str, case_id: str) -> object:
        return _begun(await self._server.runs.start(Order.of(uri, case_id)))

    async def _run_file(self, uri: str) -> object:
        return _begun(await self._server.runs.start(Order.of(uri)))

    async def _cancel(self, uri: str) -> object:
        self._server.runs.cancel(uri)
        return None

    async def _clear(self, uri: str) -> object:
        self._server.runs.clear(uri)
        return None

    async def _trust(self, uri: str) -> object:
        path = path_of(uri)
        if path is None:
            raise RefusedError(INVALID_PARAMS, f"{uri} is no folder on disk")
        folder = self._server.permission.add(self._server.permission.folder_of(path))
        self._server.say(f"{folder} is trusted: its suites can be run (rubric trust --remove takes it back)")
        return str(folder)


def _begun(job: "Job | None") -> object:
    """What a command that runs something answers: the id of the run, null when a person has to allow it first."""
    return None if job is None else {"runId": job.name, "running": sorted(c.id for p in job.parts for c in p.cases)}
