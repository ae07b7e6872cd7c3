"""`rubric migrate --to agentv-5 promptfooconfig.yaml`: the files written beside the configuration, and the notes."""

from pathlib import Path

import pytest
import yaml
from promptfoo_runs import converted, errors_in, outcomes

from rubric_core.cli import main
from rubric_core.families.promptfoo.commands.migrate import ConfigurationError
from rubric_core.families.promptfoo.migration.suite import NothingCarriedError
from rubric_core.syntax.parse import parse

CONFIGURATION = """\
# yaml-language-server: $schema=https://promptfoo.dev/config-schema.json
# Our greetings.
description: Greetings # of all kinds

# Two prompts
prompts:
  # short
  - "Greet {{name}} in {{language}}."
  - |
    You are polite.
    Greet {{name}}.
providers:
  - id: echo
    label: back
  - bedrock:claude # has no equivalent
defaultTest:
  vars:
    language: English # usual
  assert:
    # must be quick
    - type: latency
      threshold: 60000
tests:
  # The first one.
  - description: Greets Ann
    vars:
      name: Ann # a person
      language: [French, German]
    assert:
      - type: contains
        value: Ann # the name
      # not rude
      - type: not-icontains
        value: idiot
        weight: 2
      - type: levenshtein
        value: Hello Ann
  - vars: {name: Cid}
    threshold: 0.5
    assert:
      - type: contains-any
        value: a, Cid
  - description: only what has no equivalent
    vars: {name: Dee}
    assert: [{type: rouge-n, value: Dee}]
  - description: given
    providerOutput: Hello
redteam:
  purpose: x
"""
SUITE = """\
# rubric: dialect=agentv-5
# Our greetings.
description: Greetings  # of all kinds

# Two prompts
prompts:
  # short
  - "Greet {{name}} in {{language}}."
  - |
    You are polite.
    Greet {{name}}.

providers:
  - id: cli
    label: back
    config:
      command: "cat {PROMPT_FILE} > {OUTPUT_FILE}"
  - bedrock:claude  # has no equivalent

# As in promptfoo, every assertion has to pass.
threshold: 1

default_test:
  vars:
    language: English  # usual
  assert:
    # must be quick
    - type: latency
      threshold: 60000

tests:
  # The first one.
  - id: greets-ann-french
    description: Greets Ann
    vars:
      name: Ann  # a person
      language: French
    # not carried over: levenshtein (promptfooconfig.yaml:36)
    assert:
      - type: contains
        value: Ann  # the name
      # not rude
      - type: icontains
        value: idiot
        weight: 2
        negate: true

  - id: greets-ann-german
    description: Greets Ann
    vars:
      name: Ann
      language: German
    # not carried over: levenshtein (promptfooconfig.yaml:36)
    assert:
      - type: contains
        value: Ann
      - type: icontains
        value: idiot
        weight: 2
        negate: true

  - id: cid
    vars:
      name: Cid
    assert:
      - type: contains-any
        value:
          - a
          - Cid
    run:
      threshold: 0.5

  # not carried over: rouge-n (promptfooconfig.yaml:45)
  - id: only-what-has-no-equivalent
    description: only what has no equivalent
    vars:
      name: Dee
    execution:
      skip_defaults: true
"""
LISTED = """\
promptfooconfig.yaml:15: the provider bedrock:claude has no equivalent in AgentV: write one with the label `bedrock:claude` in \
.agentv/providers.yaml, such as a `cli` that runs a program (`rubric run` also calls `http` and `python`)
promptfooconfig.yaml:36: not carried over: `levenshtein`, which AgentV does not have; write a `javascript` or `python` check
promptfooconfig.yaml:43: none of the test's own assertions was carried over: it checks nothing and has no score until `assert` has a check
promptfooconfig.yaml:45: not carried over: `rouge-n`, which AgentV does not have; write a `python` check
promptfooconfig.yaml:46: the test `given` is left out: AgentV checks no given output: serve it by a provider of the kind `replay`
promptfooconfig.yaml:48: `redteam` is not carried over: AgentV has no red team: keep this file for promptfoo
promptfooconfig.yaml → promptfoo.eval.yaml: written with 4 cases, 1 test left out · 6 places to look at
"""


