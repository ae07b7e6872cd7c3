"""Which cases `rubric run` runs: names, tags, values, patterns, parts and samples."""

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from suites import Folder

from rubric_core.cli import main
from rubric_core.cli.case_filter import Shard, sampled

SUITE = """
name: shop
tags: [support]
metadata: {owner: ann, labels: [all]}
tests:
  - {id: refund-late, criteria: c, input: hi, metadata: {owner: bob, tags: [slow, money], level: 3, live: true}}
  - {id: refund-gift, criteria: c, input: hi, metadata: {tags: [money], labels: [gift]}}
  - {id: login, criteria: c, input: hi}
  - {id: basket, criteria: c, input: hi, depends_on: [login]}
  - {id: "what*ever", criteria: c, input: hi}
  - {id: "whatever", criteria: c, input: hi, metadata: {owner: {name: eve, e.mail: eve@shop}}}
assertions: [{type: contains, value: hello}]
"""
EVERY = ["refund-late", "refund-gift", "login", "basket", "what*ever", "whatever"]


@pytest.fixture
def shop(folder: Folder, monkeypatch: pytest.MonkeyPatch) -> Folder:
    folder.mock("hello world")
    folder.suite(SUITE)
    monkeypatch.chdir(folder.path)
    return folder


def run(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, list[str], str]:
    """The exit code, the ids of the cases that ran in the order of the file, and the output."""
    try:
        code = main(["run", *arguments, "--format", "jsonl", "--workers", "1"])
    except SystemExit as end:
        code = int(end.code or 0)
    said = capsys.readouterr()
    return code, [json.loads(line)["id"] for line in said.out.splitlines()], said.err


def ran(capsys: pytest.CaptureFixture[str], *arguments: str) -> list[str]:
    return run(capsys, *(arguments if "::" in arguments[0] else ("suite.eval.yaml", *arguments)))[1]


@pytest.mark.parametrize(
    ("arguments", "ids"),
    [
        (["-k", "refund"], ["refund-late", "refund-gift"]),
        (["-k", "REFUND and not late"], ["refund-gift"]),
        (["-k", "money or login"], ["refund-late", "refund-gift", "login"]),
        (["-k", "suite.eval and whatever"], ["whatever"]),
        (["-k", "shop and what"], ["what*ever", "whatever"]),
        (["-k", ""], EVERY),
        (["--tag", "money"], ["refund-late", "refund-gift"]),
        (["--tag", "money", "--tag", "slow"], ["refund-late"]),
        (["--tag", "support"], EVERY),
        (["--tag", "money", "-k", "gift"], ["refund-gift"]),
        (["--where", "metadata.owner=bob"], ["refund-late"]),
        (["--where", "metadata.owner=ann"], ["refund-gift", "login", "what*ever", "basket"]),
        (["--where", "metadata.owner!=ann"], ["refund-late", "whatever"]),
        (["--where", "metadata.owner.name=eve"], ["whatever"]),
        (["--where", "metadata.owner.e.mail=eve@shop"], ["whatever"]),
        (["--where", "metadata.level=3", "--where", "metadata.live=true"], ["refund-late"]),
        (["--where", "metadata.level=3", "--where", "metadata.live=false"], []),
        (["--where", "metadata.labels=gift"], ["refund-gift"]),
        (["--where", "tags!=money", "--where", "metadata.owner=ann"], ["login", "what*ever", "basket"]),
        (["--where", "id=login"], ["login"]),
        (["--where", "target=default", "--limit", "2"], ["refund-late", "refund-gift"]),
        (["--limit", "1"], ["refund-late"]),
        (["-k", "basket"], ["login", "basket"]),
    ],
)  # fmt: skip
def test_the_cases_that_are_asked_for(
    shop: Folder, capsys: pytest.CaptureFixture[str], arguments: list[str], ids: list[str]
) -> None:
    assert sorted(ran(capsys, *arguments)) == sorted(ids)


