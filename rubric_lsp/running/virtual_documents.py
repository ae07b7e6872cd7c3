"""Virtual documents about a run: shown by the client if it supports them, else written to a cache file."""

import asyncio
import contextlib
from functools import partial
from typing import TYPE_CHECKING
from urllib.parse import parse_qs, quote, unquote, urlencode

from rubric_core.control_characters import mask
from rubric_core.lazy_compilation import replace
from rubric_lsp.features.results import ShownCase
from rubric_lsp.host import Host
from rubric_lsp.protocol.errors import INVALID_PARAMS, REQUEST_FAILED, RequestFailedError
from rubric_lsp.protocol.uris import path_of
from rubric_lsp.running.known_results import KnownResults
from rubric_lsp.running.report_builder import ReportBuilder, expected_of, prompt_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rubric_core.evaluation.cases.runnable import Runnable
    from rubric_core.sandbox.process import Sandbox
    from rubric_lsp.features.result_texts import Kind
    from rubric_lsp.protocol.wire_types.explorer import Difference, DifferenceDocument
    from rubric_lsp.protocol.wire_types.window import (
        ShowDocumentParams,
        TextDocumentContentRefreshParams,
        TextDocumentContentResult,
    )

__all__ = ["SCHEME", "VirtualDocuments"]

#: The scheme of virtual documents.
SCHEME = "rubric"


