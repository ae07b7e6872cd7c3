"""What the design promises about the code itself."""

import ast
import builtins
import json
import re
import subprocess
import sys
from collections.abc import Iterator
from importlib import import_module
from inspect import isfunction, unwrap
from pathlib import Path
from textwrap import dedent
from typing import get_args, get_type_hints

import pytest
from harness import UPDATING
from source_trees import MODULES, REPOSITORY, source_trees

import rubric_core
import rubric_core.evaluation
from rubric_core.cli.parser import make_parser
from rubric_core.families.promptfoo.language.dialect import PROMPTFOO
from rubric_core.family import FAMILIES, Family, part_of
from rubric_core.language.dialects import DIALECTS
from rubric_core.language.shape import Key, Shape
from rubric_core.language.value_kinds import Choice, Text
from rubric_core.validation.family_checks import checks_of
from rubric_core.validation.rule import Rule
from rubric_core.validation.rules import VISITED, all_rules, load_rule


def test_layers():
    # By itself: in this process it would silence the loggers that other tests listen to.
    done = subprocess.run(
        [Path(sys.executable).with_name("lint-imports"), "--no-cache"],
        cwd=REPOSITORY,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout


# Rules


def test_the_table_of_rules_says_what_they_visit():
    """`UPDATE=1` writes the table."""
    made = dict(sorted({**dict.fromkeys(_groups(), ()), **dict(_declared_rules())}.items()))
    if UPDATING:
        path = REPOSITORY / "rubric_core/validation/rules/__init__.py"
        head, _, rest = path.read_text(encoding="utf-8").partition(f"{_TABLE} = {{\n")
        rows = "".join(f"    {json.dumps(code)}: {_tuple(names)},\n" for code, names in made.items())
        path.write_text(
            f"{head}{_TABLE} = {{\n{rows}}}\n{rest.partition(chr(10) + '}' + chr(10))[2]}", encoding="utf-8"
        )
        subprocess.run([sys.executable, "-m", "ruff", "format", "-q", path], check=True)
        return
    assert {code: frozenset(names) for code, names in VISITED.items()} == {c: frozenset(n) for c, n in made.items()}
    assert list(VISITED) == list(made), "in the order of their codes"


_TABLE = "VISITED: Mapping[str, tuple[str, ...]]"


def _declared_rules() -> Iterator[tuple[str, tuple[str, ...]]]:
    """The code of each module of a rule, and the names of the classes that it visits."""
    folder = REPOSITORY / "rubric_core/validation/rules"
    for name in sorted({path.stem for path in folder.glob("*.py")} - {"__init__"}):
        rule = getattr(import_module(f"rubric_core.validation.rules.{name}"), name.upper())
        assert rule.code == name.replace("_", "-")
        yield rule.code, tuple(sorted(each.__name__ for each in get_args(rule.visits) or (rule.visits,)))


def _groups() -> Iterator[str]:
    """The codes under which there are only checks of families."""
    for family in FAMILIES:
        package = part_of(family.name, "checks")
        if package is not None:
            yield from (each.code for each in import_module(f"{package.__name__}.groups").GROUPS)


def _tuple(names: tuple[str, ...]) -> str:
    return f"({', '.join(map(json.dumps, names))}{',' * (len(names) == 1)})"


@pytest.mark.parametrize("family", FAMILIES, ids=lambda family: family.name)
def test_checks_of_a_family_are_named_after_it(family: Family):
    checks, package = checks_of(family.name), part_of(family.name, "checks")
    folder = Path(*package.__path__) if package is not None else None
    declared = [line for path in folder.glob("*.py") for line in path.read_text().splitlines()] if folder else []
    assert len(checks) == sum(line.startswith("@checks(") for line in declared), "each module with checks is found"
    # Several checks may have one code: of cases in the file itself and in others, say.
    alike = {each.code: (each.group, each.severity) for each in checks}
    for each in checks:
        assert re.fullmatch(rf"{family.name}/[a-z]+(-[a-z]+)*", each.code)
        assert (each.group, each.severity) == alike[each.code]
        assert each.group in VISITED
        assert each.check.__doc__
        first, *_ = get_type_hints(unwrap(each.check)).values()
        assert each.visits == first
        assert (each.awaits, each.about_name) == (load_rule(each.group).awaits, load_rule(each.group).about_name)


def test_a_check_loads_no_rule_about_what_is_not_there(tmp_path):
    (tmp_path / "a.eval.yaml").write_text(
        "tests:\n  - id: a\n    criteria: Says hello\n    input: Hello\n", encoding="utf-8"
    )
    loaded = imported_by(f"from rubric_core.cli import main\nmain(['check', '-q', '--no-cache', {str(tmp_path)!r}])")
    rules = {name.rpartition(".")[2] for name in loaded if name.startswith("rubric_core.validation.rules.")}
    assert {"nothing_asserted", "duplicate_case_id"} < rules
    assert not rules & {"unknown_key", "wrong_type", "band_bounds", "literal_secret"}
    others = [part_of(family.name, "checks") for family in FAMILIES if family.name != "agentv"]
    packages = tuple(each.__name__ for each in others if each is not None)
    assert [name for name in loaded if name.startswith(packages)] == []


@pytest.mark.parametrize("rule", all_rules(), ids=lambda r: r.code)
def test_a_rule_introduces_itself(rule: Rule[object]):
    assert re.fullmatch(r"[a-z]+(-[a-z]+)*", rule.code)
    assert rule.summary[0].isupper()
    assert not rule.summary.endswith(".")
    assert 10 <= len(rule.summary) <= 90
    assert rule.check.__doc__


# The catalogue


def shapes(base: type[Shape] = Shape) -> list[type[Shape]]:
    found = [s for c in base.__subclasses__() for s in (c, *shapes(c)) if s.__module__.startswith("rubric_core.")]
    return list(dict.fromkeys(found))


KEYS = [(shape, key) for shape in shapes() for key in shape.keys.values()]


def introduced(key: Key[object]) -> bool:
    sentence = re.match(r"[A-Z`]", key.doc) is not None and key.doc.endswith((".", ")"))
    return sentence and 10 <= len(key.doc) <= 260 and key.kind.words() != ""


def test_every_key_says_what_it_is_for():
    assert {f"{shape.__name__}.{key.field}": key.doc for shape, key in KEYS if not introduced(key)} == {}


def test_every_word_of_a_choice_says_what_it_means():
    for shape, key in KEYS:
        for kind in (key.kind, *getattr(key.kind, "branches", ())):
            if isinstance(kind, Choice):
                assert all(name and meaning for name, meaning in kind.options), f"{shape.__name__}.{key.field}"


def test_no_attribute_of_a_shape_is_a_key():
    """What lowering stores under a key would hide the attribute, in the shape or in one of another family."""
    spelled = {name for dialect in (*DIALECTS, PROMPTFOO) for shape in shapes() for name in dialect.table(shape)}
    of_all = {name for name in (*vars(Shape), *Shape.__annotations__) if not name.startswith("_")}
    assert of_all & {*spelled, *(key.field for _, key in KEYS)} == set()
    for shape, key in KEYS:
        assert all(isinstance(vars(base).get(key.field, key), Key) for base in shape.__mro__), (
            f"{shape.__name__}.{key.field}"
        )


def test_required_keys_have_an_example_or_are_collections():
    for shape, key in KEYS:
        if key.required and not key.group and isinstance(key.kind, Text):
            assert key.example, f"{shape.__name__}.{key.field}"


# State


#: Calls that give something which can change, and constructors of it.
_CHANGING = (ast.List, ast.Dict, ast.Set, ast.ListComp, ast.DictComp, ast.SetComp)
_CONSTRUCTORS = frozenset(
    {
        "list",
        "dict",
        "set",
        "defaultdict",
        "deque",
        "Counter",
        "OrderedDict",
        "WeakValueDictionary",
        "WeakKeyDictionary",
    }
)
#: Tables that nothing writes to are constants; their names say so.
_CONSTANT = re.compile(r"_?[A-Z][A-Z0-9_]*\Z")
_WRITING = frozenset(
    {
        "append",
        "extend",
        "insert",
        "update",
        "add",
        "pop",
        "popitem",
        "clear",
        "remove",
        "discard",
        "setdefault",
        "sort",
    }
)


def assigned(tree: ast.Module) -> list[tuple[str, ast.expr]]:
    """Names of the module and what they are bound to."""
    found: list[tuple[str, ast.expr]] = []
    for node in tree.body:
        if isinstance(node, ast.Assign):
            found += ((t.id, node.value) for t in node.targets if isinstance(t, ast.Name))
        elif isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name) and node.value is not None:
            found.append((node.target.id, node.value))
    return found