@pytest.mark.parametrize(
    ("name", "ids"),
    [
        ("refund*", ["refund-late", "refund-gift"]),
        ("*-gift", ["refund-gift"]),
        ("log?n", ["login"]),
        ("what*ever", ["what*ever"]),
        ("w*r", ["what*ever", "whatever"]),
    ],
)
def test_a_pattern_in_an_id(shop: Folder, capsys: pytest.CaptureFixture[str], name: str, ids: list[str]) -> None:
    assert ran(capsys, f"suite.eval.yaml::{name}") == ids


def test_a_pattern_takes_variations_by_their_names(folder: Folder, capsys: pytest.CaptureFixture[str]) -> None:
    folder.mock("hello")
    text = """
        prompts: [{label: short, raw: "{{ q }}"}, {label: long, raw: "At length: {{ q }}"}]
        tests:
          - {id: a, vars: {q: x}, assert: [{type: contains, value: hello}]}
          - {id: b, vars: {q: y}, assert: [{type: contains, value: hello}]}
    """
    path = folder.suite(text)
    assert run(capsys, f"{path}::*[short]")[1] == ["a[short]", "b[short]"]
    assert run(capsys, f"{path}::a*")[1] == ["a[short]", "a[long]"]
    assert run(capsys, f"{path}", "-k", "b[long")[1] == ["b[long]"]
    assert run(capsys, f"{path}", "--where", "vars.q=y", "--limit", "1")[1] == ["b[short]"]


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["-k", "none"], "rubric: no case is selected: -k 'none' leaves none of 6\n"),
        (["-k", "gift", "--tag", "slow"], "no case is selected: -k 'gift' --tag slow leaves none of 6"),
        (["--tag", "mony"], "--tag mony leaves none of 6; no case has the tag mony; did you mean money?"),
        (["--tag", "xyzzy"], "no case has the tag xyzzy; there are support, slow, money"),
        (["--where", "metadata.owned=bob"], "leaves none of 6; no case has metadata.owned"),
        (["--where", "metadata.owner=kim"], "--where metadata.owner=kim leaves none of 6\n"),
        (["-k", "refund and"], "argument -k: 'refund and': column 11: expected `not`, `(` or a name, found the end"),
        (["--where", "owner=x"], "a path begins with one of dialect, file, id, metadata, suite, tags, target, vars"),
        (["--where", "metadata.owner"], "write PATH=VALUE or PATH!=VALUE"),
        (["--shard", "3/2"], "write I/N with I from 1 to N, such as 2/5, not '3/2'"),
        (["--shard", "0/2"], "write I/N"),
        (["--seed", "3"], "--seed chooses the cases of --sample"),
        (["--limit", "0"], "at least 1"),
    ],
)
def test_a_choice_that_leaves_nothing_exits_2(
    shop: Folder, capsys: pytest.CaptureFixture[str], arguments: list[str], words: str
) -> None:
    code, ids, said = run(capsys, "suite.eval.yaml", *arguments)
    assert (code, ids) == (2, [])
    assert words in said


def test_a_pattern_that_matches_nothing(shop: Folder, capsys: pytest.CaptureFixture[str]) -> None:
    assert "suite.eval.yaml: no id matches zz*" in run(capsys, "suite.eval.yaml::zz*")[2]


def test_tags_that_are_a_mapping(shop: Folder, capsys: pytest.CaptureFixture[str]) -> None:
    shop.suite(SUITE.replace("tags: [support]", "tags: {team: billing, live: true}"))
    assert len(ran(capsys, "--tag", "team")) == 6
    assert len(ran(capsys, "--tag", "team=billing", "--tag", "live=true")) == 6
    assert ran(capsys, "--tag", "team=shop") == []


