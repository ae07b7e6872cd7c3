"""Tables of Markdown for editors that show them as they are written."""

from rubric_core.language.markdown import plain
from rubric_lsp.features.markdown import without_tables
from rubric_lsp.protocol.capabilities import Client

TABLE = r"""**refund**

| evaluator | score | |
|---|---:|---|
| `a\|b` | 1\.0 | **gate** |
| tone | 0.40 | |

after"""


def test_cells_are_aligned_in_plain_text() -> None:
    assert (
        without_tables(TABLE)
        == """**refund**

```text
evaluator  score
a|b        1.0    gate
tone       0.40
```

after"""
    )
    assert without_tables("a | b\n|x|") == "a | b\n|x|"


def test_only_editors_in_a_terminal_need_it() -> None:
    def draws(name: str) -> bool:
        return Client.of({"clientInfo": {"name": name}, "capabilities": {}}).draws_tables

    assert [draws(name) for name in ("Visual Studio Code", "Zed", "", "Neovim", "helix", "GNU Emacs")] == [
        True, True, True, False, False, False,
    ]  # fmt: skip


def test_only_what_would_be_a_list_is_escaped() -> None:
    assert [plain(text) for text in ("1.3s", "1. first", "2)", "12.")] == ["1.3s", r"1\. first", r"2\)", r"12\."]