#: Prompts, providers and tests in other files.
PARTS = """\
prompts:
  - id: prompts/chat.json # as messages
    label: chat
  - prompts/several.txt
  - file://prompts/make.js
  - prompts/run.py
  - '[{"role": "system", "content": "Be {{tone}}."}, {"role": "user", "content": "{{q}}"}]'
targets:
  # the usual one
  - id: openai:chat:gpt-5-mini
    label: small
    config: {apiKeyEnvar: MY_KEY, temperature: 1, seed: 5}
    prompts: [chat]
    delay: 100
    transform: const t = output.trim(); t
  - "exec: python3 answer.py"
  - anthropic:claude-agent-sdk
defaultTest:
  vars: {tone: polite}
  options: {provider: openai:gpt-5}
tests:
  - cases/more.yaml
  - cases/table.csv
  - description: only small
    vars: {q: "file://q.txt"}
    providers: [small]
    prompts: [chat]
    metadata: {team: red}
    options: {repeat: 3}
    assert: [{type: llm-rubric, value: It explains., threshold: 0.7}]
scenarios:
  - config: [{vars: {lang: French}}, {vars: {lang: German}}]
    tests:
      # said twice
      - vars: {q: "{{lang}}?"}
        assert:
          - type: icontains-any
            value: [oui, ja] # both
            description: Agrees
"""
FILES = {
    "prompts/chat.json": '[{"role": "user", "content": "{{q}}"}]',
    "prompts/several.txt": "A {{q}}\n---\nB {{q}}\n",
    "prompts/make.js": "module.exports = ({vars}) => vars.q",
    "prompts/run.py": "print(1)",
    "q.txt": "Why?\n",
    "cases/more.yaml": "# The first file.\n- description: from a file # here\n  vars:\n    q: How? # a question\n"
    "  assert:\n    # checked\n    - type: contains\n      value: how\n",
    "cases/table.csv": 'q,__expected,__expected2,__threshold\nWho?,contains:who,"llm-rubric: It names someone",0.5\n',
}
PARTS_OF_SUITE = """\
# rubric: dialect=agentv-5
prompts:
  - label: chat  # as messages
    path: file://prompts/chat.json
  - "A {{q}}"
  - "B {{q}}"
  - file://prompts/make.js
  - - role: system
      content: "Be {{tone}}."
    - role: user
      content: "{{q}}"

providers:
  # the usual one
  - id: openai
    label: small
    config:
      model: gpt-5-mini
      temperature: 1
      api_key: "{{ env.MY_KEY }}"
    prompts:
      - chat
    transform: "const t = output.trim(); return t"
    delay: 100
  - id: cli
    label: "exec: python3 answer.py"
    config:
      command: "python3 answer.py {PROMPT} > {OUTPUT_FILE}"
  - id: claude-sdk
    label: anthropic:claude-agent-sdk

# As in promptfoo, every assertion has to pass.
threshold: 1

default_test:
  vars:
    tone: polite

tests:
  # The first file.
  - id: from-a-file  # here
    description: from a file
    vars:
      q: How?  # a question
    assert:
      # checked
      - type: contains
        value: how

  - id: row-1
    description: "Row #1"
    vars:
      q: Who?
    assert:
      - type: contains
        value: who
      - type: llm-rubric
        value: It names someone
        provider: openai:gpt-5
    run:
      threshold: 0.5

  - id: only-small
    description: only small
    vars:
      q: Why?
    assert:
      - type: llm-rubric
        value: It explains.
        provider: openai:gpt-5
        min_score: 0.7
    prompts:
      - chat
    providers:
      - small
    metadata:
      team: red
    run:
      threshold: 0.7
      repeat: 3

  # said twice
  - id: test-4
    vars:
      q: "{{lang}}?"
      lang: French
    assert:
      # Agrees
      - type: icontains-any
        value:  # both
          - oui
          - ja

  - id: test-5
    vars:
      q: "{{lang}}?"
      lang: German
    assert:
      # Agrees
      - type: icontains-any
        value:
          - oui
          - ja
"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with the configuration, which is the current one."""
    (tmp_path / "promptfooconfig.yaml").write_text(CONFIGURATION)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def migrate(*arguments: str) -> int:
    return main(["migrate", "--to", "agentv-5", *arguments])