def test_a_sample_is_the_same_with_the_same_seed(shop: Folder, capsys: pytest.CaptureFixture[str]) -> None:
    one = run(capsys, "suite.eval.yaml", "--sample", "2", "--seed", "7")
    assert run(capsys, "suite.eval.yaml", "--sample", "2", "--seed", "7") == one
    assert "rubric: 2 of 6 cases, chosen at random with --seed 7\n" in one[2]
    samples = {tuple(ran(capsys, "-k", "what or refund", "--sample", "2", "--seed", str(s))) for s in range(8)}
    assert len(samples) > 1


def test_a_sample_without_a_seed_says_which_it_took(shop: Folder, capsys: pytest.CaptureFixture[str]) -> None:
    _, ids, said = run(capsys, "suite.eval.yaml", "--sample", "2")
    seed = said.partition("--seed ")[2].split()[0]
    assert run(capsys, "suite.eval.yaml", "--sample", "2", "--seed", seed)[1] == ids


def test_changed_are_those_that_never_ran_and_those_that_are_different_now(
    shop: Folder, capsys: pytest.CaptureFixture[str]
) -> None:
    assert sorted(ran(capsys, "--changed")) == sorted(EVERY)
    assert run(capsys, "suite.eval.yaml", "--changed")[:2] == (0, [])
    shop.suite(SUITE.replace("id: login, criteria: c, input: hi", "id: login, criteria: c, input: hey"))
    assert ran(capsys, "--changed") == ["login"]
    shop.mock("hello again")
    assert sorted(ran(capsys, "--changed")) == sorted(EVERY)


def test_a_part_may_be_empty(shop: Folder, capsys: pytest.CaptureFixture[str]) -> None:
    codes = [run(capsys, "suite.eval.yaml", "--shard", f"{n}/40")[0] for n in range(1, 41)]
    assert codes == [0] * 40


@pytest.mark.parametrize("count", [1, 2, 3, 5])
def test_parts_are_disjoint_and_together_everything(
    shop: Folder, capsys: pytest.CaptureFixture[str], count: int
) -> None:
    parts = [ran(capsys, "--shard", f"{n}/{count}") for n in range(1, count + 1)]
    assert sorted(name for part in parts for name in part) == sorted(EVERY)
    assert all(("login" in part) == ("basket" in part) for part in parts)  # which depends on it


@given(st.sets(st.text(), max_size=12), st.integers(1, 9))
def test_each_name_is_in_exactly_one_part(names: set[str], count: int) -> None:
    parts = [{name for name in names if Shard(n, count).has(name)} for n in range(1, count + 1)]
    assert set().union(*parts) == names
    assert sum(map(len, parts)) == len(names)


class Name(str):
    """Something with a name."""

    __slots__ = ()

    @property
    def key(self) -> str:
        return self


@given(st.lists(st.text().map(Name), max_size=40), st.integers(1, 50), st.integers())
def test_a_sample_has_as_many_as_are_asked_for_in_their_order(names: list[Name], number: int, seed: int) -> None:
    places = sampled(names, number, seed)
    assert len(places) == min(number, len(names))
    assert places == sorted(set(places))
    assert sampled(names, number, seed) == places


def test_the_command_that_runs_again_what_failed_keeps_the_choice(
    shop: Folder, capsys: pytest.CaptureFixture[str]
) -> None:
    shop.mock("bye")
    main(["run", "suite.eval.yaml", "-k", "refund or login", "--tag", "support", "--where", "metadata.owner!=eve"])
    again = (
        "again: rubric run suite.eval.yaml --failed -k 'refund or login' --tag support --where 'metadata.owner!=eve'"
    )
    assert again in capsys.readouterr().out


def test_the_limit_counts_over_all_suites(shop: Folder, capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    shop.suite(SUITE, "b.eval.yaml")
    _, ids, _ = run(capsys, "b.eval.yaml", "suite.eval.yaml", "--limit", "7")
    assert sorted(ids) == sorted([*EVERY, "refund-late"])
