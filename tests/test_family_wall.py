"""How often code that serves every family of eval files asks for one of them: the numbers may only fall.

Generic is each module of `rubric_core` and `rubric_lsp` whose path does not name the family. It asks for the family where
a condition mentions a class, a constant, a kind of file, a dialect or an engine of it. `docs/architecture.md` says what to
ask instead.
"""

import ast
import copy
import pickle
import re
import subprocess
import sys
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from textwrap import dedent
from typing import TypeGuard

import pytest
from source_trees import REPOSITORY, source_trees

from rubric_core.analysis import default_language
from rubric_core.families.promptfoo.language.configuration import Configuration
from rubric_core.families.promptfoo.language.dialect import PROMPTFOO
from rubric_core.family import FAMILIES, Family, family_named, part_of
from rubric_core.language.dialects import DIALECTS
from rubric_core.language.file_kinds import kind_named, language_of
from rubric_core.language.model import Suite

#: The family that generic code still asks for.
_FAMILY = "promptfoo"
#: The list of families, which is the one place that names their packages.
_LIST = "rubric_core/family.py"

#: Each folder with the number of conditions that ask for the family, and of modules that import one of its modules. What
#: stays is the option `--promptfoo-exit-code`.
ROOMS = """
rubric_core/cli                       1   0
"""

_MODULE_NAME = re.compile(rf"rubric_(?:core|lsp)[\w.]*{_FAMILY}[\w.]*(?::\w+)?")
#: What a constant may be that stands for a family: a set, a tuple, a union of classes, one member, the name.
_COLLECTIONS = (ast.Tuple, ast.Set, ast.List, ast.BinOp, ast.Attribute, ast.Constant)
_ASKING_CALLS = frozenset({"isinstance", "issubclass"})


@dataclass(frozen=True)
class Module:
    """What is asked of a generic module, read from its tree once."""

    path: str
    tree: ast.Module
    nodes: Sequence[ast.AST]
    #: The constants that are collections, or one thing under another name.
    listings: Sequence[tuple[str, ast.expr]]

    @classmethod
    def read(cls, path: str, tree: ast.Module) -> "Module":
        return cls(path, tree, tuple(ast.walk(tree)), tuple(listings(tree)))

    @property
    def name(self) -> str:
        return self.path.removesuffix(".py").removesuffix("/__init__").replace("/", ".")

    @property
    def room(self) -> str:
        return Path(self.path).parent.as_posix()

    @cached_property
    def imports(self) -> Sequence[tuple[str, str, str]]:
        """What it imports from modules, anywhere in it: the module, the name there, and the name here."""
        statements = (node for node in self.nodes if isinstance(node, ast.ImportFrom))
        return [(n.module or "", each.name, each.asname or each.name) for n in statements for each in n.names]


def generic_modules() -> Iterator[Module]:
    """Each generic module, its path from the root of the repository."""
    for path, tree in source_trees():
        name = path.relative_to(REPOSITORY).as_posix()
        if _FAMILY not in name:
            yield Module.read(name, tree)


def test_the_wall_between_generic_code_and_a_family():
    modules = list(generic_modules())
    names = names_of_family(modules)
    found: dict[str, Counter[str]] = {}
    for each in modules:
        room = found.setdefault(each.room, Counter())
        room["conditions"] += len(asking(each, names[each.name]))
        room["importing modules"] += each.path != _LIST and imports_family(each)
    written = {
        room: Counter({"conditions": int(conditions), "importing modules": int(files)})
        for room, conditions, files in map(str.split, ROOMS.strip().splitlines())
    }
    assert list(written) == sorted(written), "in the order of the folders"
    assert list(changes(written, found)) == []


def changes(written: Mapping[str, Counter[str]], found: Mapping[str, Counter[str]]) -> Iterator[str]:
    """What to do about each number that is not the one written down."""
    for room in sorted({*written, *found}):
        for what in ("conditions", "importing modules"):
            before, now = (each.get(room, Counter())[what] for each in (written, found))
            if now < before:
                yield f"{room}: {what} fell from {before} to {now}: write it down in ROOMS"
            elif now > before:
                yield f"{room}: {what} rose from {before} to {now}: ask the interface of families instead"
        if room in written and not any(written[room].values()):
            yield f"{room}: nothing is left: delete its line from ROOMS"


