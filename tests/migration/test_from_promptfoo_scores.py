"""Every row of a promptfoo configuration has the verdict and the score that the suite written for it gives."""

from pathlib import Path

import pytest
from promptfoo_runs import converted, errors_in, outcomes

#: Assertions that are the same in AgentV, each with outputs that pass and fail; the provider gives the prompt back.
SAME = """\
prompts: ["{{said}}"]
providers: [{id: echo, label: back}]
tests:
  - vars: {said: [Paris is big, London, paris]}
    assert:
      - {type: contains, value: Paris}
  - vars: {said: [ANN came, Bob came]}
    assert: [{type: icontains, value: ann}, {type: not-contains, value: Bob}]
  - vars: {said: [a b, c d, B]}
    assert:
      - {type: contains-any, value: "a, 'x', B"}
      - {type: icontains-all, value: [A, b], weight: 3}
  - vars: {said: [one two, three]}
    threshold: 0.5
    assert:
      - {type: contains-all, value: [one, two]}
      - {type: not-icontains-any, value: [ONE]}
      - {type: starts-with, value: on, weight: 0}
  - vars: {said: ["12 days", "x days"], tag: regex}
    assert: [{type: regex, value: '\\d+ days$', metric: days}, {type: not-regex, value: '^x'}]
  - vars: {said: ['{"a": 1}', "[1", "5"]}
    assert: [{type: is-json}]
  - vars: {said: [same, other], wanted: same}
    assert: [{type: equals, value: "{{wanted}}"}, {type: not-equals, value: nothing}]
  - vars: {said: [five, "5"], n: 5}
    assert: [{type: equals, value: 5}, {type: contains, value: 5}]
  - vars: {said: [a b c, a b c d e f]}
    assert: [{type: word-count, value: 3}, {type: word-count, value: {min: 2, max: 4}, weight: 2}]
  - vars: {said: [quick, slow], tag: latency}
    assert: [{type: latency, threshold: 60000}, {type: starts-with, value: qu}]
"""
SCRIPTS = """\
prompts: ["{{said}}"]
providers: [{id: echo, label: back}]
tests:
  - vars: {said: [short, very long indeed]}
    assert: [{type: javascript, value: output.length < 10}]
  - vars: {said: [short, very long indeed], least: 7}
    assert: [{type: javascript, value: "const n = context.vars.least; output.length > n"}]
  - vars: {said: [half, whole], tag: number}
    assert:
      - type: javascript
        value: |
          const share = output === 'half' ? 0.5 : 1;
          return share;
        threshold: 0.4
  - vars: {said: [half, none], tag: several}
    threshold: 0.3
    assert:
      - {type: javascript, value: "output === 'half' ? 0.5 : 0"}
      - {type: contains, value: half}
  - vars: {said: [yes, no], tag: result}
    assert:
      - {type: javascript, value: "({pass: output === 'yes', score: output === 'yes' ? 1 : 0, reason: 'said'})"}
  - vars: {said: [abc, xyz], tag: python}
    assert: [{type: python, value: "'b' in output"}, {type: not-python, value: output == 'nothing'}]
  - vars: {said: [abc, xyz], tag: body}
    assert:
      - type: python
        value: |
          import re
          return bool(re.match('[a-c]+$', output)) and context['vars']['tag'] == 'body'
  - vars: {said: [" padded ", bare], tag: transform}
    options: {transform: output.trim().toUpperCase()}
    assert: [{type: equals, value: PADDED}]
  - vars: {said: [" padded ", bare], tag: own}
    assert: [{type: contains, value: PAD, transform: output.toUpperCase()}]
"""
SETS = """\
prompts: ["{{said}}"]
providers: [{id: echo, label: back}]
defaultTest:
  vars: {tone: polite}
  assert: [{type: not-contains, value: rude}]
tests:
  - vars: {said: [a b, a, c rude]}
    assert:
      - type: assert-set
        weight: 2
        assert: [{type: contains, value: a}, {type: contains, value: b}]
  - vars: {said: [a b, a], tone: curt}
    assert:
      - type: assert-set
        threshold: 0.5
        assert: [{type: contains, value: a}, {type: contains, value: b}]
    threshold: 0.6
  - vars: {said: [rude, fine]}
    options: {disableDefaultAsserts: true}
    assert: [{type: contains, value: "{{tone}}", weight: 0}, {type: regex, value: "^r"}]
scenarios:
  - config: [{vars: {said: Hola}}, {vars: {said: Hallo}}]
    tests:
      - assert: [{type: contains, value: Ho}]
        description: greets
"""