def write_files(folder: Path) -> None:
    """The files that `PARTS` names."""
    for name, text in FILES.items():
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_text(text)


def test_a_suite_is_written_beside_the_configuration(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert migrate("promptfooconfig.yaml") == 0
    assert capsys.readouterr().out == LISTED
    assert (folder / "promptfoo.eval.yaml").read_text() == SUITE
    assert (folder / "promptfooconfig.yaml").read_text() == CONFIGURATION
    assert sorted(each.name for each in folder.iterdir()) == ["promptfoo.eval.yaml", "promptfooconfig.yaml"]
    assert not errors_in(folder / "promptfoo.eval.yaml")


async def test_a_test_without_its_only_assertion_does_not_pass(folder: Path) -> None:
    assert migrate("promptfooconfig.yaml") == 0
    rows = await outcomes(folder / "promptfoo.eval.yaml")
    assert {verdict for values, _, verdict, _ in rows if "Dee" in values} == {"unscored"}
    assert {verdict for values, target, verdict, _ in rows if "Ann" in values and target == "back"} == {"passed"}


def test_nothing_is_overwritten(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "promptfoo.eval.yaml").write_text("mine\n")
    assert migrate("promptfooconfig.yaml") == 2
    assert (
        "promptfoo.eval.yaml: this file exists, and is not overwritten: name another with -o" in capsys.readouterr().err
    )
    assert (folder / "promptfoo.eval.yaml").read_text() == "mine\n"
    assert migrate("promptfooconfig.yaml", "-o", "greetings.eval.yaml") == 0
    assert (folder / "greetings.eval.yaml").read_text() == SUITE


def test_the_configuration_itself_is_no_place_for_the_suite(folder: Path) -> None:
    assert migrate("promptfooconfig.yaml", "-o", "promptfooconfig.yaml") == 2
    assert (folder / "promptfooconfig.yaml").read_text() == CONFIGURATION


def test_the_suite_stays_in_the_folder(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "evals").mkdir()
    assert migrate("promptfooconfig.yaml", "-o", "evals/promptfoo.eval.yaml") == 2
    assert "has to be in that of promptfooconfig.yaml" in capsys.readouterr().err
    assert not list((folder / "evals").iterdir())


def test_check_shows_the_suite_and_writes_nothing(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert migrate("promptfooconfig.yaml", "--check") == 1
    out = capsys.readouterr().out
    assert "+  - id: greets-ann-french\n" in out
    assert "would be written with 4 cases" in out
    assert [each.name for each in folder.iterdir()] == ["promptfooconfig.yaml"]


def test_a_folder_is_not_migrated_from_promptfoo(folder: Path) -> None:
    (folder / "a.eval.yaml").write_text("tests: []\n")
    migrate(".")
    assert not (folder / "promptfoo.eval.yaml").exists()


def test_an_older_dialect_is_not_written(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["migrate", "--to", "agentv-3", "promptfooconfig.yaml"]) == 0
    assert "only `--to agentv-5` writes a suite for it" in capsys.readouterr().out
    assert [each.name for each in folder.iterdir()] == ["promptfooconfig.yaml"]


def test_an_output_needs_one_configuration(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "promptfooconfig.b.yaml").write_text(CONFIGURATION)
    assert migrate("promptfooconfig.yaml", "promptfooconfig.b.yaml", "-o", "x.eval.yaml") == 2
    assert "name exactly one" in capsys.readouterr().err
    assert migrate("promptfooconfig.yaml", "promptfooconfig.b.yaml") == 0
    assert (folder / "b.eval.yaml").exists()


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("prompts: [x]\ntests: [{vars: {a: b}}]\n", "`providers` names no provider"),
        (
            "prompts: [file://gone.txt]\nproviders: [echo]\ntests: [{vars: {a: b}}]\n",
            "none of its prompts can be carried over",
        ),
        ("prompts: [x]\nproviders: [echo]\ntests: [{providerOutput: x}]\n", "none of its tests can be carried over"),
    ],
)
def test_nothing_is_written_where_nothing_is_left(
    folder: Path, capsys: pytest.CaptureFixture[str], text: str, words: str
) -> None:
    (folder / "promptfooconfig.yaml").write_text(text)
    assert migrate("promptfooconfig.yaml") == 2
    assert words in capsys.readouterr().err
    assert [each.name for each in folder.iterdir()] == ["promptfooconfig.yaml"]