def names_of_family(modules: Collection[Module]) -> dict[str, frozenset[str]]:
    """The names in each module that mean the family: imported from its modules, or constants that list what is its own."""
    known = {
        m.name: {here for module, name, here in m.imports if _FAMILY in module or _FAMILY in name} for m in modules
    }
    constants: dict[str, set[str]] = {name: set() for name in known}
    grows = True
    while grows:  # a list may be made from a list of another module
        grows = False
        for each in modules:
            own = known[each.name]
            own |= (
                borrowed := {here for module, name, here in each.imports if name in constants.get(module, ())} - own
            )
            own |= (listed := {name for name, value in each.listings if name not in own and mentions(value, own)})
            if each.path != _LIST:  # who asks the list of families asks all of them
                constants[each.name] |= listed
            grows |= bool(borrowed or listed)
    return {name: frozenset(found) for name, found in known.items()}


def listings(tree: ast.Module) -> Iterator[tuple[str, ast.expr]]:
    """The constants of a module that are collections, or one thing under another name."""
    for node in tree.body:
        if isinstance(node, ast.Assign | ast.AnnAssign) and node.value is not None:
            value = node.value
            if isinstance(value, ast.Call) and isinstance(value.func, ast.Name) and value.func.id == "frozenset":
                value = value.args[0] if value.args else value
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            if isinstance(value, _COLLECTIONS):
                yield from ((t.id, value) for t in targets if isinstance(t, ast.Name) and t.id != "__all__")


def imports_family(module: Module) -> bool:
    """Whether it imports a module of the family, or names one to import it later."""
    whole = {
        name for node in module.nodes if isinstance(node, ast.Import) for name in (each.name for each in node.names)
    }
    texts = (node.value for node in module.nodes if isinstance(node, ast.Constant) and isinstance(node.value, str))
    return (
        any(_FAMILY in name for name in whole)
        or any(_FAMILY in source or name == _FAMILY for source, name, _ in module.imports)
        or any(_MODULE_NAME.fullmatch(text) for text in texts)
    )


def asking(module: Module, names: frozenset[str]) -> list[int]:
    """The line of each condition that mentions the family."""
    return sorted(_asking(module.tree, names)) if any(_means_family(node, names) for node in module.nodes) else []


def _asking(node: ast.AST, names: frozenset[str]) -> Iterator[int]:
    for child in ast.iter_child_nodes(node):
        if is_condition(child, node) and mentions(child, names):
            yield child.lineno  # a condition that asks twice is one question
        else:
            yield from _asking(child, names)


def is_condition(node: ast.AST, parent: ast.AST) -> TypeGuard[ast.expr | ast.pattern]:
    """Whether something is decided by it: the test of a statement, a filter, a comparison that is returned or kept."""
    tested: list[ast.AST | None] = []
    if isinstance(parent, ast.If | ast.IfExp | ast.While | ast.Assert):
        tested = [parent.test]
    elif isinstance(parent, ast.comprehension):
        tested = [*parent.ifs]
    elif isinstance(parent, ast.Match):
        tested = [parent.subject]
    elif isinstance(parent, ast.match_case):
        tested = [parent.pattern, parent.guard]
    asks = isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in _ASKING_CALLS
    denies = isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not)
    return node in tested or asks or denies or isinstance(node, ast.Compare | ast.BoolOp)


def mentions(node: ast.AST, names: AbstractSet[str]) -> bool:
    return any(_means_family(each, names) for each in ast.walk(node))


