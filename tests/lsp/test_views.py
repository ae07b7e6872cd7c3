"""The outline, the folds and the colours of texts, as `views.txt` shows them: a text, then its views, each line after `→`.

`UPDATE=1 pytest tests/lsp/test_views.py` writes what comes out anew; people read the difference.
"""

import re
from collections.abc import Iterable, Iterator
from pathlib import Path, PurePath

import pytest
from harness import LANGUAGE, UPDATING

from rubric_core.analysis import Analysis, LocalText, analyze
from rubric_lsp.features.folding import folds_in, list_fold
from rubric_lsp.features.names import name_at, names_in, occurrences
from rubric_lsp.features.symbol import Symbol
from rubric_lsp.features.symbols import symbols_in
from rubric_lsp.features.tokens import MODIFIERS, TYPES, tokens_in

PAGE = Path(__file__).with_name("views.txt")
_HEADING = re.compile(r"^#### (.+)\n", re.MULTILINE)
_SHOWN = "→ "


def examples() -> list[tuple[str, str]]:
    _, *parts = _HEADING.split(PAGE.read_text(encoding="utf-8"))
    return list(zip(parts[::2], parts[1::2], strict=True))


def outline(local: LocalText, symbols: Iterable[Symbol], depth: int = 0) -> Iterator[str]:
    """Each symbol with its kind, its detail, the text that it is named by, and its first and last line."""
    for each in symbols:
        named, whole = (local.text[slice(*span)] for span in (each.name_span, each.span))
        named = named.partition("\n")[0]
        lines = whole.count("\n") + 1
        detail = f" ({each.detail})" if each.detail else ""
        yield f"{'  ' * depth}{each.kind} {each.name}{detail}, at `{named}`, {lines} line{'s' if lines > 1 else ''}"
        yield from outline(local, each.children, depth + 1)


def colours(local: LocalText) -> Iterator[str]:
    """The tokens of each line."""
    shown: dict[int, list[str]] = {}
    for token in tokens_in(local, "utf-32"):
        line = local.text.splitlines()[token.line]
        marks = "".join(f" {mark}" for bit, mark in enumerate(MODIFIERS) if token.modifiers & (1 << bit))
        words = f"{line[token.start : token.start + token.length]} {TYPES[token.type]}{marks}"
        shown.setdefault(token.line, []).append(words)
    return (", ".join(words) for words in shown.values())


def views(analysis: Analysis) -> Iterator[str]:
    """What is shown of a text."""
    document = analysis.document
    listed = list_fold(analysis)
    for number, _ in enumerate(document.blocks):
        local = analysis.local(document.start(number))
        folds = [f"{fold.first}-{fold.last}{' comment' if fold.is_comment else ''}" for fold in folds_in(local)]
        yield f"block {number}" + (f", folds {', '.join(folds)}" if folds else "")
        yield from outline(local, symbols_in(local), 1)
        yield from (f"  | {line}" for line in colours(local))
    if listed is not None:
        yield f"the list folds {listed.first}-{listed.last}"


@pytest.mark.parametrize(("name", "body"), examples(), ids=[name for name, _ in examples()])
def test_views(name: str, body: str) -> None:
    text = "".join(line for line in body.splitlines(keepends=True) if not line.startswith(_SHOWN))
    file = "promptfooconfig.yaml" if "promptfoo" in name else "a.eval.yaml"
    analysis = analyze(LANGUAGE.document(text, PurePath(file)), LANGUAGE, path=PurePath(file))
    new = text + "".join(f"{_SHOWN}{line}\n" for line in views(analysis))
    if UPDATING:
        whole = PAGE.read_text(encoding="utf-8")
        PAGE.write_text(whole.replace(f"#### {name}\n{body}", f"#### {name}\n{new}"), encoding="utf-8")
        return
    assert new == body


#: A variable is one of its case, unless a text around the cases is filled in with it.
@pytest.mark.parametrize(
    ("prompt", "expected"),
    [("{{ q }}", [1, 4, 5, 7]), ("{{ other }}", [4, 5])],
)
def test_a_variable_is_the_same_in_all_cases_where_what_surrounds_them_uses_it(
    prompt: str, expected: list[int]
) -> None:
    text = (
        f'# rubric: dialect=agentv-5\nprompts: ["{prompt}"]\ntests:\n  - id: a\n    vars: {{q: x}}\n    criteria: About {{{{ q }}}}\n'
        "  - id: b\n    vars: {q: y}\n    assert: [Is polite]\n"
    )
    analysis = analyze(LANGUAGE.document(text, PurePath("a.eval.yaml")), LANGUAGE, path=PurePath("a.eval.yaml"))
    document = analysis.document
    known = [
        (local, names_in(local)) for local in map(analysis.local, map(document.start, range(len(document.blocks))))
    ]
    name = name_at(analysis, text.index("{q: x") + 1)
    assert name is not None
    assert sorted(document.line_of(each.span.start) for each in occurrences(analysis, name, known)) == expected
