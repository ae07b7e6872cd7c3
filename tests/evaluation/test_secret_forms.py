"""A secret stays secret in every form in which a program or a server may repeat it, and texts around it stay what they were."""

import base64
import json
import random
import re
import shlex
import sys
from pathlib import Path

import pytest
from written_secrets import FORMS, generated

from rubric_core.cli import main
from rubric_core.evaluation.model.redaction import Redactor
from rubric_core.evaluation.results.database import ResultDatabase

SEEDS = range(60)


@pytest.mark.parametrize("name", FORMS)
def test_no_form_shows_a_secret(name: str) -> None:
    for seed in SEEDS:
        secret = generated(seed)
        written = FORMS[name](secret)
        redact = Redactor.of([("API_KEY", secret)])
        shown = redact(f"before {written} after")
        assert written not in shown, (secret, written, shown)
        assert secret not in shown, (secret, written, shown)
        assert "***" in shown, (secret, written, shown)
        raw = redact.raw(f"before {written} after".encode())
        assert raw.decode() == shown


@pytest.mark.parametrize("name", ["HTML", "percent, all", "shell", "JSON", "Python", "hex"])
def test_nothing_of_a_secret_is_left(name: str) -> None:
    for seed in SEEDS:
        secret = generated(seed)
        plain, coded = FORMS[name]("QQQQQQQQ"), FORMS[name](secret)
        shown = Redactor([secret])(coded)
        assert len(shown) <= len(plain) + 2, (secret, coded, shown)


def test_characters_of_base64_that_also_depend_on_neighbours_are_hidden() -> None:
    for offset in range(3):
        for size in range(6, 12):
            secret = "hunter2hunter2"[:size]
            coded = base64.b64encode(b"ab"[:offset] + secret.encode() + b"tail").decode()
            shown = Redactor([secret])(coded)
            first, last = offset * 8 // 6, -(-(offset + size) * 8 // 6)
            assert shown == f"{coded[:first]}***{coded[last:]}"


@pytest.mark.parametrize("encoding", ["latin-1", "cp1252"])
def test_bytes_of_older_encodings(encoding: str) -> None:
    redact = Redactor(["pässwörd1"])
    assert redact.raw(b"\xff key " + "pässwörd1".encode(encoding) + b".") == b"\xff key ***."
    coded = base64.b64encode("me:pässwörd1".encode(encoding)).decode()
    assert (redact(coded), redact(f"Basic {coded}")) == ("bWU6***", "Basic ***")


# -- around a secret ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("ascii_only", [True, False])
def test_json_stays_json(ascii_only: bool) -> None:
    for seed in range(300):
        secret, chance = generated(seed), random.Random(seed)
        pieces = ["x", '"', "\\", "\n", "ä", secret, secret[1:], secret[:-1], "n", "u"]
        texts = ["".join(chance.choices(pieces, k=6)) for _ in range(4)]
        data = {secret: [texts[0], {"a": texts[1]}], "b": texts[2], texts[3]: None}
        shown = Redactor([secret])(json.dumps(data, ensure_ascii=ascii_only))
        try:
            again = json.loads(shown)
        except ValueError:
            raise AssertionError((secret, json.dumps(data, ensure_ascii=ascii_only), shown)) from None
        assert [type(each) for each in again.values()] == [list, str, type(None)][: len(again)], (secret, shown)
        assert secret not in json.dumps(again, ensure_ascii=False)


@pytest.mark.parametrize("data", [
    {"pin": 12345678}, [12345678, 1], {"a": 9912345678}, {"a": 12345678.5}, {"a": 12345678e3}, {"a": "12345678"}, [{"a": -12345678}],
])  # fmt: skip
def test_numbers_in_json(data: object) -> None:
    for indent in (None, 1):
        shown = Redactor(["12345678"])(json.dumps(data, indent=indent))
        json.loads(shown)
        assert "12345678" not in shown
    assert "12345678'" not in repr(Redactor(["12345678"]).within(data))


def test_a_number_in_a_text_is_hidden_as_one() -> None:
    assert Redactor(["12345678"])("the code 12345678, or 912345678") == "the code ***, or 9***"


def test_names_of_mappings() -> None:
    redact = Redactor(["hunter22", "hunter33"])
    assert redact.within({"hunter22": 1, "hunter33": 2, "a": {"hunter22 x": 3}}) == {
        "***": 1, "*** 2": 2, "a": {"*** x": 3},
    }  # fmt: skip
    assert redact.within([{"pin": 12}, 5]) == [{"pin": 12}, 5]


def test_a_secret_that_is_a_number_is_hidden_in_data() -> None:
    assert Redactor(["12345678"]).within({"pin": 12345678, "of": [12345678, 1]}) == {"pin": "***", "of": ["***", 1]}


# -- what follows from a secret -------------------------------------------------------------------------------------------


def test_the_password_of_an_address_in_every_form() -> None:
    redact = Redactor.of([("url", "https://me:hun%40ter%2022@host/v1")])
    for text in ("hun%40ter%2022", "hun@ter 22", "hun%40ter+22", base64.b64encode(b"me:hun@ter 22").decode()):
        assert redact(f"x {text} y") == "x *** y"


