"""What a result depends on: an edit of any file that a run reads makes it stale, one of a file beside it does not."""

from pathlib import Path

import pytest
from suites import LANGUAGE, Folder

from rubric_core.disk import DiskFiles
from rubric_core.evaluation.cases.load import load_suite
from rubric_core.evaluation.cases.options import Options
from rubric_core.evaluation.cases.target_choice import shared_targets
from rubric_core.evaluation.engine.fingerprint import fingerprint
from rubric_core.loading.project import Project

GRADED = "tests:\n  - {id: a, input: hi, criteria: is good, assertions: [%s]}\n"
PROMPTED = "prompts: [%s]\ntests:\n  - {id: a, vars: {q: x}, assert: [%s]}\n"
CHECK = "{type: contains, value: x}"
TURNS = "tests:\n  - {id: a, criteria: c, input: hi, mode: conversation, turns: [{input: [{role: user, content: [{type: file, value: t.txt}]}], assertions: [{type: code-grader, command: [python3, t.py]}]}]}\n"
EXPECTED = "tests:\n  - {id: a, criteria: c, input: hi, expected_output: [{role: assistant, content: [{type: file, value: e.txt}]}]}\n"
SAID = """prompts:
  - [{role: system, content: [{type: file, value: p.txt}]}, {role: user, content: "{{ input }}"}]
  - "{{ input }}"
tests:
  - id: a
    vars:
      input: [{role: user, content: [{type: file, value: q.json}, {type: text, value: Read it}]}]
      expected_output: [{role: assistant, content: [{type: file, value: e.txt}]}]
    assert: [{type: contains, value: x}]
"""


def now(folder: Folder, text: str) -> str:
    path = folder.write("suite.eval.yaml", text)
    (case,) = load_suite(path, LANGUAGE, Project(DiskFiles(), folder.path), Options()).cases
    return fingerprint(case, DiskFiles(), shared_targets(case, DiskFiles()))


@pytest.mark.parametrize(
    ("text", "files"),
    [
        (TURNS, {"t.txt": "", "t.py": "import lib", "lib.py": ""}),
        (EXPECTED, {"e.txt": ""}),
        (SAID, {"q.json": "{}", "e.txt": "", "p.txt": ""}),
        ("workspace: ws.yaml\n" + GRADED % CHECK, {"ws.yaml": "isolation: shared\n"}),
        (PROMPTED % ("{path: p.txt, label: x}", CHECK), {"p.txt": "{{ q }}"}),
        (PROMPTED % ("{function_file: p.py, function: make}", CHECK), {"p.py": "import lib", "lib.py": ""}),
        (PROMPTED % ("{command: [python3, p.py]}", CHECK), {"p.py": ""}),
        ("default_test: file://d.yaml\n" + PROMPTED % ("'{{ q }}'", CHECK), {"d.yaml": "assert: [{type: python, value: 'file://v.py:f'}]", "v.py": ""}),
        (GRADED % "{include: safety}", {".agentv/templates/safety.yaml": "- {type: code-grader, command: [python3, m.py]}", "m.py": ""}),
        (GRADED % "{type: my-type}", {".agentv/evaluators/my-type.py": "import lib", ".agentv/evaluators/lib.py": ""}),
        (GRADED % "{type: llm-grader, prompt: {command: [python3, p.py]}}", {"p.py": ""}),
        (GRADED % "{type: composite, name: c, assertions: [{type: contains, name: x, value: y}], aggregator: {type: code-grader, path: agg.py}}", {"agg.py": ""}),
    ],
)  # fmt: skip
def test_every_file_that_a_run_reads(folder: Folder, text: str, files: dict[str, str]) -> None:
    (folder.path / ".git").mkdir()
    (folder.path / ".git" / "HEAD").write_text("")
    folder.mock("x")
    for name, content in files.items():
        folder.write(name, content)
    seen = [now(folder, text)]
    folder.write("neighbour.py", "1")
    assert now(folder, text) == seen[0]
    for name, content in files.items():
        Path(folder.path / name).write_text(f"{content}\n# changed\n")
        seen.append(now(folder, text))
    assert len(set(seen)) == len(files) + 1


async def test_a_file_that_is_expected_is_read(folder: Folder) -> None:
    folder.targets({"name": "default", "provider": "mock", "response": "{}"})
    folder.write("e.txt", "the good answer\n")
    cases = folder.cases(EXPECTED, "agentv-3")
    from rubric_core.evaluation.cases.messages import prompt_inputs

    case = cases[0]
    inputs = prompt_inputs(case.suite, case.case, case.directory, DiskFiles(), case.anchors, case.dialect.properties)
    assert inputs.reference_answer == "the good answer"
    (folder.path / "e.txt").unlink()
    result = await folder.one(EXPECTED, "agentv-3")
    assert result.reason == "the file e.txt of the expected output does not exist (line 2)"
