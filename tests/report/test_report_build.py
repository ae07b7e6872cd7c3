"""The view in the package is the one that its sources give, and it stays small."""

import subprocess
from pathlib import Path

import pytest
from thorough import only_thorough

REPOSITORY = Path(__file__).parents[2]
BUNDLE = REPOSITORY / "rubric_core" / "evaluation" / "report_page" / "bundle"
FILES = ("report.css", "report.js", "third-party-notices.txt")
#: Bytes of the script and the style together.
LARGEST = 250_000


def test_it_is_small() -> None:
    assert sum((BUNDLE / name).stat().st_size for name in FILES[:2]) <= LARGEST


def test_it_can_stand_in_a_page() -> None:
    """No text in it ends the element that it stands in."""
    script, style = ((BUNDLE / name).read_text("utf-8").lower() for name in ("report.js", "report.css"))
    assert "</script" not in script
    assert "<!--" not in script
    assert "<script" not in script
    assert "</style" not in style


def test_it_turns_no_text_into_markup() -> None:
    """Where it could, the policy would stop it; that it does not try is better."""
    for path in sorted((REPOSITORY / "report" / "src").glob("*.ts*")):
        source = path.read_text("utf-8")
        for name in ("innerHTML", "outerHTML", "insertAdjacentHTML", "document.write", "eval(", "new Function"):
            assert name not in source, f"{path.name}: {name}"


def test_licences_are_passed_on() -> None:
    notices = (BUNDLE / FILES[2]).read_text("utf-8")
    for name in ("preact", "marked", "d3-scale", "d3-shape", "d3-array"):
        assert f"{name} " in notices


@pytest.mark.node
@only_thorough
def test_a_build_gives_the_same_bytes(node_modules: Path, tmp_path: Path) -> None:
    """Else: npm ci && npm run build, in report/."""
    folder = node_modules.parent
    done = subprocess.run(
        ["node", "build.mjs", str(tmp_path)], cwd=folder, capture_output=True, text=True, timeout=300, check=False
    )
    assert done.returncode == 0, done.stderr
    for name in FILES:
        assert (tmp_path / name).read_bytes() == (BUNDLE / name).read_bytes(), name


@pytest.mark.node
@only_thorough
def test_types(node_modules: Path) -> None:
    program = node_modules / "typescript" / "bin" / "tsc"
    done = subprocess.run(
        ["node", str(program), "-p", "."],
        cwd=node_modules.parent,
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert done.returncode == 0, done.stdout
