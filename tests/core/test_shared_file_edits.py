"""An edit of a shared file: the suites to which it matters are analysed again, and no others."""

import random
from collections.abc import Callable
from pathlib import Path

import pytest
from harness import LANGUAGE
from thorough import seeds

from rubric_core.analysis import Analysis, analyze
from rubric_core.disk import DiskFiles
from rubric_core.loading.project import Project

NAMES = ("local", "cloud", "spare", "two words", "a/b")
SUITE = "execution: {{target: {name}}}\ntests:\n  - {{id: a, criteria: x, input: hi}}\n"
INCLUDING = (
    "name: b\nexecution: {{target: {name}}}\ntests: [file://../cases.yaml]\nassertions: [{{include: {include}}}]\n"
)


class Suites:
    """The suites below a folder, analysed again only if something that they depend on has changed."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.project = Project(DiskFiles(), by_answer=True)
        self.paths = sorted(folder.rglob("*.eval.yaml"))
        self._known: dict[Path, tuple[int, Analysis]] = {}
        self.look()

    def look(self) -> list[str]:
        """The names of the suites that were analysed again."""
        again: list[str] = []
        for path in self.paths:
            since, analysis = self._known.get(path, (0, None))
            if analysis is None or self.project.changed_since(since, analysis.depends_on):
                version = self.project.version
                self._known[path] = version, analyze(_text(path), LANGUAGE, path=path, project=self.project)
                again.append(path.name.partition(".")[0])
        return again

    def write(self, name: str, text: str | None) -> None:
        """Write a file, or remove it."""
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        if text is None:
            path.unlink(missing_ok=True)
        else:
            path.write_text(text, encoding="utf-8")
        self.project.changed([path])

    def findings(self) -> list[object]:
        """What is known of each suite."""
        return [_facts(self._known[path][1]) for path in self.paths]

    def fresh(self) -> list[object]:
        """What an analysis of each suite finds now."""
        project = Project(DiskFiles())
        return [_facts(analyze(_text(path), LANGUAGE, path=path, project=project)) for path in self.paths]


def _text(path: Path) -> str:
    return path.read_text(encoding="utf-8")


def _facts(analysis: Analysis) -> object:
    said = [(each.code, each.span, each.severity, each.message) for each in analysis.diagnostics]
    return said, analysis.dialect.name, analysis.refers_to


def targets(*names: str) -> str:
    return "targets:\n" + "".join(f'  - {{name: "{name}", provider: mock}}\n' for name in names)


def _some_targets(rng: random.Random) -> str | None:
    listed = targets(*rng.sample(NAMES, rng.randint(0, len(NAMES))))
    return rng.choice(
        [
            listed, listed, listed, f"# a comment\n{listed}", f"{listed}defaults: {{provider: spare}}\n",
            listed.replace("mock", "cli"), f"{listed}  - file://more.yaml\n", "targets: 1\n", "targets:\n  - {name: local\n", "", None,
        ]
    )  # fmt: skip


#: What may stand in the files that suites share.
SHARED: dict[str, Callable[[random.Random], str | None]] = {
    ".agentv/targets.yaml": _some_targets,
    "team/.agentv/targets.yaml": _some_targets,
    "more.yaml": _some_targets,
    ".agentv/config.yaml": lambda rng: rng.choice(
        [None, "required_version: 2.7.0\n", "required_version: 5.0.0\n", "targets:\n  - {name: cloud, provider: mock}\n", "x: 1\n"]
    ),
    ".agentv/templates/usual.yaml": lambda rng: rng.choice(
        [None, "- {type: contains, value: x}\n", "- {type: contains, value: y}\n", "1\n", "- {include: other}\n"]
    ),
    "cases.yaml": lambda rng: rng.choice(
        [None, "- {id: a, criteria: x, input: hi}\n", "- {id: a, criteria: y, input: hi}\n", "- {id: b, input: hi}\n", "a: 1\n",
         "- {id: a, expected_outcome: x, input: hi}\n", "- {id: a\n"]
    ),
}  # fmt: skip


def _workspace(folder: Path, rng: random.Random) -> Suites:
    for number in range(8):
        home = folder / rng.choice(("one", "team", "team/inner"))
        home.mkdir(parents=True, exist_ok=True)
        made = rng.choice((SUITE, INCLUDING)).format(
            name=rng.choice((*NAMES, "nobody")), include=rng.choice(("usual", "rare"))
        )
        (home / f"{number}.eval.yaml").write_text(made, encoding="utf-8")
    return Suites(folder)


@pytest.mark.parametrize("seed", seeds(40, few=6))
def test_after_any_edits_of_shared_files_suites_have_the_findings_of_a_fresh_analysis(
    tmp_path: Path, seed: int
) -> None:
    rng = random.Random(seed)
    suites = _workspace(tmp_path, rng)
    done: list[str] = []
    for _ in range(30):
        for _ in range(rng.choice((1, 1, 2, 3))):  # also edits that nobody looks at before the next one
            name = rng.choice([*SHARED])
            text = SHARED[name](rng)
            suites.write(name, text)
            done.append(f"{name}: {text!r}")
        suites.look()
        assert suites.findings() == suites.fresh(), "\n".join(done)


@pytest.fixture
def five(tmp_path: Path) -> Suites:
    """Suites that name the targets, and one whose target is misspelt."""
    for name in (*NAMES[:4], "lokal"):
        (tmp_path / f"{name.replace(' ', '-')}.eval.yaml").write_text(SUITE.format(name=name), encoding="utf-8")
    (tmp_path / "including.eval.yaml").write_text(
        INCLUDING.format(name="cloud", include="usual").replace("../", ""), encoding="utf-8"
    )
    for name, text in {
        ".agentv/targets.yaml": targets(*NAMES),
        ".agentv/templates/usual.yaml": "- {type: contains, value: x}\n",
        "cases.yaml": "- {id: a, criteria: x, input: hi}\n",
    }.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text, encoding="utf-8")
    return Suites(tmp_path)


@pytest.mark.parametrize(
    ("name", "text", "again"),
    [
        (".agentv/targets.yaml", f"# a comment\n{targets(*NAMES)}", set()),
        (".agentv/targets.yaml", targets(*NAMES).replace("mock", "cli"), set()),
        (".agentv/targets.yaml", targets(*reversed(NAMES)), set()),
        (".agentv/targets.yaml", targets(*NAMES, "another"), {"lokal"}),
        (".agentv/targets.yaml", targets(*(name for name in NAMES if name != "spare")), {"spare", "lokal"}),
        (".agentv/targets.yaml", targets(*NAMES, "lokal"), {"lokal"}),
        (".agentv/config.yaml", "x: 1\n", {"local", "cloud", "spare", "two-words", "lokal", "including"}),
        (".agentv/templates/usual.yaml", "- {type: contains, value: y}\n", set()),
        (".agentv/templates/usual.yaml", "1\n", {"including"}),
        (".agentv/templates/other.yaml", "- {type: contains, value: y}\n", {"including"}),
        ("cases.yaml", "- {id: a, criteria: y, input: hi}\n", set()),
        ("cases.yaml", "- {id: b, criteria: x, input: hi}\n", {"including"}),
    ],
)  # fmt: skip
def test_only_suites_that_use_what_has_changed_are_analysed_again(
    five: Suites, name: str, text: str, again: set[str]
) -> None:
    five.write(name, text)
    assert set(five.look()) == again
    assert five.look() == []
    assert five.findings() == five.fresh()


def test_a_name_that_is_back_before_anybody_looks_has_not_changed(five: Suites) -> None:
    five.write(".agentv/targets.yaml", targets("local"))
    five.write(".agentv/targets.yaml", targets(*NAMES))
    assert five.look() == []
