"""The plan of a run: its words, its hashes, and what is not in it."""

import shlex
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rubric_core.evaluation.model.holes import REPEATED, fits, hole, hole_names, shown
from rubric_core.evaluation.model.plan import Plan
from rubric_core.evaluation.model.plan_entries import ANY_HOST, Read, Send, Start, Variable
from rubric_core.lazy_compilation import replace

KEY = b"k" * 32
FOLDER = Path("/srv/me/suites")
PROMPT = hole("prompt")
BOT = Start(
    ("bot", "--ask", PROMPT),
    program="/srv/me/suites/bin/bot",
    real="/srv/me/suites/bin/bot",
    cwd=str(FOLDER),
    environment=(("MODE", "fast"), ("TOKEN", hole("$SECRET_KEY"))),
    home=str(FOLDER),
)
ECHO = Start(("echo", "ok"), "/usr/bin/echo", "/usr/bin/coreutils", str(FOLDER), home=str(FOLDER))
CALL = Send("POST", "https://api.example", "/v1/chat", ("SECRET_KEY",))

# Holes


def test_a_hole_takes_any_text_and_nothing_around_it():
    planned = ["bot", f"--ask={PROMPT}"]
    assert fits(planned, ["bot", "--ask=What?\nNow."])
    assert fits(planned, ["bot", "--ask="])
    assert not fits(planned, ["bot", "--tell=x"])
    assert not fits(planned, ["bot", "--ask=x", "y"])
    assert not fits(["bot", PROMPT], ["bot"])


def test_a_hole_that_a_suite_writes_is_none():
    assert not fits(["bot", PROMPT], ["bot", "a\0b"])
    assert not fits(["bot", PROMPT], ["bot", "a\0", "b"])


