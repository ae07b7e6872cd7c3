"""A headless Chromium, driven by the DevTools protocol: enough of it to look at a page, to press keys and to measure."""

import base64
import itertools
import json
import shutil
import subprocess
import tempfile
import time
from contextlib import ExitStack
from pathlib import Path
from types import TracebackType
from typing import Any

from websockets.sync.client import ClientConnection, connect

__all__ = ["Chromium", "Tab", "program"]

_PATIENCE = 10


def program() -> str | None:
    """The browser, if there is one."""
    return shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")


class Chromium:
    """One browser with a profile of its own, which ends with the block."""

    def __enter__(self) -> "Chromium":  # noqa: PYI034  # Python 3.10 has no Self
        self._profile = tempfile.mkdtemp(prefix="rubric-chromium-")
        found = program()
        assert found is not None
        flags = ("--headless=new", "--no-sandbox", "--disable-gpu", "--remote-debugging-port=0", "--no-first-run", "--disable-dev-shm-usage", "--hide-scrollbars", f"--user-data-dir={self._profile}")  # fmt: skip
        self._process = subprocess.Popen([found, *flags, "about:blank"], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)  # fmt: skip
        port, path = self._address()
        self._open = ExitStack()
        # No pings: while nobody reads events, between two tests, the replies to them would wait in the same queue.
        self._socket = self._open.enter_context(
            connect(f"ws://127.0.0.1:{port}{path}", max_size=None, open_timeout=_PATIENCE, ping_interval=None)
        )
        self._root = Connection(self._socket)
        self._tab = ""
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._open.close()
        self._process.terminate()
        try:
            self._process.wait(10)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        shutil.rmtree(self._profile, ignore_errors=True)

    def tab(self, width: int = 1280, height: int = 900, *, dark: bool = False) -> "Tab":
        """A new tab of that size, in place of the one before."""
        if self._tab:
            self._root.call("Target.closeTarget", targetId=self._tab)
        target = self._root.call("Target.createTarget", url="about:blank")["targetId"]
        self._tab = target
        session = self._root.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        return Tab(self._root, session, width, height, dark=dark)

    def _address(self) -> tuple[str, str]:
        file = Path(self._profile) / "DevToolsActivePort"
        deadline = time.monotonic() + _PATIENCE
        while time.monotonic() < deadline:
            assert self._process.poll() is None, "Chromium did not start"
            lines = file.read_text().split("\n") if file.exists() else []
            if len(lines) >= 2:
                return lines[0], lines[1]
            time.sleep(0.05)
        raise TimeoutError("Chromium did not say where it listens")


class Connection:
    """Calls, and the events that came meanwhile."""

    def __init__(self, socket: ClientConnection) -> None:
        self._socket = socket
        self._numbers = itertools.count(1)
        self.events: list[dict[str, Any]] = []

    def call(self, method: str, session: str | None = None, **parameters: Any) -> dict[str, Any]:
        number = next(self._numbers)
        about = {"sessionId": session} if session else {}
        self._socket.send(json.dumps({"id": number, "method": method, "params": parameters, **about}))
        while True:
            message = json.loads(self._socket.recv(timeout=_PATIENCE))
            if message.get("id") != number:
                self.events.append(message)
            elif "error" in message:
                raise RuntimeError(f"{method}: {message['error']}")
            else:
                return message["result"]


class Tab:
    """A page, and what a person does there."""

    def __init__(self, root: Connection, session: str, width: int, height: int, *, dark: bool) -> None:
        self._root, self._session = root, session
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.call(f"{domain}.enable")
        self.size(width, height)
        self.call(
            "Emulation.setEmulatedMedia",
            features=[{"name": "prefers-color-scheme", "value": "dark" if dark else "light"}],
        )

    def call(self, method: str, **parameters: Any) -> dict[str, Any]:
        return self._root.call(method, self._session, **parameters)

    def size(self, width: int, height: int) -> None:
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False)

    def open(self, address: str, shown: str = "main h2, main h1") -> "Tab":
        """Go there, and wait until it shows an element."""
        self._root.events.clear()
        self.call("Page.navigate", url=address)
        return self.wait(
            f"document.readyState === 'complete' && document.querySelector({json.dumps(shown)}) && !document.querySelector('.waiting')"
        )

    def run(self, script: str) -> Any:
        """The value of an expression; a promise is waited for."""
        done = self.call("Runtime.evaluate", expression=script, returnByValue=True, awaitPromise=True, allowUnsafeEvalBlockedByCSP=True)  # fmt: skip
        assert "exceptionDetails" not in done, done["exceptionDetails"]
        return done["result"].get("value")

    def wait(self, condition: str) -> "Tab":
        """Until an expression is true."""
        deadline = time.monotonic() + _PATIENCE
        while time.monotonic() < deadline:
            if self.run(f"!!({condition})"):
                return self
            time.sleep(0.03)
        raise TimeoutError(f"it did not come true: {condition}\n{self.run('document.body.innerText.slice(0, 2000)')}")

    def unfold(self) -> "Tab":
        """Open everything that is folded, and what comes to light."""
        folded = "[...document.querySelectorAll('main details:not([open]) > summary')].map((each) => each.click())"
        return self.wait(f"{folded}.length === 0")

    def key(self, key: str) -> "Tab":
        """Press a key."""
        codes = {"Enter": 13, "Escape": 27, "Tab": 9}
        text = {"text": key} if len(key) == 1 else {"text": "\r"} if key == "Enter" else {}
        about = {"key": key, "windowsVirtualKeyCode": codes.get(key, ord(key[0].upper()))}
        self.call("Input.dispatchKeyEvent", type="keyDown", **about, **text)
        self.call("Input.dispatchKeyEvent", type="keyUp", **about)
        return self

    def picture(self, path: Path, *, whole: bool = True) -> None:
        """A PNG of the page."""
        height = self.run("document.documentElement.scrollHeight")
        width = self.run("innerWidth")
        clip = {"x": 0, "y": 0, "width": width, "height": min(height, 6000), "scale": 1}
        more: dict[str, Any] = {"clip": clip, "captureBeyondViewport": True} if whole else {}
        path.write_bytes(base64.b64decode(self.call("Page.captureScreenshot", format="png", **more)["data"]))

    def pdf(self, path: Path) -> None:
        """The page as it is printed."""
        path.write_bytes(
            base64.b64decode(self.call("Page.printToPDF", printBackground=True, preferCSSPageSize=True)["data"])
        )

    @property
    def complaints(self) -> list[str]:
        """What the console says of errors, and of what the policy refused."""
        self.run("1")
        said = [
            (event["method"], event["params"]) for event in self._root.events if event.get("sessionId") == self._session
        ]
        logged = [
            each["entry"]["text"]
            for method, each in said
            if method == "Log.entryAdded" and each["entry"]["level"] in ("error", "warning")
        ]
        thrown = [
            str(each["exceptionDetails"].get("exception", {}).get("description"))
            for method, each in said
            if method == "Runtime.exceptionThrown"
        ]
        return logged + thrown

    @property
    def requests(self) -> list[str]:
        """The addresses that were asked for since it was opened."""
        self.run("1")
        return [
            event["params"]["request"]["url"]
            for event in self._root.events
            if event.get("sessionId") == self._session and event["method"] == "Network.requestWillBeSent"
        ]
