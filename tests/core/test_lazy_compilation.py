"""Dataclasses whose methods are compiled late are dataclasses in every other respect."""

import copy
import dataclasses
import inspect
import pickle
import re
import subprocess
import sys
from dataclasses import FrozenInstanceError
from typing import Any, NamedTuple

import pytest

from rubric_core import dataclass_methods
from rubric_core.dataclass_copies import replace_fields
from rubric_core.dataclass_methods import field_names
from rubric_core.lazy_compilation import Pending, pattern, replace
from rubric_core.lazy_compilation import dataclass as late
from rubric_core.lazy_compilation import field as late_field

OPTIONS = [
    {"frozen": frozen, "slots": slots, "kw_only": kw_only}
    for frozen in (True, False)
    for slots in (True, False)
    for kw_only in (True, False)
]


class Both(NamedTuple):
    """The same declarations, made by the standard library and late."""

    standard: Any
    late: Any


def declared(make: Any, field: Any, **options: Any) -> tuple[type, type]:
    @make(**options)
    class Base:
        """Some fields."""

        a: int
        b: "list[str]" = field(default_factory=list, compare=False)

    @make(**options)
    class Sub(Base):
        """More of them."""

        c: float = 0.5
        d: str = field(default="d", repr=False, metadata={"unit": "s"})
        e: int = field(init=False, default=7)

        def __post_init__(self) -> None:
            object.__setattr__(self, "c", self.c * 2)

    return Base, Sub


@pytest.fixture(params=OPTIONS, ids=lambda o: " ".join(name for name, chosen in o.items() if chosen) or "plain")
def both(request) -> Both:
    return Both(
        declared(dataclasses.dataclass, dataclasses.field, **request.param), declared(late, late_field, **request.param)
    )


def outcome(work: Any) -> object:
    try:
        return work()
    except (TypeError, AttributeError) as error:  # a frozen instance raises an AttributeError
        return type(error), str(error)


LOOKS = {
    "signature": lambda base, sub: [str(inspect.signature(cls)) for cls in (base, sub)],
    "match": lambda base, sub: [cls.__match_args__ for cls in (base, sub)],
    "fields": lambda base, sub: [[(f.name, f.type, f.kw_only, f.metadata) for f in dataclasses.fields(cls)] for cls in (base, sub)],
    "slots": lambda base, sub: [getattr(cls, "__slots__", None) for cls in (base, sub)],
    "repr": lambda base, sub: repr((base(a=1), sub(a=2, b=["x"], c=3))),
    "equal": lambda base, sub: (sub(a=1) == sub(a=1, b=["y"]), sub(a=1) == sub(a=2), base(a=1) == sub(a=1), base(a=1) == base(a=1)),
    "hash": lambda base, sub: outcome(lambda: (hash(base(a=1)) == hash(base(a=1)), hash(sub(a=1)) == hash((1, 1.0, "d", 7)))),
    "replace": lambda base, _: repr(dataclasses.replace(base(a=1), a=2)),
    "replace here": lambda base, _: repr(replace(base(a=1), a=2)),
    "field names": lambda base, sub: (field_names(base), field_names(sub)),
    "asdict": lambda _, sub: dataclasses.asdict(sub(a=1)),
    "copy": lambda _, sub: repr((copy.copy(sub(a=1)), copy.deepcopy(sub(a=1, b=["z"])))),
    "own lists": lambda base, _: base(a=1).b is base(a=1).b,
    "missing": lambda base, _: outcome(base),
    "unknown": lambda _, sub: outcome(lambda: sub(a=1, z=2)),
    "by place": lambda base, _: outcome(lambda: repr(base(1, ["b"]))),
    "set": lambda base, _: outcome(lambda: setattr(base(a=1), "a", 2)),
    # With slots, Python 3.11 looks for the class that they have replaced, and fails.
    "set another": lambda _, sub: hasattr(sub, "__slots__") or outcome(lambda: setattr(type("More", (sub,), {})(a=1), "more", 2)),
    "delete": lambda base, _: outcome(lambda: delattr(base(a=1), "a")),
}  # fmt: skip


@pytest.mark.parametrize("look", LOOKS)
def test_late_and_standard_dataclasses_look_the_same(both, look):
    assert LOOKS[look](*both.late) == LOOKS[look](*both.standard)


def test_methods_of_the_class_stay():
    @late(frozen=True, slots=True)
    class Own:
        """It compares and shows itself in its own way."""

        a: int

        def __repr__(self) -> str:
            return "own"

        def __eq__(self, other: object) -> bool:
            return isinstance(other, Own) and self.a % 2 == other.a % 2

        def __hash__(self) -> int:
            return self.a % 2

    assert repr(Own(1)) == "own"
    assert {Own(1), Own(3), Own(2)} == {Own(1), Own(2)}