def changing(value: ast.expr) -> bool:
    if isinstance(value, ast.Call):
        name = (
            value.func.id
            if isinstance(value.func, ast.Name)
            else value.func.attr
            if isinstance(value.func, ast.Attribute)
            else ""
        )
        return name in _CONSTRUCTORS
    return isinstance(value, _CHANGING)


def kept(tree: ast.Module) -> Iterator[str]:
    """What a module keeps or writes to after it is made."""
    names = {name for name, value in assigned(tree) if changing(value)} - {"__all__"}
    yield from (f"{name}: a constant has a name in capitals" for name in names if not _CONSTANT.match(name))
    for node in ast.walk(tree):
        if isinstance(node, ast.Global):
            yield f"line {node.lineno}: global"
        elif (
            isinstance(node, ast.Call)
            and isinstance(node.func, ast.Attribute)
            and isinstance(node.func.value, ast.Name)
            and node.func.value.id in names
            and node.func.attr in _WRITING
        ):
            yield f"line {node.lineno}: {node.func.value.id} is written to"
        elif isinstance(node, ast.Assign | ast.AugAssign | ast.Delete):
            targets = node.targets if isinstance(node, ast.Assign | ast.Delete) else [node.target]
            written = {t.value.id for t in targets if isinstance(t, ast.Subscript) and isinstance(t.value, ast.Name)}
            yield from (f"line {node.lineno}: {name} is written to" for name in written & names)