@given(st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"])))
def test_a_shell_reads_one_word_for_a_hole(text: str):
    planned = ("sh", "-c", f"echo {PROMPT} | cat")
    assert fits(planned, ("sh", "-c", f"echo {shlex.quote(text)} | cat"), in_shell=2)
    if shlex.quote(text) != text:
        assert not fits(planned, ("sh", "-c", f"echo {text} | cat"), in_shell=2)


@pytest.mark.parametrize("text", ["a; touch x", "$(touch x)", "'a' 'b'", "'a'$x'b'", "a b", "", "a\nb", "'a"])
def test_an_unquoted_text_is_no_word_for_a_shell(text: str):
    assert not fits(("sh", "-c", f"echo {PROMPT}"), ("sh", "-c", f"echo {text}"), in_shell=2)


def test_a_repeated_part_occurs_any_number_of_times():
    begin, end = REPEATED
    words = ("bot", begin, "--file", hole("file"), end, "go")
    for files in ([], ["a"], ["a", "b c"]):
        assert fits(words, ("bot", *(w for f in files for w in ("--file", f)), "go"))
    assert not fits(words, ("bot", "--exec", "a", "go"))
    assert not fits(words, ("bot", "a", "go"))
    inline = ("sh", "-c", f"bot {begin}--file {hole('file')}{end} go")
    for files in ([], ["a"], ["a", "'b c'"]):
        assert fits(inline, ("sh", "-c", f"bot {' '.join(f'--file {f}' for f in files)} go"), in_shell=2)
    assert not fits(inline, ("sh", "-c", "bot --file a; go go"), in_shell=2)
    assert shown(inline[2]) == "bot [--file {file}…] go"
    assert hole_names(inline[2]) == ["file"]


def test_holes_of_one_form_take_that_form():
    assert fits([hole("attempt")], ["12"])
    assert not fits([hole("attempt")], ["12; x"])
    assert not fits([f"{hole('scratch')}/output"], ["/etc/output"])


# Words


def test_an_entry_says_what_is_not_usual():
    assert ECHO.words(FOLDER) == "echo ok"
    assert BOT.words(FOLDER) == "bot --ask {prompt} with MODE=fast, TOKEN=$SECRET_KEY"
    other = replace(ECHO, program="/other/bin/echo", is_usual=False, environment=(("PATH", "/other/bin"),))
    assert other.words(FOLDER) == "echo ok (/other/bin/echo) with PATH=/other/bin"
    assert replace(ECHO, cwd="/elsewhere").words(FOLDER) == "echo ok in /elsewhere"
    assert replace(ECHO, cwd=f"{FOLDER}/sub").words(FOLDER) == "echo ok in ./sub"
    assert replace(ECHO, program="", real="").words(FOLDER) == "echo ok (echo is not installed)"
    python = Start(("/usr/bin/python3", "-c", "driver"), "/usr/bin/python3", says="os:system from .")
    assert python.words() == "python3: os:system from ."
    assert Start(("sh", "-lc", "./check.sh\n"), "/bin/sh").words() == "./check.sh"
    assert CALL.words() == "https://api.example/v1/chat with SECRET_KEY"
    assert Send("GET", ANY_HOST, why="from the answer of x").words() == "any host (GET, from the answer of x)"


@pytest.mark.parametrize("argv", [(), ("",), (" ",), ("sh", "-c", "  ")])
def test_no_entry_is_empty(argv: tuple[str, ...]):
    assert Start(argv).words().strip()


def test_a_plan_groups_its_entries():
    plan = Plan((ECHO, BOT), (CALL,), (Read("/etc/hosts"),), (Variable("HOME"),), ("x is not called",))
    assert plan.words(FOLDER) == (
        "execute: echo ok",
        "execute: bot --ask {prompt} with MODE=fast, TOKEN=$SECRET_KEY",
        "send requests to: https://api.example/v1/chat with SECRET_KEY",
        "read of the environment: HOME",
        "read outside of the open folder: /etc/hosts",
        "x is not called",
    )


# Hashes


def hashes(*entries: Start | Send, folder: Path = FOLDER, key: bytes = KEY) -> frozenset[str]:
    starts = tuple(each for each in entries if isinstance(each, Start))
    sends = tuple(each for each in entries if isinstance(each, Send))
    return frozenset(Plan(starts, sends).entries(key, folder))


@pytest.mark.parametrize(
    "changed",
    [
        {"argv": ("bot", "--tell", PROMPT)},
        {"program": "/srv/me/suites/bin/bot2"},
        {"real": "/other/bot"},
        {"cwd": "/elsewhere"},
        {"environment": (("MODE", "slow"), ("TOKEN", hole("$SECRET_KEY")))},
        {"environment": (("MODE", "fast"), ("TOKEN", hole("$OTHER_KEY")))},
        {"says": "print(1)"},
    ],
)
def test_another_program_asks_again(changed: dict[str, object]):
    assert hashes(replace(BOT, **changed)) != hashes(BOT)


@pytest.mark.parametrize(
    "changed",
    [{"method": "GET"}, {"origin": "https://b.example"}, {"path": "/v2"}, {"path": "/v1/chat?a=b"}, {"variables": ()}],
)
def test_another_request_asks_again(changed: dict[str, object]):
    assert hashes(replace(CALL, **changed)) != hashes(CALL)


def test_an_update_of_the_system_does_not_ask_again():
    assert hashes(replace(ECHO, real="/usr/lib/coreutils-9")) == hashes(ECHO)
    assert hashes(replace(ECHO, real="/tmp/echo")) != hashes(ECHO)


def test_a_folder_that_moves_is_the_same_and_others_are_not():
    moved = Path("/srv/suites")
    there = replace(
        BOT, program="/srv/suites/bin/bot", real="/srv/suites/bin/bot", cwd="/srv/suites", home="/srv/suites"
    )
    assert hashes(there, folder=moved) == hashes(BOT)
    # A path may stand alone, as where a module is imported from.
    says = [replace(each, says=f"bot:ask from {place}") for each, place in ((BOT, FOLDER), (there, moved))]
    assert hashes(says[1], folder=moved) == hashes(says[0])
    assert says[0].words(FOLDER).startswith("bot: bot:ask from .")
    beside = replace(BOT, says=f"bot:ask from {FOLDER}2")
    assert hashes(replace(there, says=beside.says), folder=moved) == hashes(beside)
    assert hashes(replace(BOT, cwd="."), folder=FOLDER) != hashes(BOT)
    assert hashes(BOT, key=b"o" * 32).isdisjoint(hashes(BOT))
    assert all(len(each) == 64 for each in hashes(BOT))


@pytest.mark.parametrize(
    ("path", "shown_path"),
    [
        ("/a?b=c&d=", "/a?b=c&d="),
        (f"/a?q={PROMPT}&token={hole('$BOT_TOKEN')}", "/a?q={prompt}&token=$BOT_TOKEN"),
        ("/a?api-version=1&api_key=abc&sig=x%2By", "/a?api-version=1&api_key=***&sig=***"),
        ("/a?apiKey=abc#x", "/a?apiKey=***"),
        ("/ghp_0123456789abcdef/send?x=sk-0123456789", "/***/send?x=***"),
    ],
)
def test_a_query_is_shown_without_its_secrets(path: str, shown_path: str):
    assert Send("GET", "https://a.example", path).words() == f"https://a.example{shown_path} (GET)"


# Refusals

PLAN = Plan((BOT, ECHO), (CALL, Send("GET", "http://a.example", f"/x/{hole('id')}")), (Read("/etc/hosts"),))
RUN = replace(BOT, argv=("bot", "--ask", "hi"), environment=(("MODE", "fast"), ("TOKEN", "s3cret")))


def test_what_is_planned_is_not_refused():
    assert PLAN.refusal(RUN) == ""
    assert PLAN.refusal(ECHO) == ""
    assert PLAN.refusal(replace(CALL, variables=())) == ""
    assert PLAN.refusal(Send("GET", "http://a.example", "/x/1")) == ""
    assert PLAN.refusal(Read("/etc/hosts")) == ""
    assert Plan(sends=(Send("GET", ANY_HOST),)).refusal(Send("GET", "http://b", "/y")) == ""


@pytest.mark.parametrize(
    ("wanted", "why"),
    [
        (replace(RUN, argv=("touch", "x")), "touch was not in the question"),
        (replace(RUN, argv=("bot", "--tell", "hi")), "the arguments of bot were not in the question"),
        (replace(RUN, program="/tmp/bot"), "bot is another file than in the question (/tmp/bot)"),
        (replace(RUN, program="", real=""), "bot does not exist"),
        (replace(RUN, real="/tmp/bot"), "bot leads to another file than in the question (/tmp/bot)"),
        (replace(RUN, cwd="/tmp"), "its directory /tmp was not in the question"),
        (replace(RUN, says="print(1)"), "this code was not in the question"),
        (
            replace(RUN, environment=(*RUN.environment, ("BASH_ENV", "x"))),
            "its variable BASH_ENV was not in the question",
        ),
        (replace(RUN, environment=(("MODE", "fast"),)), "its variable TOKEN is missing, unlike in the question"),
        (
            replace(RUN, environment=(("MODE", "slow"), ("TOKEN", "s"))),
            "its variable MODE has another value than in the question",
        ),
        (Send("POST", "https://b.example", "/v1/chat"), "https://b.example was not in the question"),
        (Send("POST", "https://api.example", "/v2"), "https://api.example/v2 was not in the question"),
        (
            Send("POST", "https://api.example", "/v1/chat?to=x"),
            "the query of https://api.example/v1/chat was not in the question",
        ),
        (Send("PUT", "https://api.example", "/v1/chat"), "PUT https://api.example/v1/chat was not in the question"),
        (Read("/etc/passwd"), "/etc/passwd was not in the question"),
        (Variable("HOME"), "HOME was not in the question"),
    ],
)
def test_what_is_not_planned_is_refused(wanted: Start | Send | Read | Variable, why: str):
    assert PLAN.refusal(wanted) == why


def test_an_unknown_plan_refuses_everything():
    assert replace(PLAN, unknown="x cannot be read").refusal(ECHO) == "x cannot be read"
    assert PLAN.joined(Plan(unknown="y")).refusal(ECHO) == "y"


def test_plans_are_joined_once():
    joined = PLAN.joined(replace(PLAN, starts=(ECHO, Start(("c",)))))
    assert joined.starts == (BOT, ECHO, Start(("c",)))
    assert joined.sends == PLAN.sends
