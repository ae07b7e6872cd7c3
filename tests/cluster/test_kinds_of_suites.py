"""Suites of each kind give the rows of a run in this process: conversations, workspaces, extensions, repeats, promptfoo, shared files."""

import json
from pathlib import Path

import pytest

pytest.importorskip("distributed", reason="the extra `cluster` is not installed: pip install distributed")

from test_rows import both, row, write
from thorough import only_thorough

from rubric_core.cluster.executor import ClusterExecutor
from rubric_core.evaluation.cases.load import load_suite
from rubric_core.evaluation.cases.variations import variations
from rubric_core.evaluation.engine.schedule import run_cases

pytestmark = only_thorough

#: Says back the last line of the prompt.
ECHO = "targets:\n  - {name: default, provider: cli, command: 'tail -n 1 {PROMPT_FILE} | tr A-Z a-z'}\n"
SUITE = """\
    workspace: {template: ./template, isolation: per_test}
    tests:
      - id: chat
        mode: conversation
        criteria: Helps
        input: You are a support agent.
        aggregation: mean
        turns:
          - {input: Hello, assertions: [{type: contains, value: hello}]}
          - {input: My order is late, assertions: [{type: contains, value: sorry}]}
      - {id: file, criteria: c, input: hi, assertions: [{name: seed, type: code-grader, command: [python3, seed.py]}]}
      - {id: after, criteria: c, input: bye, depends_on: [chat], assertions: [{type: contains, value: bye}]}
"""
SEED = """\
    import json, pathlib, sys
    given = json.load(sys.stdin)
    found = [path.name for path in pathlib.Path(given["workspace_path"]).iterdir() if path.suffix == ".txt"]
    print(json.dumps({"score": float(found == ["seed.txt"]), "hits": found}))
"""


async def test_conversations_workspaces_and_dependencies_with_repeats(tmp_path: Path, address: str):
    write(tmp_path, seed_py=SEED, suite_yaml=SUITE)
    (tmp_path / ".agentv").mkdir()
    (tmp_path / ".agentv/targets.yaml").write_text(ECHO)
    (tmp_path / "template").mkdir()
    (tmp_path / "template/seed.txt").write_text("seed\n")
    (tmp_path / "suite.yaml").rename(tmp_path / "suite.eval.yaml")
    own, there = await both(tmp_path / "suite.eval.yaml", address, repeat=2)
    assert own == there
    assert {each["id"]: each["verdict"] for each in there} == {"chat": "failed", "file": "passed", "after": "passed"}


async def test_extensions(tmp_path: Path, address: str):
    (tmp_path / "suite.eval.yaml").write_text(
        "name: s\nextensions: ['file://hooks.py:beforeEach']\ntests:\n"
        "  - {id: a, criteria: c, input: hi, assertions: [{type: contains, value: hello}]}\n"
        "  - {id: b, criteria: c, input: hi, assertions: [{type: contains, value: bye}]}\n"
    )
    write(tmp_path, hooks_py="def beforeEach(context):\n    return None\n")
    (tmp_path / ".agentv").mkdir()
    (tmp_path / ".agentv/targets.yaml").write_text("targets: [{name: default, provider: mock, response: hello}]\n")
    own, there = await both(tmp_path / "suite.eval.yaml", address)
    assert own == there
    assert [each["verdict"] for each in there] == ["passed", "failed"]


async def test_rows_of_promptfoo_that_are_compared_or_read_earlier_ones(tmp_path: Path, address: str):
    texts = {
        "compared": "prompts: ['{{q}}', '{{q}} {{q}}']\nproviders: [echo]\ntests:\n"
        "  - {vars: {q: [a, b]}, assert: [{type: contains, value: a a}, {type: contains, value: a}, {type: max-score}]}\n",
        "serial": "prompts: ['{% for turn in _conversation %}{{turn.output}};{% endfor %}{{q}}']\nproviders: [echo]\ntests:\n"
        "  - {vars: {q: one}, assert: [{type: equals, value: one}]}\n"
        "  - {vars: {q: two}, assert: [{type: equals, value: one;two}]}\n",
    }
    found = {}
    for name, text in texts.items():
        (tmp_path / f"promptfooconfig.{name}.yaml").write_text(text)
        suite = load_suite(tmp_path / f"promptfooconfig.{name}.yaml")
        rows = [each for case in suite.cases for each in variations(case)]
        results = await run_cases(rows, executor=ClusterExecutor(suite, address))
        found[name] = [each.verdict.value for each in results]
    assert found == {"compared": ["failed", "failed", "passed", "failed"], "serial": ["passed", "passed"]}


async def test_a_configuration_of_promptfoo(tmp_path: Path, address: str):
    (tmp_path / "prompt.txt").write_text("Tell {{name}} about {{topic}}")
    (tmp_path / "rows.csv").write_text("name,topic,__expected\nAnn,cats,contains:cats\nBob,dogs,contains:cats\n")
    (tmp_path / "promptfooconfig.yaml").write_text(
        "prompts: [file://prompt.txt, 'Say {{topic}}']\nproviders: [echo]\ntests: file://rows.csv\n"
    )
    own, there = await both(tmp_path / "promptfooconfig.yaml", address)
    assert own == there
    assert len(there) >= 2
    assert {each["verdict"] for each in there} == {"passed", "failed"}


async def test_shared_files_are_read_where_they_are(tmp_path: Path, address: str):
    """A program finds a file that nothing in the suite names, which is there only with shared files."""
    (tmp_path / ".agentv").mkdir()
    (tmp_path / ".agentv/targets.yaml").write_text(
        "targets: [{name: default, provider: cli, command: [python3, say.py, '{PROMPT}']}]\n"
    )
    write(tmp_path, say_py="import pathlib\nprint(pathlib.Path('un' + 'named.txt').read_text())\n")
    (tmp_path / "unnamed.txt").write_text("hello")
    (tmp_path / "suite.eval.yaml").write_text(
        "tests:\n  - {id: a, criteria: c, input: hi, assertions: [{type: contains, value: hello}]}\n"
    )
    rows = {}
    for shared in (True, False):
        suite = load_suite(tmp_path / "suite.eval.yaml")
        rows[shared] = list(
            map(row, await run_cases(suite.cases, executor=ClusterExecutor(suite, address, shared_files=shared)))
        )
    assert rows[True] == list(map(row, await run_cases(load_suite(tmp_path / "suite.eval.yaml").cases)))
    assert [rows[True][0]["verdict"], rows[False][0]["verdict"]] == ["passed", "unscored"]
    assert "unnamed.txt" in json.dumps(rows[False])
