"""rubric with a third family, `drill`, beside this file: `entry.py check a.drill.yaml` is `rubric check a.drill.yaml`.

`entry.py editor a.drill.yaml` and the other names of `FEATURES` print as JSON what an editor shows of a file; see there.
"""

import json
import sys
import time
from pathlib import Path
from typing import Any

import rubric_core.family as families

CURSOR = "<|>"


def register() -> None:
    """Add the family before any module reads the list."""
    drill = families.Family(
        name="drill",
        title="Drill",
        dialects=("drill-1",),
        case_keys=("drills",),
        parts={part: f"drill.{part}" for part in ("cases", "checks", "dialects", "language", "recognition", "texts")},
    )
    families.FAMILIES = (*families.FAMILIES, drill)


def editor_answers(path: Path) -> dict[str, Any]:
    """What hover and completion at `<|>` and the outline show of a file."""
    from rubric_core.analysis import analyze, default_language
    from rubric_lsp.features.block_memo import blocks_of
    from rubric_lsp.features.completion import complete
    from rubric_lsp.features.hover import hover
    from rubric_lsp.features.symbols import symbols_in

    marked = path.read_text(encoding="utf-8")
    offset, text = max(marked.find(CURSOR), 0), marked.replace(CURSOR, "")
    language = default_language()
    analysis = analyze(language.document(text, path), language, path=path)
    shown = hover(analysis, offset)
    return {
        "blocks": len(analysis.document.blocks),
        "hover": shown.markdown if shown is not None else "",
        "completion": [each.label for each in complete(analysis, offset)],
        "insertions": [each.snippet or each.plain for each in complete(analysis, offset)],
        "outline": [symbol.name for local in blocks_of(analysis) for symbol in symbols_in(local)],
    }


def edited_and_fresh(path: Path) -> dict[str, Any]:
    """The findings after an edit of each character, analysed incrementally and anew; and how many states were kept."""
    from rubric_core.analysis import analyze, default_language
    from rubric_core.text import Edit, Span

    text, language = path.read_text(encoding="utf-8"), default_language()
    before = analyze(language.document(text, path), language, path=path)
    differing, kept = [], 0
    for offset in range(len(text)):
        document = before.document.edited(Edit(Span(offset, offset + 1), ""))
        now = analyze(document, language, path=path, previous=before)
        fresh = analyze(language.document(document.text, path), language, path=path)
        if now.diagnostics != fresh.diagnostics or [c.name for c in now.cases] != [c.name for c in fresh.cases]:
            differing.append(offset)
        kept = max(kept, sum(now.states[b] is before.states.get(b) for b in document.blocks))
    return {"differing": differing, "kept": kept}


def opened(path: Path) -> Any:
    """A server in this process in which a file is open."""
    sys.path[:0] = [str(Path(__file__).parents[1] / name) for name in ("lsp", "")]
    import everywhere
    from client import VSCODE

    everywhere.URI = path.absolute().as_uri()
    everywhere.params_at.__defaults__ = (everywhere.URI,)
    server = everywhere.Direct()
    server.initialize(VSCODE)
    server.open(everywhere.URI, path.read_text(encoding="utf-8"), version=1)
    return server


def requests_answered(path: Path) -> int:
    """How many requests about a file a server answers without an error."""
    server, text = opened(path), path.read_text(encoding="utf-8")
    import everywhere

    asked = everywhere.ask_everything(server, text, range(0, len(text), 5))
    everywhere.assert_quiet(server)
    return asked


def results_shown(path: Path) -> list[tuple[int, str]]:
    """The lines at which a server shows results of the last run, and what it shows there."""
    server = opened(path)
    from everywhere import params_at
    from waiting import PATIENCE

    end = time.monotonic() + PATIENCE
    hints: list[Any] = []
    while not hints and time.monotonic() < end:  # results are read beside the requests
        start = {"line": 0, "character": 0}
        params = {**params_at("inlayHint", start), "range": {"start": start, "end": {"line": 100, "character": 0}}}
        hints = server.answer(server.start("textDocument/inlayHint", params))["result"] or []
    return [(each["position"]["line"], each["label"]) for each in hints]


FEATURES = {
    "editor": editor_answers,
    "edits": edited_and_fresh,
    "requests": requests_answered,
    "results-shown": results_shown,
}


def main(command: str, *arguments: str) -> int:
    """Run a command of rubric, or print answers of features."""
    register()
    if command in FEATURES:
        sys.stdout.write(json.dumps(FEATURES[command](Path(arguments[0]))))
        return 0
    from rubric_core.cli import main as rubric

    return rubric([command, *arguments])


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