def test_no_module_keeps_state():
    assert [(str(path.relative_to(REPOSITORY)), why) for path, tree in source_trees() for why in kept(tree)] == []


def test_what_counts_as_state():
    text = "found = {}\nFOUND = []\ndef f():\n    global g\n    FOUND.append(1)\n    FOUND[0] = 2\n"
    assert sorted(kept(ast.parse(text))) == [
        "found: a constant has a name in capitals",
        "line 4: global",
        "line 5: FOUND is written to",
        "line 6: FOUND is written to",
    ]


# Imports


HEAVY = ("httpx", "pydantic", "ruamel", "pygls", "lsprotocol", "asyncio")


def imported_by(statement: str) -> set[str]:
    """Every module that a fresh Python has after `statement`."""
    code = f"import sys\n{statement}\nprint('\\n'.join(sys.modules))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return set(done.stdout.split())


@pytest.mark.parametrize("statement", ["import rubric_core.analysis", "import rubric_core.cli.check_command"])
def test_checking_imports_nothing_heavy(statement):
    assert not imported_by(statement) & set(HEAVY)


def test_the_server_starts_light():
    """What its protocol is made of, and nothing heavy besides."""
    assert imported_by("import rubric_lsp.server") & set(HEAVY) == {"pygls", "lsprotocol", "asyncio"}