@late(frozen=True, slots=True)
class Kept:
    """At the top of a module, where pickles look for it."""

    a: int
    b: tuple[str, ...] = ()


def test_pickles_go_through():
    assert pickle.loads(pickle.dumps(Kept(1, ("b",)))) == Kept(1, ("b",))


def test_nothing_is_compiled_before_the_first_instance(monkeypatch):
    compiled = []

    def counted(source, *rest):
        compiled.append(source)
        return exec(source, *rest)

    monkeypatch.setattr(dataclass_methods, "exec", counted, raising=False)
    base, sub = declared(late, late_field, frozen=True, slots=True)
    assert compiled == []
    assert isinstance(vars(sub)["__init__"], Pending)
    assert sub(a=1) == sub(a=1)
    assert compiled
    assert inspect.isfunction(vars(sub)["__init__"])
    assert isinstance(vars(base)["__init__"], Pending)
    with pytest.raises(FrozenInstanceError):
        base(1).a = 2


def test_a_field_that_init_does_not_take_is_not_replaced():
    _, sub = declared(late, late_field)
    for replaced in (replace, dataclasses.replace):
        with pytest.raises((TypeError, ValueError), match="e is declared with init=False"):  # by the version of Python
            replaced(sub(a=1), e=2)


def test_a_standard_dataclass_inherits_from_a_late_one():
    @dataclasses.dataclass(frozen=True)
    class More(Kept):
        c: int = 3

    more = More(1, c=4)
    assert [f.name for f in dataclasses.fields(more)] == list(field_names(More)) == ["a", "b", "c"]
    assert dataclasses.replace(more, a=2) == replace(more, a=2) == replace_fields(more, a=2) == More(2, (), 4)
    with pytest.raises(FrozenInstanceError):
        more.c = 2


def test_a_dataclass_that_the_standard_library_would_read_otherwise_is_refused():
    with pytest.raises(TypeError, match=r"Wrong\.a is declared with another `field`"):

        @late
        class Wrong:
            a: int = dataclasses.field(default=1)

    @dataclasses.dataclass
    class Standard:
        a: int

    with pytest.raises(TypeError, match=r"Standard, a base of .*Mixed, is a dataclass of the standard library"):

        @late
        class Mixed(Standard):
            b: int

    with pytest.raises(ValueError, match=r"Shared\.a has a mutable default"):

        @late
        class Shared:
            a: list[int] = []  # noqa: RUF012  # that is the mistake

    @late
    class Turned:
        a: int = 1
        b: int

    with pytest.raises(TypeError, match=r"'b' of .*Turned follows default argument 'a'"):
        Turned(1, 2)


def test_a_check_loads_neither_dataclasses_nor_inspect(tmp_path):
    (tmp_path / "a.eval.yaml").write_text(
        "tests:\n  - id: a\n    criteria: Says hello\n    input: Hello\n", encoding="utf-8"
    )
    script = """
import sys
from rubric_core.cli import main
print(main(["check", "--no-cache", "-q", sys.argv[1]]), {"dataclasses", "inspect"} & set(sys.modules))
"""
    done = subprocess.run([sys.executable, "-c", script, tmp_path], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines() == ["0 set()"]


def test_a_pattern_is_compiled_at_its_first_use(monkeypatch):
    compiled = []
    real = re.compile
    monkeypatch.setattr(re, "compile", lambda *read: compiled.append(read) or real(*read))
    word = pattern(r"(?P<first>a)b", re.IGNORECASE)
    assert compiled == []
    assert word.match("AB")["first"] == "A"
    assert word.sub("-", "xabAB") == "x--"
    assert [m.start() for m in word.finditer("ab ab")] == [0, 3]
    assert (word.pattern, word.groups, word.groupindex["first"]) == (r"(?P<first>a)b", 1, 1)
    assert word.search("nothing") is None
    assert set(compiled) == {(r"(?P<first>a)b", re.IGNORECASE)}


def test_yaml_compiles_none_of_its_expressions_before_one_is_needed():
    script = """
import re
import subprocess
import sys
compiled, real = [], re._compiler.compile
re._compiler.compile = lambda source, flags=0: compiled.append(source) or real(source, flags)
unchanged = re.compile
from rubric_core.syntax.libyaml import yaml
print([source for source in compiled if "timestamp" in str(source) or "\\ue000" in str(source) or "yes|Yes" in str(source)])
print(re.compile is unchanged, yaml.load("{a: 1, b: 2026-11-23, c: yes}", yaml.SafeLoader), yaml.reader.Reader("x").peek())
print([source for source in compiled if "\\ue000" in str(source)] != [])
"""
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines() == [
        "[]",
        "True {'a': 1, 'b': datetime.date(2026, 11, 23), 'c': True} x",
        "True",
    ]