def test_a_short_password_is_hidden_with_its_user() -> None:
    redact = Redactor.of([("url", "https://admin:x9@host/v1")])
    assert redact(f"Basic {base64.b64encode(b'admin:x9').decode()}, admin:x9") == "Basic ***, ***"


def test_the_password_in_a_header() -> None:
    header = f"Basic {base64.b64encode('me:hunter‹22'.encode()).decode()}"
    redact = Redactor.of([("Authorization", header)])
    assert redact("hunter‹22, me:hunter\\u203922") == "***, ***"


def test_output_that_was_cut_shows_no_beginning_of_a_secret() -> None:
    redact = Redactor(["hunter2-hunter2"])
    assert redact.raw_beginning(b"the key is hunter2-hun") == b"the key is ***"
    assert redact.raw_beginning(b"hunter2-hunter2 and h") == b"*** and h"


# -- everything that is stored or shown -----------------------------------------------------------------------------------

REPEATS = """\
import base64, html, json, os, sys, urllib.parse
key = os.environ["MY_KEY"]
said = " | ".join([
    key, json.dumps({"a": key}), json.dumps(json.dumps([key])), html.escape(key), urllib.parse.quote(key, safe=""),
    base64.b64encode(f"user:{key}".encode()).decode(), key.encode().hex(), repr(key),
])
sys.stderr.write("x" * 290 + said)
print(said if "fail" not in sys.argv[1] else "")
sys.exit(1 if "fail" in sys.argv[1] else 0)
"""

SUITE = """\
# rubric: dialect=agentv-5
prompts: ["{{ q }}"]
tests:
  - {id: a, vars: {q: say}, assert: [{type: contains, value: no}]}
  - {id: b, vars: {q: fail}, assert: [{type: contains, value: no}]}
"""


def test_nothing_that_is_stored_or_shown_has_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    secret = 'hun"ter\\2 ‹&ä›\n9'
    monkeypatch.setenv("MY_KEY", secret)
    monkeypatch.chdir(tmp_path)
    (tmp_path / "repeat.py").write_text(REPEATS, encoding="utf-8")
    (tmp_path / "s.eval.yaml").write_text(SUITE, encoding="utf-8")
    (tmp_path / ".agentv").mkdir()
    command = f"{shlex.quote(sys.executable)} {tmp_path}/repeat.py {{PROMPT}}"
    target = {"name": "default", "provider": "cli", "command": command, "env": {"MY_KEY": "${{ MY_KEY }}"}}
    targets = f"# rubric: dialect=agentv-5\n{json.dumps({'targets': [target]})}\n"
    (tmp_path / ".agentv/targets.yaml").write_text(targets, encoding="utf-8")
    outputs = [f"r.{end}" for end in ("html", "md", "json", "jsonl", "xml", "csv")]
    main(["run", "s.eval.yaml", "-v", *(word for name in outputs for word in ("-o", name))])
    for action in (["results", "show", "last"], ["results", "show", "last::a"], ["results", "show", "last::b"]):
        main(action)
    shown = capsys.readouterr()
    database = ResultDatabase.at(tmp_path)
    stored = "".join(repr(case.result) for case in database.cases(database.find("last")))
    assert stored.count("***") > 8
    everything = [shown.out, shown.err, stored, *((tmp_path / name).read_text(encoding="utf-8") for name in outputs)]
    coded = secret.encode().hex(), base64.b64encode(f"user:{secret}".encode()).decode()[8:20]
    for text in everything:
        assert not any(each in text for each in coded)
        assert not re.search(r"hun.{1,12}ter|ter.{1,12}2.{1,30}9", text), text


def test_what_programs_print_of_the_environment_has_none(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Also of the variables that nothing names, and that programs are not given: they may find them elsewhere."""
    secret = "Qw7Zx9Kp4Rt2Lm8V"
    monkeypatch.setenv("OTHER_API_KEY", secret)
    monkeypatch.chdir(tmp_path)
    (tmp_path / "leak.py").write_text(f'print(\'{{"score": 1, "reasoning": "has {secret}"}}\')\n', encoding="utf-8")
    grader = "{type: code-grader, command: [python3, leak.py]}"
    suite = f"# rubric: dialect=agentv-3\ntests:\n  - {{id: a, criteria: c, input: hi, assertions: [{grader}]}}\n"
    (tmp_path / "s.eval.yaml").write_text(suite, encoding="utf-8")
    (tmp_path / ".agentv").mkdir()
    command = "python3 leak.py"
    (tmp_path / ".agentv/targets.yaml").write_text(
        json.dumps({"targets": [{"name": "default", "provider": "cli", "command": command}]}), encoding="utf-8"
    )
    main(["run", "s.eval.yaml", "-v", "-o", "r.json"])
    database = ResultDatabase.at(tmp_path)
    stored = "".join(repr(case.result) for case in database.cases(database.find("last")))
    assert stored.count("has ***") > 1
    shown = capsys.readouterr()
    for text in (shown.out, shown.err, stored, (tmp_path / "r.json").read_text(encoding="utf-8")):
        assert secret not in text