class VirtualDocuments:
    """Shows answers, prompts, replies and reports."""

    def __init__(self, host: Host, known: KnownResults, reports: ReportBuilder) -> None:
        self._host, self._known, self._reports = host, known, reports
        #: The documents that the client has requested and may request again, by suite.
        self._shown: dict[str, set[str]] = {}
        #: Whether old texts were deleted, which is done once.
        self._tidied = False
        self._sandbox: Sandbox | None = None
        #: The number of prompts being rendered.
        self._prompts = 0

    async def show(self, kind: "Kind", uri: str, name: str, evaluator: str = "") -> str:
        """Show a document, and return its URI. Raises RequestFailedError if it is empty."""
        text = await self.text(kind, uri, name, evaluator)
        if self._host.client.text_contents:
            target = self._uri(kind, uri, name, evaluator)
            self._shown.setdefault(uri, set()).add(target)
        else:
            from rubric_lsp.features.result_texts import file_name  # noqa: PLC0415

            return await self.show_text(file_name(kind, name), uri, text)
        self._open(target, f"the {kind} of {name}")
        return target

    async def show_text(self, name: str, uri: str, text: str) -> str:
        """Show a text about a suite as a read-only file, and return its URI."""
        from rubric_lsp.running.text_cache import cached, drop_oldest  # noqa: PLC0415

        try:
            target = (await asyncio.to_thread(cached, name, uri, text)).as_uri()
        except OSError as error:
            raise RequestFailedError(
                REQUEST_FAILED, f"{name} cannot be shown, because it cannot be written: {error}"
            ) from None
        if not self._tidied:
            self._tidied = True
            self._host.keep(asyncio.to_thread(drop_oldest))
        self._open(target, name)
        return target

    def _open(self, target: str, what: str) -> None:
        # Not awaited: the client may show it only after the response that it is waiting for.
        self._host.keep(self._show(target, what))

    async def _show(self, target: str, what: str) -> None:
        if self._host.client.shows_documents:
            with contextlib.suppress(RequestFailedError):
                shown: ShowDocumentParams = {"uri": target, "takeFocus": True}
                await self._host.protocol.ask("window/showDocument", shown)
                return
        self._host.say(f"rubric: {what} is in {path_of(target) or target}")

    def _uri(self, kind: "Kind", uri: str, name: str, evaluator: str) -> str:
        from rubric_lsp.features.result_texts import file_name  # noqa: PLC0415

        about = {"kind": kind, "suite": uri, "case": name, **({"evaluator": evaluator} if evaluator else {})}
        return f"{SCHEME}:/{quote(file_name(kind, name))}?{urlencode(about)}"

    async def content(self, uri: str) -> "TextDocumentContentResult":
        """`workspace/textDocumentContent`. Raises RequestFailedError for a URI of another scheme."""
        from rubric_lsp.features.result_texts import KINDS  # noqa: PLC0415

        asked = _query_values(uri.partition("#")[0].partition("?")[2])
        kind = next((k for k in KINDS if k == asked.get("kind")), None)
        if kind is None or "suite" not in asked or "case" not in asked:
            raise RequestFailedError(INVALID_PARAMS, f"{uri} is not a document of rubric's")
        return {"text": await self.text(kind, asked["suite"], asked["case"], asked.get("evaluator", ""))}

    async def text(self, kind: "Kind", uri: str, name: str, evaluator: str = "") -> str:
        """The text of a document. Raises RequestFailedError if it is empty."""
        from rubric_lsp.features import result_texts  # noqa: PLC0415
        from rubric_lsp.running.selection import case_named  # noqa: PLC0415  # what runs need is loaded when something was run

        host = self._host
        snapshot = self._known.at(uri)
        case = case_named(snapshot, host.documents, name)
        if kind == "prompt":
            return _something(await self._prompt(case, name), f"{name} asks nothing")
        if kind == "expected":
            return _something(expected_of(case), f"{name} has no expected_output")
        result = self._known.results(snapshot).get(name, ShownCase()).result
        if result is None:
            raise RequestFailedError(INVALID_PARAMS, f"{name} has not been run yet")
        if kind == "report":
            return mask("\n\n".join(filter(None, (self._reports.markdown(snapshot, name), result_texts.sent(result)))))
        if kind == "trace":
            return result_texts.trace(result)
        if kind == "reply":
            return _something(mask(result_texts.reply(result, evaluator)), f"no judge was asked about {name}")
        answer = _something(result.answer, f"{name} has no answer: {result.reason}")
        if kind == "answer":
            return answer
        return result_texts.difference(_something(expected_of(case), f"{name} has no expected_output"), answer)

    async def compare(self, uri: str, name: str) -> "Difference | DifferenceDocument":
        """The expected output and the answer, for a client that shows differences itself; others are shown a diff."""
        await self.text("difference", uri, name)
        if not self._host.client.diffs:
            return {"difference": await self.show("difference", uri, name)}
        expected, answer = await self.text("expected", uri, name), await self.text("answer", uri, name)
        return {"title": f"{name}: expected ↔ answer", "expected": expected, "answer": answer}

    async def _prompt(self, case: "Runnable", name: str) -> str:
        """The prompt of a case. In a suite that may not run, template code is not rendered.

        Raises RequestFailedError if it cannot be computed, for example if a template takes too long.
        """
        from rubric_core.evaluation.model.unscored import Unscored  # noqa: PLC0415

        may_show = partial(self._host.index.is_shown, suite=case.path)
        try:
            if not case.dialect.properties.nunjucks or not self._host.permission.allows(case.path):
                return prompt_of(case, may_show)
            with self._computing() as sandbox:
                text: str = await sandbox.threaded(lambda: prompt_of(replace(case, sandbox=sandbox), may_show))
        except Unscored as error:
            raise RequestFailedError(INVALID_PARAMS, f"what {name} asks cannot be told: {error}") from None
        return text

    @contextlib.contextmanager
    def _computing(self) -> "Iterator[Sandbox]":
        """The sandbox of templates, shared by concurrent requests and closed afterwards."""
        from rubric_core.sandbox.process import Sandbox  # noqa: PLC0415

        self._sandbox = sandbox = self._sandbox or Sandbox()
        self._prompts += 1
        try:
            yield sandbox
        finally:
            self._prompts -= 1
            if not self._prompts:
                self._sandbox = None
                sandbox.close()

    def changed(self, uri: str) -> None:
        """The results of a suite have changed: refresh its documents."""
        for shown in self._shown.get(uri, ()):
            asked: TextDocumentContentRefreshParams = {"uri": shown}
            self._host.keep(self._host.ask_quietly("workspace/textDocumentContent/refresh", asked))


def _query_values(query: str) -> dict[str, str]:
    if "=" in query:
        return {key: values[0] for key, values in parse_qs(query).items()}
    # VS Code decodes a query once as a whole and encodes it again as a whole, so it is encoded as little as possible.
    pairs = (part.partition("=") for part in unquote(query).split("&"))
    return {key: value for key, _, value in pairs}


def _something(text: str, else_say: str) -> str:
    if not text:
        raise RequestFailedError(INVALID_PARAMS, else_say)
    return text
