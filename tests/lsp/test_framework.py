"""The attrs classes of lsprotocol, which the server leaves unmade until somebody uses one. Each test has a fresh Python."""

import ast
import json
import subprocess
import sys
from pathlib import Path
from textwrap import dedent

import rubric_lsp

#: How many classes of lsprotocol attrs has made.
MADE = """
def made():
    from lsprotocol import types
    return [n for n, c in vars(types).items() if isinstance(c, type) and isinstance(vars(c).get("__attrs_attrs__"), tuple)]
"""
#: What a class is to whoever uses it.
SHAPES = """
import attrs, inspect, json, re
from lsprotocol import types
def shape(cls):
    fields = [(a.name, repr(a.type), repr(a.default), repr(a.validator), repr(a.converter), a.kw_only, a.init, a.eq, a.repr) for a in attrs.fields(cls)]
    own = sorted(n for n in ("__eq__", "__repr__", "__hash__", "__init__", "__lt__", "__ge__", "__setattr__") if n in vars(cls))
    return [cls.__mro__[1].__name__, cls.__match_args__, str(inspect.signature(cls)), cls.__hash__ is None, own, fields]
found = {n: shape(c) for n, c in vars(types).items() if isinstance(c, type) and attrs.has(c)}
print(re.sub(" at 0x[0-9a-f]+", "", json.dumps(found)))
"""


def ran(code: str) -> str:
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


def test_a_server_makes_the_one_it_announces_itself_with():
    assert ran(f"{MADE}\nfrom rubric_lsp.routes import make_server\nmake_server()\nprint(made())") == "['ServerInfo']"


def test_only_a_class_in_use_is_made():
    code = """
    import attrs, rubric_lsp.protocol.pygls_server
    from lsprotocol import types
    here = types.Position(line=1, character=2)
    assert isinstance(here, types.Position) and here == types.Position(1, 2) != types.Position(1, 3)
    assert here < types.Position(2, 0) and repr(here) == "1:2"
    assert attrs.has(types.Range) and [a.name for a in attrs.fields(types.Range)] == ["start", "end"]
    print(made())
    """
    assert ran(MADE + dedent(code)) == "['Range', 'Position']"


def test_a_class_made_late_equals_one_made_at_once():
    at_once, late = ran(SHAPES), ran(f"import rubric_lsp.protocol.pygls_server\n{SHAPES}")
    assert len(json.loads(at_once)) > 500
    assert json.loads(late) == json.loads(at_once)


def test_late_classes_validate_and_know_their_arguments():
    code = """
    import rubric_lsp.protocol.pygls_server
    from lsprotocol import types
    for wrong, error in ((lambda: types.Position(line=-1, character=0), ValueError), (lambda: types.Position(), TypeError)):
        try: wrong()
        except error: continue
        raise SystemExit(1)
    class Marked(types.Location): pass
    place = Marked("file:///a", types.Range(types.Position(0, 0), types.Position(0, 1)))
    match place:
        case types.Location(uri, types.Range()): print(uri)
    """
    assert ran(dedent(code)) == "file:///a"


def test_pygls_converter_works_with_late_classes():
    code = """
    import rubric_lsp.protocol.pygls_server
    from lsprotocol import types
    from pygls.protocol import default_converter
    converter = default_converter()
    plain = {"textDocument": {"uri": "file:///a", "version": 3}, "contentChanges": [{"text": "b"}]}
    params = converter.structure(plain, types.DidChangeTextDocumentParams)
    assert params.content_changes == (types.TextDocumentContentChangeWholeDocument(text="b"),)
    print(converter.unstructure(params) == plain)
    """
    assert ran(dedent(code)) == "True"


def test_typed_features_of_pygls_work_in_the_server():
    code = """
    from rubric_lsp.routes import make_server
    from lsprotocol import types
    server = make_server()
    @server.feature(types.TEXT_DOCUMENT_DECLARATION, types.DeclarationOptions(work_done_progress=True))
    def declaration(params: types.DeclarationParams) -> types.Declaration: ...
    print(server.protocol.fm.feature_options[types.TEXT_DOCUMENT_DECLARATION])
    """
    assert ran(dedent(code)) == "DeclarationOptions(work_done_progress=True)"


def test_methods_of_pygls_that_would_send_wrong_names_fail_at_once():
    code = """
    from rubric_lsp.routes import make_server
    from lsprotocol import types
    server = make_server()
    for send in (lambda: server.window_log_message(types.LogMessageParams(types.MessageType.Log, "a")),
                 lambda: server.workspace_code_lens_refresh(None), lambda: server.workspace):
        try: send()
        except RuntimeError as error: print(error)
    """
    tell = "messages are sent by `tell` and `ask`, as plain JSON\n"
    assert ran(dedent(code)) == tell + tell + "documents are in rubric_lsp.documents.open_documents"


def test_threads_that_meet_at_a_class_get_the_same_one():
    code = """
    import sys, threading
    import rubric_lsp.protocol.pygls_server
    from lsprotocol import types
    sys.setswitchinterval(1e-6)
    names, gate, wrong = sorted(vars(types)), threading.Barrier(4), []
    def use():
        gate.wait()
        for name in names:
            cls = getattr(types, name)
            if isinstance(cls, type) and hasattr(cls, "__attrs_attrs__"):
                try: cls(**{a.name: None for a in cls.__attrs_attrs__ if a.init and a.validator is None})
                except (TypeError, ValueError) as error:
                    if "required" not in str(error): wrong.append((name, str(error)))
    threads = [threading.Thread(target=use) for _ in range(4)]
    for t in threads: t.start()
    for t in threads: t.join()
    print(wrong)
    """
    assert ran(dedent(code)) == "[]"


def test_other_classes_are_made_at_once_meanwhile():
    code = """
    import attrs
    from rubric_lsp.protocol.pygls_server import deferred_classes
    real = attrs.define
    try:
        with deferred_classes("other"):
            @attrs.define
            class Mine:
                a: int = 1
            Mine.__module__ = "other"
            @attrs.define
            class Foreign(Mine):
                a: int = 2
            @attrs.define(frozen=True)
            class Frozen:
                a: int = 3
            raise KeyError
    except KeyError: pass
    print(attrs.define is real, Mine(), Foreign(), Frozen(), hasattr(Mine, "__slots__"))
    """
    assert ran(dedent(code)) == "True Mine(a=1) Foreign(a=2) Frozen(a=3) True"


def test_pygls_comes_from_one_place():
    """Imported elsewhere first, it would bring all of lsprotocol with it."""
    named = {
        path.name
        for path in Path(rubric_lsp.__file__).parent.rglob("*.py")
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        for module in imported(node)
        if module.split(".")[0] in ("pygls", "lsprotocol")
    }
    assert named == {"pygls_server.py"}


def imported(node: ast.AST) -> list[str]:
    if isinstance(node, ast.Import):
        return [alias.name for alias in node.names]
    return [node.module or ""] if isinstance(node, ast.ImportFrom) else []