def test_the_server_imports_no_more_until_it_publishes(tmp_path):
    """Results, runs and the other features come later: what is listed comes before the first diagnostics, and is not heavy."""
    code = """
    import asyncio, sys
    from rubric_lsp.routes import make_server
    from pathlib import Path

    class Sink:
        def write(self, data): pass
        def close(self): pass

    async def serve():
        server = make_server()
        published = asyncio.get_running_loop().create_future()
        server.protocol.opened(Sink())
        server.protocol.tell = lambda method, params: method.endswith("publishDiagnostics") and published.set_result(set(sys.modules))
        uri = Path("a.eval.yaml").absolute().as_uri()
        send = lambda **message: server.protocol.receive({"jsonrpc": "2.0", **message})
        send(id=1, method="initialize", params={"capabilities": {}})
        send(method="initialized", params={})
        text = "name: a\\ntests:\\n  - id: b\\n    input: c\\n    bogus: 1\\n"
        send(method="textDocument/didOpen", params={"textDocument": {"uri": uri, "languageId": "yaml", "version": 1, "text": text}})
        print("\\n".join(await published))
        await server.closed()

    asyncio.run(serve())
    """
    done = subprocess.run(
        [sys.executable, "-c", dedent(code)], cwd=tmp_path, capture_output=True, text=True, check=True, timeout=60
    )
    loaded = set(done.stdout.split())
    assert "rubric_lsp.features.diagnostics" in loaded
    late = (
        "rubric_core.evaluation", "rubric_core.migration", "rubric_core.js_regex", "rubric_core.formatting",
        "rubric_lsp.features.completion", "rubric_lsp.features.hover",
    )  # fmt: skip
    assert sorted(m for m in loaded if m.startswith(late)) == []
    assert not loaded & {"httpx", "pydantic", "ruamel", "jinja2", "importlib.metadata", "importlib.resources", "email"}


def test_the_package_itself_is_light():
    assert not imported_by("import rubric_core") & {*HEAVY, "yaml"}


def test_public_names_exist():
    for package in (rubric_core, rubric_core.evaluation):
        assert all(hasattr(package, name) for name in package.__all__)
        assert len(set(package.__all__)) == len(package.__all__)
    assert rubric_core.__version__
    assert {name for name in rubric_core.evaluation.__all__ if name[0].isupper()} - set(rubric_core.__all__) == {
        "Mark",  # how editors show a result
    }


def test_public_names_say_what_they_are():
    """With `help`: an alias says it in a comment where it is made."""
    aliases = {
        "EVALUATOR_KINDS",
        "EvaluatorConfig",
        "EvaluatorKind",
        "Event",
        "Judge",
        "JudgeResolver",
        "Listener",
        "Reply",
    }
    for name in set(rubric_core.__all__) - aliases:
        found = getattr(rubric_core, name)
        assert found.__doc__, name
        assert not re.match(rf"{name}\(", found.__doc__), f"{name}: what dataclasses write for themselves"
        for method, value in vars(found).items() if isinstance(found, type) else ():
            if isfunction(value) and value.__name__ == method and not method.startswith("_"):
                assert value.__doc__, f"{name}.{method}"


# Files


def test_a_readme_says_what_this_is():
    text = (REPOSITORY / "README.md").read_text(encoding="utf-8")
    assert text.startswith("# ")


def test_every_module_says_what_it_is():
    assert [str(path.relative_to(REPOSITORY)) for path, tree in source_trees() if not ast.get_docstring(tree)] == []


def test_docstrings_name_exceptions_that_exist():
    """`Raises NameError`: a class of ours, of Python, or one that the module imports."""
    ours = {node.name for _, tree in source_trees() for node in ast.walk(tree) if isinstance(node, ast.ClassDef)}
    known = {*ours, *dir(builtins), "UsageError"}
    unknown = []
    for path, tree in source_trees():
        nodes = list(ast.walk(tree))
        documented = (
            n for n in nodes if isinstance(n, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef | ast.Module)
        )
        texts = [text for node in documented if "Raises" in (text := ast.get_docstring(node, clean=False) or "")]
        raised = [each for text in texts for each in re.findall(r"\bRaises\s([^.;:]*)", text)]
        named = {word for each in raised for word in re.findall(r"(?<!\.)\b[A-Z]\w+Error\b", each)} - known
        imports = (node for node in nodes if isinstance(node, ast.Import | ast.ImportFrom))
        imported = {name.asname or name.name for node in imports for name in node.names} if named else set()
        unknown += [(path.name, word) for word in named - imported]
    assert not unknown


def test_the_map_of_the_code_names_modules_that_exist():
    """docs/architecture.md, `PATH.py`; `x.py` stands for a new module."""
    modules = [
        f"/{path.relative_to(REPOSITORY).as_posix()}" for path in [*MODULES, *(REPOSITORY / "tests").rglob("*.py")]
    ]
    named = re.findall(r"`([\w/]+\.py)`", (REPOSITORY / "docs/architecture.md").read_text(encoding="utf-8"))
    assert len(named) > 50
    assert not [
        each
        for each in named
        if not each.endswith("/x.py") and not any(module.endswith(f"/{each}") for module in modules)
    ]