def test_what_is_in_other_files_is_carried_over(folder: Path) -> None:
    write_files(folder)
    (folder / "promptfooconfig.yaml").write_text(PARTS)
    assert migrate("promptfooconfig.yaml") == 0
    suite = folder / "promptfoo.eval.yaml"
    assert suite.read_text() == PARTS_OF_SUITE
    assert not errors_in(suite)


def test_a_text_that_is_no_yaml_is_not_migrated(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "promptfooconfig.yaml").write_text("prompts: [x]\nproviders: [echo\ntests:\n  - vars: {a: b}\n")
    assert migrate("promptfooconfig.yaml") == 2
    assert "fix this first" in capsys.readouterr().err
    assert [each.name for each in folder.iterdir()] == ["promptfooconfig.yaml"]


@pytest.mark.parametrize("text", [CONFIGURATION, PARTS])
def test_half_a_configuration_is_read_or_refused(folder: Path, text: str) -> None:
    """Never a crash, and never a suite with an error that its configuration does not have."""
    suite = folder / "made.eval.yaml"
    write_files(folder)
    for end in range(0, len(text), 61):
        (folder / "promptfooconfig.yaml").write_text(text[:end])
        try:
            made = converted(folder / "promptfooconfig.yaml")
        except (ConfigurationError, NothingCarriedError):
            continue
        suite.write_text(made.text)
        assert not parse(made.text).problems
        own = {error.partition(": ")[2] for error in errors_in(folder / "promptfooconfig.yaml", "promptfoo")}
        assert {error.partition(": ")[2] for error in errors_in(suite)} <= own


def test_keys_are_not_copied(folder: Path) -> None:
    path = folder / "promptfooconfig.yaml"
    path.write_text(
        "prompts: [x]\nproviders: [{id: 'openai:gpt-4o', config: {apiKey: sk-abc123}}]\nenv: {OPENAI_API_KEY: sk-abc123, MODE: test}\n"
        "tests: [{vars: {a: b}, assert: [{type: contains, value: b}]}]\n"
    )
    made = converted(path)
    assert "sk-abc123" not in made.text
    assert "MODE: test" in made.text
    assert [note.line for note in made.notes] == [2, 3]


def test_settings_of_a_prompt_are_listed(folder: Path) -> None:
    path = folder / "promptfooconfig.yaml"
    path.write_text(
        "prompts:\n  - {raw: 'Greet {{a}}.', label: greet, config: {temperature: 0.5}}\nproviders: [echo]\n"
        "tests: [{vars: {a: b}, assert: [{type: contains, value: b}]}]\n"
    )
    made = converted(path)
    assert [str(note) for note in made.notes] == [
        "promptfooconfig.yaml:2: `config.temperature` of the prompt greet is not carried over: write it under `config` of a provider"
    ]


def test_messages_with_a_label_stay_a_text(folder: Path) -> None:
    """A prompt of AgentV is a list of messages, or a mapping with a label and a text."""
    path, suite = folder / "promptfooconfig.yaml", folder / "promptfoo.eval.yaml"
    chat = '[{"role": "user", "content": "Greet {{a}}"}]'
    path.write_text(
        f"prompts:\n  - {{raw: '{chat}', label: chat}}\nproviders: [echo]\n"
        "tests: [{vars: {a: b}, assert: [{type: contains, value: b}]}]\n"
    )
    made = converted(path)
    assert yaml.safe_load(made.text)["prompts"] == [{"label": "chat", "raw": chat}]
    assert [str(note) for note in made.notes] == [
        "promptfooconfig.yaml:2: AgentV sends the messages of the prompt chat as one text: it knows no label for messages"
    ]
    suite.write_text(made.text)
    assert not errors_in(suite)
