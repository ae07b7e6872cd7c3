"""The server of `rubric view`: to this computer, for one browser that knows the address, and read-only.

Any page in a browser may send requests to this computer. So the address contains a secret, the `Host` must be this
server's own (against DNS rebinding), and requests of other pages are refused.
"""

import hmac
import json
import secrets
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, urlsplit

from rubric_core.evaluation.report_page.document import content_policy, html_document
from rubric_core.evaluation.report_page.live_report import LiveReport
from rubric_core.evaluation.results.records import RunNotFoundError
from rubric_core.evaluation.results.store_errors import ResultStoreError

__all__ = ["ReportServer"]

_TITLE = "rubric view"
_JSON, _HTML, _TEXT = "application/json", "text/html; charset=utf-8", "text/plain; charset=utf-8"
#: Seconds within which a browser has to send its request.
_PATIENCE = 30


class ReportServer(ThreadingHTTPServer):
    """Serves the reports of a database on a free port of 127.0.0.1.

    Args:
        report: Makes the reports.
    """

    daemon_threads = True

    def __init__(self, report: LiveReport) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.report = report
        self.token = secrets.token_urlsafe(24)
        self.page = "".join(html_document(None, title=_TITLE)).encode()
        self.policy = f"{content_policy('self')}; frame-ancestors 'none'"

    @property
    def address(self) -> str:
        """The address of the page, which gives access to all results."""
        return f"http://127.0.0.1:{self.server_port}/{self.token}/"

    @property
    def hosts(self) -> tuple[str, ...]:
        """The names of this server in browsers on this computer."""
        return f"127.0.0.1:{self.server_port}", f"localhost:{self.server_port}"

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Ignore errors of a connection: the browser has gone."""


class _Handler(BaseHTTPRequestHandler):
    """One connection."""

    server: ReportServer
    server_version, sys_version = "rubric", ""
    timeout = _PATIENCE

    def do_GET(self) -> None:  # the name that http.server expects
        """Answer a request."""
        self._answer()

    def do_HEAD(self) -> None:  # see do_GET
        """Answer without the content."""
        self._answer()

    def log_message(self, *_: object) -> None:
        """Log nothing: the address contains a secret."""

    def _answer(self) -> None:
        if not self._is_ours():
            self._send(HTTPStatus.FORBIDDEN, _TEXT, b"Only the page of rubric view may ask this.")
            return
        asked = urlsplit(self.path)
        token, _, name = asked.path.lstrip("/").partition("/")
        if not hmac.compare_digest(token.encode(), self.server.token.encode()):
            self._send(
                HTTPStatus.NOT_FOUND, _TEXT, b"There is nothing here. The address is the one that rubric view printed."
            )
            return
        query = {key: values[-1] for key, values in parse_qs(asked.query).items()}
        try:
            self._serve(name, query)
        except RunNotFoundError as error:
            self._send(HTTPStatus.NOT_FOUND, _TEXT, str(error).encode())
        except ResultStoreError as error:
            self._send(HTTPStatus.SERVICE_UNAVAILABLE, _TEXT, str(error).encode(errors="replace"))

    def _is_ours(self) -> bool:
        """Whether the request comes from the page itself, or from an address typed by the user."""
        hosts, origin = self.server.hosts, self.headers.get("Origin")
        site = self.headers.get("Sec-Fetch-Site", "none")
        mode = self.headers.get("Sec-Fetch-Mode", "")
        typed = mode == "navigate" and self.headers.get("Sec-Fetch-Dest") == "document"
        return (
            self.headers.get("Host") in hosts
            and (origin is None or origin in [f"http://{host}" for host in hosts])
            # A file on disk that redirects a browser here is another site; it opens a page that others cannot read.
            and (site in ("same-origin", "none") or typed)
        )

    def _serve(self, name: str, query: dict[str, str]) -> None:
        chosen = query.get("run", ""), query.get("base", "")
        if name == "":
            self._send(HTTPStatus.OK, _HTML, self.server.page)
        elif name == "data":
            tag, content = self.server.report.snapshot(*chosen)
            if self.headers.get("If-None-Match") == tag:
                self._send(HTTPStatus.NOT_MODIFIED, _JSON, b"", tag)
            else:
                self._send(HTTPStatus.OK, _JSON, content, tag)
        elif name == "case":
            found = self.server.report.case(
                (query.get("suite", ""), query.get("case", ""), query.get("target", "")), *chosen
            )
            if found is None:
                self._send(HTTPStatus.NOT_FOUND, _TEXT, b"The run has no such case.")
            else:
                self._send(HTTPStatus.OK, _JSON, json.dumps(found).encode())
        else:
            self._send(HTTPStatus.NOT_FOUND, _TEXT, b"There is nothing here.")

    def _send(self, status: HTTPStatus, kind: str, content: bytes, tag: str = "") -> None:
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(content)))
        self.send_header("Content-Security-Policy", self.server.policy)
        self.send_header("X-Content-Type-Options", "nosniff")
        self.send_header("Referrer-Policy", "no-referrer")
        self.send_header("Cross-Origin-Resource-Policy", "same-origin")
        self.send_header("Cross-Origin-Opener-Policy", "same-origin")
        self.send_header("Cache-Control", "no-store")
        if tag:
            self.send_header("ETag", tag)
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(content)