def tracked_texts() -> Iterator[tuple[str, str]]:
    listed = subprocess.run(
        ["git", "ls-files", "-z"], cwd=REPOSITORY, capture_output=True, text=True, check=False
    ).stdout
    for name in filter(None, listed.split("\0")):
        path = REPOSITORY / name
        if path.suffix in (".py", ".md", ".toml", ".yaml", ".lua", ".ts", ".json") and path.is_file():
            yield name, path.read_text(encoding="utf-8", errors="replace")


def test_nothing_names_the_machine_it_was_made_on():
    homes = re.compile(r"/(?:home|Users)/\w+/|\bC:\\\\Users\\\\\w+")
    assert [name for name, text in tracked_texts() if homes.search(text)] == []


def test_nothing_cites_an_issue_or_a_document_by_its_number() -> None:
    """A reason is stated, or the page on requirements is linked: nobody who reads the code has the list of issues."""
    cited = re.compile(r"\b(?:issue|ticket)s? \d+|\(#\d+\)|\bdocuments? 0\d\d\b|\bREQ-[A-Z]+-\d", re.IGNORECASE)
    scenarios = (
        "docs/requirements.md",
        "tests/requirements.py",
        "tests/evaluation/test_document_",
        "tests/core/documents/",
    )
    assert [
        (name, found[0])
        for name, text in tracked_texts()
        if not name.startswith(scenarios) and (found := cited.search(text))
    ] == []


def test_every_sentence_for_a_person_goes_through_one_function() -> None:
    """What a dialog or a message shows has no links and no characters that act."""
    sends = [path for path in MODULES if re.search(r'"window/showMessage', path.read_text("utf-8"))]
    assert len(sends) >= 3
    assert [path.name for path in sends if "notice(" not in path.read_text("utf-8")] == []


def test_characters_that_act_are_listed_once() -> None:
    """Whoever shows texts of others asks `control_characters`; the syntax has its own list of what YAML allows."""
    listing = [
        path.name
        for path in MODULES
        if re.search(r"\\u202[a-e]|\\x9f", path.read_text("utf-8")) and "syntax" not in path.parts
    ]
    assert listing == ["control_characters.py"]


# Words


#: What speaks to somebody at a command line, or makes pages.
_OF_COMMAND_LINES = (
    "rubric_core/cli",
    "rubric_core/families/promptfoo/commands",
    "rubric_core/pytest_plugin",
    "rubric_core/language",
    "rubric_core/families/promptfoo/language",
)
#: A comment in the file of recordings, which people open beside a command line.
_HEADER = "Made by `rubric run --record`"


def test_no_message_tells_who_calls_from_python_an_option_of_the_command_line():
    """They have `Options`, and editors have neither."""
    parser = make_parser(None)
    commands = [parser, *parser.commands.choices.values()]
    options = {name for command in commands for name in command.options if name.startswith("--")} - {"--help"}
    known = re.compile(rf"(?<![\w-])(?:{'|'.join(sorted(map(re.escape, options)))})(?![\w-])")
    found = [
        f"{path.relative_to(REPOSITORY)}:{node.lineno}: {node.value[:100]!r}"
        for path, tree in source_trees()
        if path.is_relative_to(REPOSITORY / "rubric_core")
        and not path.relative_to(REPOSITORY).as_posix().startswith(_OF_COMMAND_LINES)
        for node in _messages(tree)
        if known.search(node.value) and _HEADER not in node.value
    ]
    assert found == []


def _messages(tree: ast.Module) -> Iterator[ast.Constant]:
    """The texts of several words that are no docstrings."""
    documented = {
        id(node.body[0].value)
        for node in ast.walk(tree)
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef)
        and node.body
        and isinstance(node.body[0], ast.Expr)
    }
    texts = (node for node in ast.walk(tree) if isinstance(node, ast.Constant) and isinstance(node.value, str))
    yield from (node for node in texts if " " in node.value.strip() and id(node) not in documented)
