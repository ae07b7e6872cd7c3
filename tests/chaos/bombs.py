"""Templates and patterns that never end, want everything or want out: a case is unscored in bounded time, and the server lives on."""

import json
from pathlib import Path

from client import VSCODE, Client

from .processes import limited_memory, rubric, sound, suite_folder
from .tally import Setting, Tally

__all__ = ["run"]

_TEMPLATES = {
    "nested loops": "{% for i in range(99999) %}{% for j in range(99999) %}{% endfor %}{% endfor %}", "range(10**9)": "{% for i in range(10**9) %}{% endfor %}",
    "text * 10**9": "{{ q * 1000000000 }}", "center": "{{ q.center(1000000000) }}", "width": "{{ '%999999999s' | format(q) }}", "power": "{{ 9 ** 9 ** 9 }}",
    "endless macro": "{% macro m() %}{{ m() }}{{ m() }}{% endmacro %}{{ m() }}", "indent": "{{ q | indent(999999999) }}", "lipsum": "{{ lipsum(n=100000, html=false) }}",
    "doubling": "{% set ns = namespace(x='ab') %}{% for i in range(40) %}{% set ns.x = ns.x ~ ns.x %}{% endfor %}{{ ns.x }}",
    "join": "{{ range(99999) | map('string') | join(q * 99999) }}", "deep": "{{ " + "(" * 5000 + "q" + ")" * 5000 + " }}", "many ifs": "{% if q %}" * 800 + "x" + "{% endif %}" * 800,
}  # fmt: skip
_ESCAPES = {
    "class": "{{ ''.__class__.__mro__[1].__subclasses__() }}", "attr": "{{ ''|attr('__class__') }}", "cycler": "{{ cycler.__init__.__globals__.os.popen('touch PWNED').read() }}",
    "joiner": "{{ joiner.__init__.__globals__ }}", "str.format": "{{ '{0.__class__.__mro__}'.format(q) }}", "env attributes": "{{ env._environment }}{{ env | dump }}",
    "env keys": "{{ env.keys() | list }}{% for k in env %}{{ k }}{% endfor %}", "map attribute": "{{ [q]|map(attribute='__class__')|list }}", "import": "{% import 'os' as o %}{{ o }}",
    "include": "{% include '/etc/passwd' %}", "extends": "{% extends '/etc/passwd' %}", "self": "{{ self._TemplateReference__context }}", "debug": "{% debug %}",
    "frames": "{% set g = (1,2)|map('string') %}{{ g.gi_frame }}", "globals": "{{ namespace.__init__.__globals__ }}{{ lipsum.__globals__ }}",
}  # fmt: skip
_PATTERNS = {
    "a?" * 31 + "a" * 31: "a" * 31 + "b",
    "(a+)+$": "a" * 60 + "b",
    "(.*)*x$": "y" * 200,
    "^(([a-z])+.)+[A-Z]([a-z])+$": "a" * 200,
}
#: As JavaScript has it, a large power is infinite.
_FINITE = {*_ESCAPES, "power"}
_OUT = ("<class", "root:x:0", "builtins", "a-secret-value", "<module 'os'")


def run(setting: Setting, tally: Tally) -> None:
    """Templates, ways out, patterns; then one of them in the server."""
    for name, template in {**setting.some(_TEMPLATES, 1), **setting.some(_ESCAPES, 1)}.items():
        tally.count("templates")
        folder = _folder(setting.folder / f"t-{name.replace('/', '-')}", template)
        ended = rubric(
            folder, "run", "s.eval.yaml", environment={"SECRET": "a-secret-value"}, before=limited_memory(4 << 30)
        )
        sound(tally, f"template, {name}", ended)
        stored = "".join(p.read_text(encoding="utf-8", errors="replace") for p in folder.rglob("*.json*"))
        told = [words for words in _OUT if words in ended.said + stored]
        tally.expect(not told, f"template, {name}: tells {told}")
        tally.expect(not list(folder.rglob("PWNED")), f"template, {name}: a program ran")
        tally.expect(
            ended.code in (0, 1, 3) and (ended.code == 3 or name in _FINITE), f"template, {name}: exit {ended.code}"
        )
    for pattern, text in setting.some(_PATTERNS, 1).items():
        tally.count("patterns")
        suite = f"tests:\n  - id: a\n    input: hi\n    criteria: x\n    assertions: [{{type: regex, value: {json.dumps(pattern)}}}]\n"
        target = {"name": "default", "provider": "mock", "response": text}
        ended = rubric(suite_folder(setting.folder / "pattern", suite, target), "run", "s.eval.yaml")
        sound(tally, f"pattern {pattern[:20]}", ended)
        tally.expect(ended.code in (0, 1, 3), f"pattern {pattern[:20]}: exit {ended.code}: {ended.said[-300:]}")
    for name, template in setting.some(_TEMPLATES, 1).items():
        _in_the_server(_folder(setting.folder / "server", template), tally, name)


def _folder(folder: Path, template: str) -> Path:
    suite = (
        f"# rubric: dialect=agentv-5\nname: x\nproviders: [mocked]\nprompts: [{json.dumps(template)}]\n"
        "tests:\n  - id: a\n    vars: {q: hi}\n    assert: [{type: contains, value: hello}]\n"
    )
    suite_folder(folder, suite)
    (folder / ".agentv/targets.yaml").unlink()
    (folder / ".agentv/providers.yaml").write_text(
        "providers: [{id: mock, label: mocked, config: {response: hello}}]\n"
    )
    return folder


def _in_the_server(folder: Path, tally: Tally, name: str) -> None:
    """A run of it in a trusted folder: others are answered meanwhile, and the run can be cancelled."""
    client = Client(cwd=folder, state=folder / ".state")
    try:
        client.initialize(VSCODE, folder, initializationOptions={"trusted": True})
        uri = (folder / "s.eval.yaml").as_uri()
        client.open(uri, (folder / "s.eval.yaml").read_text(encoding="utf-8"))
        client.start("workspace/executeCommand", {"command": "rubric.runFile", "arguments": [uri]})
        for _ in range(20):
            client.answer(client.start("workspace/symbol", {"query": "x"}), 60)
        client.answer(
            client.start(
                "textDocument/hover", {"textDocument": {"uri": uri}, "position": {"line": 3, "character": 14}}
            ),
            60,
        )
        tally.count("answers meanwhile", 21)
    except AssertionError as error:
        tally.fault(f"template in the server, {name}: {str(error)[-400:]}")
    finally:
        client.close()