def _means_family(node: ast.AST, names: AbstractSet[str]) -> bool:
    if isinstance(node, ast.Name):
        return node.id in names or _FAMILY in node.id.lower()
    if isinstance(node, ast.Attribute):
        return _FAMILY in node.attr.lower()
    return isinstance(node, ast.Constant) and node.value == _FAMILY


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("if isinstance(case, PromptfooCase): pass", 1),
        ("if isinstance(case, Assertion) and isinstance(case, Assertion): pass", 1),
        ("x = 1 if kind is PromptfooFile.CASES else 2", 1),
        ("x = [k for k in kinds if k in OURS]", 1),
        ("def f(kind):\n    return kind in OURS", 1),
        ("self.of_text = kind in OURS", 1),
        ("while engine == 'promptfoo': pass", 1),
        ("assert not scope.is_of_promptfoo", 1),
        ("match case:\n    case Assertion(): pass\n    case Case(): pass", 1),
        ("match engine:\n    case 'promptfoo': pass", 1),
        ("if a and b(1 if k is PROMPTFOO else 2): pass", 1),
        ("if a:\n    b = Assertion(k)", 0),
        ("if case.has('promptfoo.yaml'): pass", 0),
        ("if kind is FileKind.SUITE: pass", 0),
    ],
)
def test_what_asks_for_a_family(text: str, count: int):
    head = "from rubric_core.families.promptfoo.language.assertion import Assertion\nOURS = frozenset({PromptfooFile.CASES})\n"
    module = Module.read("rubric_core/x.py", ast.parse(head + text))
    assert len(asking(module, names_of_family([module])["rubric_core.x"])) == count


def test_what_imports_a_family():
    statements = [
        "import rubric_core.families.promptfoo.language.assertion",
        "from rubric_core.families.promptfoo.language import assertion",
        "from rubric_core.language import promptfoo",
        "NAME = 'rubric_core.families.promptfoo.engine.attempt'",
        "NAME = 'rubric_core.families.promptfoo.export:write'",
    ]
    others = [
        "from rubric_core.language.file_kinds import OF_PROMPTFOO",
        "NAME = 'promptfoo'",
        "import rubric_core.language",
    ]
    modules = [Module.read("rubric_core/x.py", ast.parse(each)) for each in (*statements, *others)]
    assert [imports_family(each) for each in modules] == [*(True for _ in statements), *(False for _ in others)]


def test_a_constant_of_another_module_is_followed():
    kinds = "OURS = frozenset({PromptfooFile.CASES})\nBOTH = {*OURS, FileKind.SUITE}\nSUITES = (FileKind.SUITE,)"
    user = "from rubric_core.kinds import BOTH as LISTED, SUITES"
    texts = {"rubric_core/user.py": user, "rubric_core/kinds/__init__.py": kinds}
    names = names_of_family([Module.read(path, ast.parse(text)) for path, text in texts.items()])
    assert names == {"rubric_core.user": {"LISTED"}, "rubric_core.kinds": {"OURS", "BOTH"}}


def test_what_is_said_about_a_number():
    written, found = (
        {"a": Counter(conditions=2), "b": Counter(conditions=1)},
        {"a": Counter(conditions=1), "b": Counter(conditions=2)},
    )
    assert list(changes(written, found)) == [
        "a: conditions fell from 2 to 1: write it down in ROOMS",
        "b: conditions rose from 1 to 2: ask the interface of families instead",
    ]


def test_the_list_of_families_says_what_their_catalogues_say():
    listed = [(family.name, name) for family in FAMILIES for name in family.dialects]
    assert listed == [(each.properties.engine, each.name) for each in (*DIALECTS, PROMPTFOO)]
    in_suites = {s.name for each in DIALECTS for s in each.table(Suite).values() if s.field == "cases"}
    assert set(family_named("agentv").case_keys) == in_suites
    assert set(family_named("promptfoo").case_keys) <= PROMPTFOO.table(Configuration).keys()
    assert default_language().item_keys == {key for family in FAMILIES for key in family.case_keys}
    assert [part for family in FAMILIES for part in family.parts if part_of(family.name, part) is None] == []


@pytest.mark.parametrize("family", FAMILIES, ids=lambda family: family.name)
def test_a_kind_of_file_is_one_object_that_is_found_by_its_name(family: Family):
    language = language_of(family.name)
    for name, kind in language.kinds.items():
        assert (kind.name, kind.family) == (name, family.name)
        assert kind_named(name) is copy.deepcopy(kind) is pickle.loads(pickle.dumps(kind)) is kind
    assert {*language.roots, *language.items, *language.cases} <= {*language.kinds.values()}
    with pytest.raises(KeyError):
        kind_named(f"{family.name.upper()}_OTHER")


