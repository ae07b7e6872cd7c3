"""The suites that are made of configurations of promptfoo, in `fixtures/promptfoo`: before, after, and the notes.

`UPDATE=1 pytest tests/migration` writes what comes out anew; people read the difference.
"""

from pathlib import Path

import pytest
from harness import UPDATING, files
from promptfoo_runs import converted, errors_in

FIXTURES = sorted((Path(__file__).parent / "fixtures" / "promptfoo").glob("*.txt"))


@pytest.mark.parametrize("path", FIXTURES, ids=lambda p: p.stem)
def test_fixture(path: Path, tmp_path: Path) -> None:
    parts = files(path.read_text(encoding="utf-8"))
    for name, content in parts.items():
        if name not in ("after", "notes"):
            (tmp_path / name.replace("before", "promptfooconfig.yaml")).write_text(content, encoding="utf-8")
    made = converted(tmp_path / "promptfooconfig.yaml")
    found = {"after": made.text, "notes": "".join(f"{note.line}: {note.words}\n" for note in made.notes)}
    suite = tmp_path / "made.eval.yaml"
    suite.write_text(made.text, encoding="utf-8")
    assert not errors_in(suite)
    if UPDATING:
        written = "".join(f"--- {name}\n{content}" for name, content in (parts | found).items() if content)
        path.write_text(written, encoding="utf-8")
        return
    assert found == {name: parts.get(name, "") for name in found}