@pytest.mark.parametrize("text", [SAME, SCRIPTS, SETS], ids=["same", "scripts", "sets"])
async def test_rows_keep_their_verdicts_and_scores(tmp_path: Path, text: str) -> None:
    configuration, suite = tmp_path / "promptfooconfig.yaml", tmp_path / "promptfoo.eval.yaml"
    configuration.write_text(text)
    made = converted(configuration)
    suite.write_text(made.text)
    assert not errors_in(suite)
    assert not [note for note in made.notes if "not carried over" in note.words or "left out" in note.words]
    before, after = await outcomes(configuration), await outcomes(suite)
    assert {verdict for _, _, verdict, _ in before} == {"passed", "failed"}
    assert after == before


#: What a judge says: the score and verdict that the rubric names.
JUDGE = """\
import json, re, sys
said = re.search(r"says (true|false) ([0-9.]+)", sys.argv[1])
print(json.dumps({"pass": said[1] == "true", "score": float(said[2]), "reason": "as told"}))
"""
PROVIDERS = """\
providers:
  - {id: cli, label: judge, config: {command: "python3 judge.py {PROMPT} > {OUTPUT_FILE}"}}
"""
GATED = """\
prompts: ["{{said}}"]
providers: [{id: echo, label: back}]
defaultTest:
  options: {provider: {id: "exec: python3 judge.py", label: judge}}
  assert:
    - {type: not-contains, value: rude}
tests:
  - vars: {said: [fine, rude], tag: alone}
  - vars: {said: [fine, rude], tag: both, judged: "says true 0.9"}
    assert:
      - {type: llm-rubric, value: "{{judged}}"}
      - {type: contains, value: in}
  - vars: {said: fine, judged: ["says true 0.6", "says false 0.2"]}
    assert:
      - {type: llm-rubric, value: "{{judged}}", threshold: 0.5}
      - {type: contains, value: fine, weight: 3}
  - vars: {said: [fine rude, fine], tag: threshold, judged: "says true 0.9"}
    threshold: 0.6
    assert:
      - {type: llm-rubric, value: "{{judged}}"}
      - {type: contains, value: fine}
  - vars: {said: [one two, one], tag: number}
    assert:
      - {type: javascript, value: "1 / output.length"}
      - {type: contains, value: two}
  - vars: {said: [two, three], tag: result}
    assert:
      - {type: javascript, value: "output.length"}
      - type: javascript
        value: |
          const holds = output === 'two';
          return {pass: holds, score: holds ? 1 : 0.9, reason: 'said'};
      - {type: javascript, value: "output !== 'five'"}
  - vars: {said: [a b, a], tag: whole}
    assert:
      - {type: javascript, value: "1 / output.length"}
      - type: assert-set
        assert: [{type: contains, value: a}, {type: contains, value: b}]
  - vars: {said: [a b, c], tag: set}
    assert:
      - type: assert-set
        threshold: 0.5
        assert: [{type: contains, value: a}, {type: contains, value: z}]
      - {type: regex, value: "[abc]"}
"""


async def test_a_missed_check_fails_a_case_whatever_a_judge_gives(tmp_path: Path) -> None:
    """Where scores lie between 0 and 1: the same verdicts, and the same scores of those that pass or have a threshold."""
    configuration, suite = tmp_path / "promptfooconfig.yaml", tmp_path / "promptfoo.eval.yaml"
    (tmp_path / "judge.py").write_text(JUDGE)
    (tmp_path / ".agentv").mkdir()
    (tmp_path / ".agentv" / "providers.yaml").write_text(PROVIDERS)
    configuration.write_text(GATED)
    suite.write_text(converted(configuration).text)
    assert not errors_in(suite)
    before, after = await outcomes(configuration), await outcomes(suite)
    assert [row[:3] for row in after] == [row[:3] for row in before]
    assert {row[2] for row in before} == {"passed", "failed"}
    for old, new in zip(before, after, strict=True):
        assert new[3] == old[3] if old[2] == "passed" or "threshold" in old[0] else new[3] == 0, (old, new)