#: The modules that load and run cases. AgentV's language is loaded for every family, because its model is what is run.
_ENGINE = ("rubric_core.evaluation.", "rubric_core.families.")
_SERVER = "rubric_lsp."
#: A file of each family that passes without a model, and what it needs.
_RUNS = {
    "agentv": {
        "a.eval.yaml": """
name: a
execution: {target: echo}
tests:
  - {id: one, criteria: c, input: Hello, assertions: [{type: contains, value: Hello}]}
""",
        "targets.yaml": "targets: [{name: echo, provider: mock, response: Hello}]",
    },
    "promptfoo": {
        "promptfooconfig.yaml": """
prompts: ['Hello {{name}}']
providers: [echo]
tests:
  - {vars: {name: Ann}, assert: [{type: contains, value: Ann}]}
""",
    },
}


@pytest.mark.parametrize("family", FAMILIES, ids=lambda family: family.name)
def test_a_run_loads_nothing_that_only_another_family_needs(family: Family, tmp_path: Path):
    for name, text in _RUNS[family.name].items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    code = f"""
    import sys
    from rubric_core.cli import main
    assert main(["run", {str(tmp_path / next(iter(_RUNS[family.name])))!r}]) == 0
    print("", *sys.modules, sep=chr(10))
    """
    loaded = modules_loaded_by(code, _ENGINE, tmp_path)
    assert loaded & {*family.parts.values()}
    assert loaded & of_others(family, loaded) <= recognising_others(family, tmp_path)


@pytest.mark.parametrize("family", FAMILIES, ids=lambda family: family.name)
def test_an_editor_loads_nothing_that_only_another_family_needs(family: Family, tmp_path: Path):
    name, text = next(iter(_RUNS[family.name].items()))
    code = f"""
    import sys
    from pathlib import Path
    import rubric_lsp.routes
    from rubric_core.analysis import analyze, default_language
    from rubric_lsp.features.block_memo import blocks_of
    from rubric_lsp.features.completion import complete
    from rubric_lsp.features.hover import hover
    from rubric_lsp.features.names import name_at
    from rubric_lsp.features.symbols import symbols_in
    language, path, text = default_language(), Path({name!r}), {text!r}
    analysis = analyze(language.document(text, path), language, path=path)
    assert analysis.dialect.properties.engine == {family.name!r}
    assert any(symbols_in(local) for local in blocks_of(analysis))
    for offset in range(len(text)):
        complete(analysis, offset), hover(analysis, offset), name_at(analysis, offset)
    print("", *sys.modules, sep=chr(10))
    """
    loaded = modules_loaded_by(code, _SERVER, tmp_path)
    asked = {family.parts[part] for part in ("completion", "editor") if part in family.parts}
    assert loaded & asked == asked
    assert loaded & of_others(family, loaded) == set()


@pytest.mark.parametrize("command", ["check", "run"])
def test_agentv_loads_of_another_family_only_what_recognises_its_files(command: str, tmp_path: Path):
    (agentv, *others) = FAMILIES
    for name, text in _RUNS[agentv.name].items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    code = f"""
    import sys
    from rubric_core.cli import main
    assert main([{command!r}, {str(tmp_path / next(iter(_RUNS[agentv.name])))!r}]) == 0
    print("", *sys.modules, sep=chr(10))
    """
    loaded = modules_loaded_by(code, "rubric_core.", tmp_path)
    known = recognising_others(agentv, tmp_path)
    assert {name for name in loaded for other in others if other.name in name} <= known


def recognising_others(family: Family, directory: Path) -> set[str]:
    """The modules that it takes to recognise files of other families."""
    parts = [each.parts["recognition"] for each in FAMILIES if each is not family and "recognition" in each.parts]
    imports = "; ".join(f"import {part}" for part in ("sys", *parts))
    return modules_loaded_by(f"{imports}; print('', *sys.modules, sep=chr(10))", "rubric_core.", directory)


def modules_loaded_by(code: str, package: str | tuple[str, ...], directory: Path) -> set[str]:
    """The modules of some packages that a program loads, which it prints at its end."""
    done = subprocess.run(
        [sys.executable, "-c", dedent(code)], cwd=directory, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return {name for name in done.stdout.splitlines() if name.startswith(package)}


def of_others(family: Family, modules: AbstractSet[str]) -> set[str]:
    """The parts of other families, and the modules that have the name of one."""
    others = [each for each in FAMILIES if each is not family]
    return {part for each in others for part in each.parts.values()} | {
        name for name in modules for each in others if each.name in name
    }
