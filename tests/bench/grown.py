"""Structured texts that hold N of one thing: everything that the language has, in every dialect where it differs."""

from collections.abc import Callable, Iterator

__all__ = ["GROWN", "Grown"]

#: Gives the text with so many of a thing.
Grown = Callable[[int], str]

HEAD = "# rubric: dialect=agentv-3\nname: g\nexecution: {target: default}\ntests:\n"
HEAD_5 = "# rubric: dialect=agentv-5\nname: g\n"
#: A suite of an older dialect, with what its cases need.
OLD = {
    "agentv-0.1": "    outcome: ok\n    messages: [{role: user, content: hi}, {role: assistant, content: ho}]\n",
    "agentv-0.5": "    outcome: ok\n    input_messages: [{role: user, content: hi}]\n    expected_messages: [{role: assistant, content: ho}]\n",
    "agentv-1": "    expected_outcome: ok\n    input: hi\n",
    "agentv-2.7": "    criteria: ok\n    input: hi\n",
}
#: A configuration whose rows `bench_growth.py` runs.
PROMPTFOO = "prompts: ['Say {{word}}']\nproviders: [echo]\n"
CHECKS = "    assertions:\n"
RUBRIC = f"{CHECKS}      - type: rubrics\n        criteria:\n"
CRITERION = f"{RUBRIC}          - id: q\n            outcome: o\n            score_ranges:\n"
COMPOSITE = f"{CHECKS}      - type: composite\n        name: co\n        assertions:\n"
MOCK = "prompts: ['{{ q }}']\nproviders: [mock]\n"


def case(number: int, more: str = "", said: str = "ok", asked: str = "hi") -> str:
    return f"  - id: c{number}\n    criteria: {said}\n    input: {asked}\n{more}"


def many(piece: Callable[[int], str], between: str = "") -> Grown:
    return lambda n: between.join(map(piece, range(n)))


def one_case(piece: Callable[[int], str], front: str = "", behind: str = "") -> Grown:
    """N pieces in one case."""
    return lambda n: HEAD + case(0, front + "".join(map(piece, range(n))) + behind)


def cases(more: Callable[[int], str] = lambda _: "", head: str = HEAD, **parts: str) -> Grown:
    """N cases, each with more in it."""
    return lambda n: head + "".join(case(i, more(i), **parts) for i in range(n))


def old(dialect: str, more: Callable[[int], str] = lambda _: "") -> Grown:
    key = "testcases" if dialect == "agentv-0.1" else "tests" if dialect == "agentv-2.7" else "evalcases"
    head = f"# rubric: dialect={dialect}\n{key}:\n"
    return lambda n: head + "".join(f"  - id: c{i}\n{OLD[dialect]}{more(i)}" for i in range(n))


def band(low: int, high: int, number: int) -> str:
    return f"              - {{score_range: [{low}, {high}], outcome: o{number}}}\n"


def several_lines(n: int, line: str) -> str:
    return HEAD + case(0, said="|\n" + line * n)


def in_5(cases_of: Callable[[int], str], front: str = MOCK) -> Grown:
    return lambda n: f"{HEAD_5}{front}tests:\n" + "".join(map(cases_of, range(n)))


def one_in_5(piece: Callable[[int], str], front: str) -> Grown:
    """N pieces in front of the cases of a suite of agentv-5."""
    return lambda n: HEAD_5 + front + "".join(map(piece, range(n))) + "tests:\n  - vars: {q: a}\n    assert: [x]\n"


#: By name and path.
def tested(number: int) -> str:
    """A test of promptfoo with a finding in each third one, which then stands beside thousands of tests."""
    kind = "contains" if number % 3 else "contians"
    return f"  - vars: {{word: w{number}}}\n    assert: [{{type: {kind}, value: w{number}}}, {{type: regex, value: '{{{{word}}}}'}}]\n"


GROWN: dict[tuple[str, str], Grown] = {}


def _suites() -> Iterator[tuple[str, Grown]]:  # noqa: PLR0915  # a table
    # Cases
    yield "cases", cases()
    yield "cases, CRLF", lambda n: cases()(n).replace("\n", "\r\n")
    yield "cases, not ASCII", cases(said="Grüße 😀 und Umlaute", asked="日本語 😀")
    yield "cases with one id", lambda n: HEAD + case(0) * n
    yield "cases without an id", lambda n: HEAD + "  - criteria: ok\n    input: hi\n" * n
    yield (
        "cases in flow",
        lambda n: "tests: [" + ", ".join(f"{{id: c{i}, criteria: ok, input: hi}}" for i in range(n)) + "]\n",
    )
    yield (
        "cases in JSON",
        lambda n: '{"tests":[' + ",\n".join(f'{{"id":"c{i}","criteria":"ok","input":"hi"}}' for i in range(n)) + "]}",
    )
    yield "bare list of cases", lambda n: "".join(case(i)[2:].replace("\n  ", "\n") for i in range(n))
    yield "strings among cases", lambda n: HEAD + "".join(f"  - cases-{i}.yaml\n" for i in range(n))
    yield "paths of cases", lambda n: HEAD + "".join(f"  - file://cases-{i}.yaml\n" for i in range(n))
    yield (
        "halves of cases",
        lambda n: HEAD + "".join(f"  - id: c{i}\n  - criteria: ok\n    input: hi\n" for i in range(n)),
    )
    yield (
        "cases with a wrong dash",
        lambda n: HEAD + "".join(case(i).replace("    input", "  - input") for i in range(n)),
    )
    yield "YAML documents", many(lambda i: HEAD + case(i), "---\n")
    for dialect in OLD:
        yield f"cases, {dialect}", old(dialect)
        yield f"unknown key in each case, {dialect}", old(dialect, lambda i: f"    zz{i}: 1\n")
    yield (
        "rubrics, agentv-1",
        lambda n: old(
            "agentv-1",
            lambda _: "    rubrics:\n" + "".join(f"      - {{id: r{i}, description: d}}\n" for i in range(n)),
        )(1),
    )
    # Keys
    yield "unknown keys of a suite", lambda n: "".join(f"zz{i}: 1\n" for i in range(n)) + HEAD + case(0)
    yield "unknown keys of a case", one_case(lambda i: f"    zz{i}: 1\n")
    yield (
        "unknown keys of an evaluator",
        one_case(lambda i: f"        zz{i}: 1\n", f"{CHECKS}      - type: contains\n        value: x\n"),
    )
    yield (
        "unknown keys of a criterion",
        one_case(lambda i: f"            zz{i}: 1\n", f"{RUBRIC}          - id: q\n            outcome: o\n"),
    )
    yield (
        "unknown keys of an execution",
        lambda n: HEAD.replace("}", "".join(f", zz{i}: 1" for i in range(n)) + "}") + case(0),
    )
    yield "misspelt keys of a case", one_case(lambda i: f"    inptu{i}: 1\n")
    yield "misspelt key in each case", lambda n: HEAD + "".join(case(i).replace("input", "inptu") for i in range(n))
    yield "foreign keys in each case", cases(lambda _: "    outcome: x\n    evaluators: []\n")
    yield "keys behind tabs", one_case(lambda i: f"\tk{i}: 1\n")
    yield "keys of metadata", one_case(lambda i: f"      k{i}: 1\n", "    metadata:\n")
    yield "duplicate keys", one_case(lambda _: "      k: 1\n", "    metadata:\n")
    yield "duplicate keys of a case", one_case(lambda _: "    conversation_id: a\n")
    yield "keys that are no words", one_case(lambda i: f"    [a{i}]: 1\n")
    yield "keys without a value", one_case(lambda i: f"    k{i}\n")
    yield "keys in a wrong column", one_case(lambda i: f"     k{i}: 1\n    l{i}: 1\n")
    yield "case without a key, misspelt", lambda n: HEAD + "  - id: c\n    critera: ok\n    inputt: hi\n" * n
    # Evaluators
    for name, types in {"kept": "contains", "unknown": "zzyx", "misspelt": "contians", "renamed": "llm_judge"}.items():
        yield (
            f"evaluators of {name} types",
            one_case(lambda i, t=types: f"      - {{name: a{i}, type: {t}, value: x, prompt: p}}\n", CHECKS),
        )
    yield "evaluators with one name", one_case(lambda _: "      - {name: a, type: contains, value: x}\n", CHECKS)
    yield "evaluators without a key", one_case(lambda _: "      - {type: contains}\n", CHECKS)
    yield "evaluators in sentences", one_case(lambda i: f"      - Says {i} things\n", CHECKS)
    yield (
        "evaluators of a suite",
        lambda n: (
            HEAD.replace(
                "tests:",
                "assertions:\n"
                + "".join(f"  - {{name: a{i}, type: contains, value: x}}\n" for i in range(n))
                + "tests:",
            )
            + case(0)
        ),
    )
    yield "evaluators in each case", cases(lambda _: CHECKS + "      - {type: contains, value: x}\n      - Is brief\n")
    yield "wrong weights", one_case(lambda _: "      - {type: contains, value: x, weight: -1}\n", CHECKS)
    yield (
        "wrong values",
        one_case(lambda _: "      - {type: contains, value: x, required: maybe, weight: much}\n", CHECKS),
    )
    yield "broken patterns", one_case(lambda _: "      - {type: regex, value: '(a'}\n", CHECKS)
    yield (
        "values to choose from",
        one_case(lambda i: f"          - v{i}\n", f"{CHECKS}      - type: contains-any\n        value:\n"),
    )
    yield (
        "fields",
        one_case(
            lambda i: f"          - {{path: a{i}, match: exact}}\n",
            f"{CHECKS}      - type: field-accuracy\n        fields:\n",
        ),
    )
    yield (
        "expected calls",
        one_case(
            lambda i: f"          - {{tool: t{i}, args: any}}\n",
            f"{CHECKS}      - type: tool-trajectory\n        mode: in_order\n        expected:\n",
        ),
    )
    yield (
        "minimums of calls",
        one_case(
            lambda i: f"          t{i}: 1\n",
            f"{CHECKS}      - type: tool-trajectory\n        mode: any_order\n        minimums:\n",
        ),
    )
    yield "includes of templates", one_case(lambda i: f"      - include: t{i}\n", CHECKS)
    yield (
        "nested composites",
        lambda n: (
            HEAD
            + case(
                0,
                CHECKS
                + "".join(
                    f"{'  ' * (2 * i + 3)}- type: composite\n{'  ' * (2 * i + 3)}  name: n{i}\n{'  ' * (2 * i + 3)}  assertions:\n"
                    for i in range(min(n, 60))
                ),
            )
        ),
    )
    yield (
        "members of a composite",
        one_case(
            lambda i: f"          - {{name: m{i}, type: contains, value: a}}\n",
            COMPOSITE,
            "        aggregator: {type: weighted_average, weights: {m0: 1}}\n",
        ),
    )
    yield (
        "weights of unknown members",
        lambda n: (
            HEAD
            + case(
                0,
                COMPOSITE
                + "".join(f"          - {{name: m{i}, type: contains, value: a}}\n" for i in range(n))
                + "        aggregator:\n          type: weighted_average\n          weights: {"
                + ", ".join(f"x{i}: 1" for i in range(n))
                + "}\n",
            )
        ),
    )
    # Rubrics
    yield "criteria", one_case(lambda i: f"          - {{id: q{i}, outcome: o {i}}}\n", RUBRIC)
    yield (
        "criteria with gates and bands",
        one_case(
            lambda i: f"          - {{id: q{i}, outcome: o {i}, min_score: 7, score_ranges: {{0: a, 5: b}}}}\n", RUBRIC
        ),
    )
    yield (
        "criteria with gates out of range",
        one_case(lambda i: f"          - {{id: q{i}, outcome: o {i}, required_min_score: 70}}\n", RUBRIC),
    )
    yield "criteria with one id", one_case(lambda i: f"          - {{id: q, outcome: o {i}}}\n", RUBRIC)
    yield "criteria with one text", one_case(lambda i: f"          - {{id: q{i}, outcome: the same}}\n", RUBRIC)
    yield "criteria without an id", one_case(lambda i: f"          - outcome: o {i}\n", RUBRIC)
    yield "criteria without a text", one_case(lambda i: f"          - id: q{i}\n", RUBRIC)
    yield "criteria in sentences", one_case(lambda i: f"          - Says {i} things and {i} others\n", RUBRIC)
    yield "criteria without weight", one_case(lambda i: f"          - {{id: q{i}, outcome: o, weight: 0}}\n", RUBRIC)
    yield "rubrics in each case", cases(lambda _: CRITERION + "              0: bad\n              5: good\n")
    yield "bands, overlapping", one_case(lambda i: band(0, 10, i), CRITERION)
    yield "bands, one after another", one_case(lambda i: band(i, i, i), CRITERION)
    yield "bands, overlapping their neighbours", one_case(lambda i: band(i, i + 1, i), CRITERION)
    yield "bands, gapped", one_case(lambda i: band(3 * i, 3 * i + 1, i), CRITERION)
    yield "bands, unsorted", one_case(lambda i: band(i * 7 % 11, i * 7 % 11, i), CRITERION)
    yield "bands, reversed", one_case(lambda i: band(9, 1, i), CRITERION)
    yield "bands, identical texts", one_case(lambda i: band(i % 11, i % 11, 0), CRITERION)
    yield "bands, malformed", one_case(lambda i: f"              - {{score_range: [x, {i}], outcome: o}}\n", CRITERION)
    yield "bands, without a text", one_case(lambda i: f"              - {{score_range: [{i}, {i}]}}\n", CRITERION)
    yield (
        "bands, words",
        one_case(lambda i: f"              - {{score_range: {i}-{i + 1}, outcome: o{i}}}\n", CRITERION),
    )
    yield "bands in a map", one_case(lambda i: f"              {i}: o{i}\n", CRITERION)
    yield "bands in a map, reversed", one_case(lambda i: f"              {9999 - i}: o{i}\n", CRITERION)
    yield "bands in a map of ranges", one_case(lambda i: f"              {i}-{i + 1}: o{i}\n", CRITERION)
    yield "bands in a map of words", one_case(lambda i: f"              w{i}: o{i}\n", CRITERION)
    yield "bands in a map, hundreds", one_case(lambda i: f"              {i / 1000}: o{i}\n", CRITERION)
    # Between cases
    yield "dependency chain", cases(lambda i: f"    depends_on: [c{i - 1}]\n" if i else "")
    yield (
        "dependency circle",
        lambda n: HEAD + "".join(case(i, f"    depends_on: [c{(i + 1) % n}]\n") for i in range(n)),
    )
    yield (
        "dependencies on all",
        lambda n: cases()(n) + case(n, f"    depends_on: [{', '.join(f'c{j}' for j in range(n))}]\n"),
    )
    yield (
        "dependencies on unknown ids",
        lambda n: cases()(n) + case(n, f"    depends_on: [{', '.join(f'x{j}' for j in range(n))}]\n"),
    )
    yield "dependency on an unknown id in each case", cases(lambda i: f"    depends_on: [parcel-{i}]\n")
    yield (
        "dependencies on misspelt ids",
        lambda n: (
            HEAD
            + "".join(
                case(i, f"    depends_on: [parcle-{i}]\n").replace(f": c{i}\n", f": parcel-{i}\n") for i in range(n)
            )
        ),
    )
    yield (
        "anchor of each case used in the next",
        cases(lambda i: f"    metadata: &m{i} " + (f"{{b: *m{i - 1}}}\n" if i else "{a: 1}\n")),
    )
    yield (
        "anchor of the first case used in each",
        cases(lambda i: "    metadata: *m\n" if i else "    metadata: &m {a: 1}\n"),
    )
    yield (
        "one anchor redefined in each case",
        cases(lambda i: "    metadata: &m {b: *m}\n" if i else "    metadata: &m {a: 1}\n"),
    )
    yield (
        "anchors of all cases used in the last",
        lambda n: (
            cases(lambda i: f"    metadata: &m{i} {{a: 1}}\n")(n)
            + case(n, "    metadata:\n" + "".join(f"      k{i}: *m{i}\n" for i in range(n)))
        ),
    )
    yield "aliases of unknown anchors", cases(lambda i: f"    metadata: *x{i}\n")
    yield "aliases of unknown anchors in a case", one_case(lambda i: f"      k{i}: *x{i}\n", "    metadata:\n")
    yield (
        "aliases of misspelt anchors in a case",
        one_case(lambda i: f"      k{i}: &anchor{i} 1\n      l{i}: *anchr{i}\n", "    metadata:\n"),
    )
    yield (
        "anchors and aliases in a case",
        one_case(lambda i: f"      k{i}: &x{i} 1\n      l{i}: *x{i}\n", "    metadata:\n"),
    )
    yield (
        "merge chain over cases",
        lambda n: (
            HEAD
            + "".join(
                f"  - &c{i}\n    <<: *c{i - 1}\n    id: c{i}\n"
                if i
                else f"  - &c0\n{case(0)[4:].replace('id', '    id', 1)}"
                for i in range(n)
            )
        ),
    )
    yield (
        "merges of the first case",
        lambda n: (
            HEAD
            + "  - &c\n    criteria: ok\n    input: hi\n    id: c\n"
            + "".join(f"  - {{<<: *c, id: c{i}}}\n" for i in range(n))
        ),
    )
    yield (
        "merges of an anchor of the suite",
        lambda n: (
            "x: &c\n  criteria: ok\n  input: hi\n" + HEAD + "".join(f"  - {{<<: *c, id: c{i}}}\n" for i in range(n))
        ),
    )
    yield (
        "merge chain in a case",
        one_case(
            lambda i: f"      m{i}: &m{i}\n        <<: *m{i - 1}\n        k{i}: 1\n" if i else "      m0: &m0 {a: 1}\n",
            "    metadata:\n",
        ),
    )
    yield "merges in one mapping", one_case(lambda i: f"      a{i}: &a{i} {{k{i}: 1}}\n", "    metadata:\n", "")
    yield (
        "list of merges",
        lambda n: (
            HEAD
            + case(
                0,
                "    metadata:\n"
                + "".join(f"      a{i}: &a{i} {{k{i}: 1}}\n" for i in range(n))
                + f"      all: {{<<: [{', '.join(f'*a{i}' for i in range(n))}]}}\n",
            )
        ),
    )
    # Texts
    yield "template variables", lambda n: HEAD + case(0, asked='"' + " ".join(f"{{{{v{i}}}}}" for i in range(n)) + '"')
    yield (
        "judge's variables",
        lambda n: (
            HEAD
            + case(
                0,
                CHECKS + '      - {type: llm-grader, prompt: "' + " ".join(f"{{{{v{i}}}}}" for i in range(n)) + '"}\n',
            )
        ),
    )
    yield "long line", lambda n: HEAD + case(0, asked="x " * 10 * n)
    yield "long quoted line", lambda n: HEAD + case(0, asked='"' + "x\\n" * 10 * n + '"')
    yield "long block of text", lambda n: several_lines(n, "      some words in a line\n")
    yield "text of blank lines", lambda n: several_lines(n, "\n") + "      x\n"
    yield "text of markers", lambda n: several_lines(n, "      @[User]: [[ ## a ## ]] {{ x\n")
    yield "plain text of lines", lambda n: HEAD + case(0, asked="hi\n" + "      more words\n" * n)
    yield "plain text with colons", lambda n: HEAD + case(0, asked="hi\n" + "      word: more\n" * n)
    yield "brackets that do not close", lambda n: HEAD + case(0, "    metadata: " + "[" * n + "\n")
    yield "braces that do not close", lambda n: HEAD + case(0, "    metadata: " + "{a: " * n + "\n")
    yield "bracket that does not close in each case", cases(lambda _: "    metadata: [a, b\n")
    yield "brackets on many lines", lambda n: HEAD + case(0, "    metadata: [\n" + "      a,\n" * n + "    ]\n")
    yield "bracket that does not close, many lines", lambda n: HEAD + case(0, "    metadata: [\n" + "      a,\n" * n)
    yield "closing brackets", lambda n: HEAD + case(0, "    metadata: " + "]" * n + "\n")
    yield "deep flow", lambda n: HEAD + case(0, "    metadata: " + "[" * n + "]" * n + "\n")
    yield "deep flow mappings", lambda n: HEAD + case(0, "    metadata: " + "{a: " * n + "1" + "}" * n + "\n")
    yield (
        "deep block",
        lambda n: HEAD + case(0, "    metadata:\n" + "".join(f"{' ' * (6 + i)}k:\n" for i in range(min(n, 300)))),
    )
    yield "deep dashes", lambda n: HEAD + case(0, "    metadata:\n      " + "- " * n + "a\n")
    yield "unclosed quote in each case", cases(said='"ok')
    yield "unclosed quotes in a case", one_case(lambda i: f'      k{i}: "v\n', "    metadata:\n")
    yield "unclosed single quotes in a case", one_case(lambda i: f"      k{i}: 'v\n", "    metadata:\n")
    yield "unclosed quote, many lines", lambda n: HEAD + case(0, said='"ok') + "      more\n" * n
    yield "quotes in quotes", one_case(lambda i: f'      k{i}: "say "v" now"\n', "    metadata:\n")
    yield "wrong escapes", one_case(lambda i: f'      k{i}: "\\q \\w"\n', "    metadata:\n")
    yield "colons in values", one_case(lambda i: f"      k{i}: a: b\n", "    metadata:\n")
    yield "stray signs", one_case(lambda i: f"      k{i}: @v\n      l{i}: %v\n      m{i}: `v\n", "    metadata:\n")
    yield "wrong indents", one_case(lambda i: f"      k{i}: 1\n     l{i}: 1\n", "    metadata:\n")
    yield "tabs behind colons", one_case(lambda i: f"      k{i}:\t1\n", "    metadata:\n")
    yield "control characters", one_case(lambda i: f"      k{i}: a\x07b\n", "    metadata:\n")
    yield "comments", cases(lambda i: f"    # comment {i}\n")
    yield "comments in a row", lambda n: "# words\n" * n + HEAD + case(0)
    yield "comments behind values", cases(lambda i: f"    conversation_id: x  # comment {i}\n")
    yield "blank lines", lambda n: HEAD + case(0) + "\n" * n + case(1)
    yield "spaces at the ends", cases(lambda _: "    conversation_id: x   \n")
    yield "comments that ignore", cases(lambda _: "    bogus: 1 # rubric: ignore[unknown-key]\n")
    yield "comments that ignore nothing", cases(lambda _: "    # rubric: ignore[unknown-key]\n")
    yield "comments that ignore in a case", one_case(lambda i: f"    bogus{i}: 1 # rubric: ignore[unknown-key]\n")
    yield "tags of YAML", one_case(lambda i: f"      k{i}: !own v\n      l{i}: !!str 1\n", "    metadata:\n")
    yield (
        "conflict markers",
        lambda n: HEAD + "".join(f"<<<<<<< a\n{case(i)}=======\n{case(i)}>>>>>>> b\n" for i in range(n)),
    )
    # Cases with lists
    yield (
        "tags of a suite",
        lambda n: HEAD.replace("tests:", f"tags: [{', '.join(f't{i}' for i in range(n))}]\ntests:") + case(0),
    )
    yield "messages", one_case(lambda i: f"      - {{role: user, content: hi {i}}}\n", "    expected_output:\n")
    yield (
        "messages of wrong roles",
        one_case(lambda i: f"      - {{role: usr, content: hi {i}}}\n", "    expected_output:\n"),
    )
    yield (
        "contents of a message",
        lambda n: (
            HEAD
            + case(
                0,
                asked="\n      - role: user\n        content:\n"
                + "".join(f"          - {{type: text, value: v{i}}}\n" for i in range(n)),
            )
        ),
    )
    yield (
        "files of a message",
        lambda n: (
            HEAD
            + case(
                0,
                asked="\n      - role: user\n        content:\n"
                + "".join(f"          - {{type: file, value: ./v{i}.md}}\n" for i in range(n)),
            )
        ),
    )
    yield (
        "calls of tools",
        lambda n: (
            HEAD
            + case(
                0,
                "    expected_output:\n      - role: assistant\n        tool_calls:\n"
                + "".join(f"          - {{tool: t{i}, input: {{q: 1}}}}\n" for i in range(n)),
            )
        ),
    )
    yield (
        "turns",
        one_case(
            lambda i: f"      - input: hi {i}\n        assertions: [Says {i}]\n", "    mode: conversation\n    turns:\n"
        ),
    )
    yield "input files", one_case(lambda i: f"      - ./f{i}.md\n", "    input_files:\n")
    yield "metadata lists", one_case(lambda i: f"      - v{i}\n", "    metadata:\n     list:\n")
    yield (
        "hooks and repositories",
        lambda n: (
            HEAD.replace(
                "tests:",
                "workspace:\n  repos:\n"
                + "".join(f"    - {{path: ./p{i}, repo: https://x/y{i}.git, commit: a}}\n" for i in range(n))
                + "tests:",
            )
            + case(0)
        ),
    )
    yield (
        "targets of an execution",
        lambda n: HEAD.replace("{target: default}", f"{{targets: [{', '.join(f't{i}' for i in range(n))}]}}") + case(0),
    )
    yield "target of each case", cases(lambda i: f"    execution: {{target: t{i}}}\n")
    yield "preprocessors", one_case(lambda i: f"      - {{type: t{i}, command: [x]}}\n", "    preprocessors:\n")
    # agentv-5
    yield "cases, agentv-5", in_5(lambda i: f"  - vars: {{q: a{i}}}\n    assert: [Says {i}]\n")
    yield (
        "cases with ids, agentv-5",
        in_5(lambda i: f"  - id: c{i}\n    vars: {{q: a}}\n    assert:\n      - {{type: contains, value: x}}\n"),
    )
    yield "prompts", one_in_5(lambda i: f"  - 'Say {{{{ q }}}} {i} times'\n", "providers: [mock]\nprompts:\n")
    yield "prompts of files", one_in_5(lambda i: f"  - file://p{i}.md\n", "providers: [mock]\nprompts:\n")
    yield (
        "prompts with labels",
        one_in_5(lambda i: f"  - {{label: p{i}, raw: '{{{{ q }}}}'}}\n", "providers: [mock]\nprompts:\n"),
    )
    yield (
        "prompts of many cases",
        lambda n: in_5(
            lambda i: f"  - vars: {{q: a{i}}}\n    prompts: [p{i}]\n",
            "providers: [mock]\nprompts:\n" + "".join(f"  - {{label: p{i}, raw: '{{{{ q }}}}'}}\n" for i in range(n)),
        )(n),
    )
    yield (
        "variables of a prompt",
        lambda n: (
            HEAD_5
            + "providers: [mock]\nprompts: ['"
            + " ".join(f"{{{{ v{i} }}}}" for i in range(n))
            + "']\ntests:\n  - vars: {q: a}\n"
        ),
    )
    yield (
        "variables of a prompt in a case",
        lambda n: (
            HEAD_5
            + "providers: [mock]\nprompts: ['"
            + " ".join(f"{{{{ v{i} }}}}" for i in range(n))
            + "']\ntests:\n  - vars:\n"
            + "".join(f"      v{i}: 1\n" for i in range(n))
        ),
    )
    yield (
        "variables without a prompt",
        lambda n: in_5(lambda _: "  - vars:\n" + "".join(f"      v{i}: 1\n" for i in range(n)))(1),
    )
    yield (
        "variable of its own in each case",
        in_5(lambda i: f"  - vars: {{v{i}: 1, q: 1}}\n    assert: ['{{{{ v{i} }}}} {{{{ w{i} }}}}']\n"),
    )
    yield (
        "providers",
        one_in_5(lambda i: f"  - {{id: 'openai:m{i}', label: p{i}}}\n", "prompts: ['{{ q }}']\nproviders:\n"),
    )
    yield "providers in words", one_in_5(lambda i: f"  - openai:m{i}\n", "prompts: ['{{ q }}']\nproviders:\n")
    yield (
        "scenarios",
        one_in_5(
            lambda i: f"  - config: [{{vars: {{q: a{i}}}}}]\n    tests: [{{assert: [x]}}]\n", f"{MOCK}scenarios:\n"
        ),
    )
    yield (
        "configurations of a scenario",
        lambda n: (
            f"{HEAD_5}{MOCK}scenarios:\n  - config:\n"
            + "".join(f"      - vars: {{q: a{i}}}\n" for i in range(n))
            + "    tests: [{assert: [x]}]\n"
        ),
    )
    yield "extensions", one_in_5(lambda i: f"  - file://h{i}.mjs:beforeAll\n", f"{MOCK}extensions:\n")
    yield "filters", one_in_5(lambda i: f"  f{i}: ./f{i}.js\n", f"{MOCK}nunjucks_filters:\n")
    yield "variables of the environment", one_in_5(lambda i: f"  V{i}: '{{{{ env.X{i} }}}}'\n", f"{MOCK}env:\n")
    yield "derived metrics", one_in_5(lambda i: f"  - {{name: m{i}, value: 'a + {i}'}}\n", f"{MOCK}derived_metrics:\n")
    yield (
        "nested assert sets",
        lambda n: (
            f"{HEAD_5}{MOCK}tests:\n  - vars: {{q: a}}\n    assert:\n"
            + "".join(f"{'    ' * i}      - type: assert-set\n{'    ' * i}        assert:\n" for i in range(min(n, 60)))
        ),
    )
    yield (
        "criteria, agentv-5",
        lambda n: (
            f"{HEAD_5}{MOCK}tests:\n  - vars: {{q: a}}\n    assert:\n      - type: llm-rubric\n        value:\n"
            + "".join(f"          - {{id: q{i}, outcome: o {i}, min_score: 0.5}}\n" for i in range(n))
        ),
    )
    yield (
        "trajectories, agentv-5",
        in_5(
            lambda _: "  - vars: {q: a}\n    assert:\n      - {type: 'trajectory:tool-sequence', value: [Read, Bash]}\n"
        ),
    )
    yield (
        "steps of a trajectory",
        lambda n: (
            f"{HEAD_5}{MOCK}tests:\n  - vars: {{q: a}}\n    assert:\n      - type: trajectory:tool-sequence\n        value:\n"
            + "".join(f"          - T{i}\n" for i in range(n))
        ),
    )
    yield (
        "templates with tags",
        in_5(
            lambda i: (
                f"  - vars: {{q: '{{% if a %}}{i}{{% endif %}} {{{{ b | upper }}}}'}}\n    assert: ['{{% for x in y %}}{{{{ x }}}}{{% endfor %}}']\n"
            )
        ),
    )
    yield "unclosed templates", in_5(lambda i: f"  - vars: {{q: a}}\n    assert: ['{{{{ q ', '{{% if {i}']\n")


def _others() -> Iterator[tuple[str, str, Grown]]:
    targets = ".agentv/targets.yaml"
    yield (
        "tests of promptfoo",
        "promptfooconfig.yaml",
        lambda n: PROMPTFOO + "tests:\n" + "".join(tested(i) for i in range(n)),
    )
    yield (
        "rows of promptfoo",
        "promptfooconfig.yaml",
        lambda n: f"{PROMPTFOO}tests:\n  - vars:\n      word:\n" + "".join(f"        - w{i}\n" for i in range(n)),
    )
    yield (
        "tests of promptfoo in scenarios",
        "promptfooconfig.yaml",
        lambda n: (
            f"{PROMPTFOO}scenarios:\n  - tests: [{{assert: [{{type: contains, value: w}}]}}]\n    config:\n"
            + "".join(f"      - vars: {{word: w{i}}}\n" for i in range(n))
        ),
    )
    yield (
        "targets",
        targets,
        lambda n: "targets:\n" + "".join(f"  - {{name: t{i}, provider: mock}}\n" for i in range(n)),
    )
    yield (
        "targets, falling back",
        targets,
        lambda n: (
            "targets:\n"
            + "".join(f"  - {{name: t{i}, provider: mock, fallback_targets: [t{i + 1}]}}\n" for i in range(n))
        ),
    )
    yield (
        "targets, delegating",
        targets,
        lambda n: "targets:\n" + "".join(f"  - {{name: t{i}, use_target: t{i + 1}}}\n" for i in range(n)),
    )
    yield (
        "targets in a circle",
        targets,
        lambda n: "targets:\n" + "".join(f"  - {{name: t{i}, use_target: t{(i + 1) % n}}}\n" for i in range(n)),
    )
    yield (
        "targets with unknown judges",
        targets,
        lambda n: (
            "targets:\n" + "".join(f"  - {{name: t{i}, provider: mock, grader_target: x{i}}}\n" for i in range(n))
        ),
    )
    yield "targets with one name", targets, lambda n: "targets:\n" + "  - {name: t, provider: mock}\n" * n
    yield (
        "targets with secrets",
        targets,
        lambda n: (
            "targets:\n"
            + "".join(
                f"  - {{name: t{i}, provider: openai, model: m, api_key: sk-abcdefghijklmnop{i}}}\n" for i in range(n)
            )
        ),
    )
    yield (
        "keys of a target",
        targets,
        lambda n: "targets:\n  - name: t\n    provider: mock\n" + "".join(f"    zz{i}: 1\n" for i in range(n)),
    )
    yield (
        "targets without a key",
        targets,
        lambda n: "targets:\n" + "".join(f"  - provider: opanai{i}\n" for i in range(n)),
    )
    yield "bare list of targets", targets, lambda n: "".join(f"- {{name: t{i}, provider: mock}}\n" for i in range(n))
    yield (
        "providers file",
        ".agentv/providers.yaml",
        lambda n: (
            "providers:\n" + "".join(f"  - {{id: openai, label: p{i}, config: {{model: m}}}}\n" for i in range(n))
        ),
    )
    yield (
        "configuration",
        ".agentv/config.yaml",
        lambda n: (
            "eval_patterns:\n" + "".join(f"  - p{i}/**\n" for i in range(n)) + "".join(f"zz{i}: 1\n" for i in range(n))
        ),
    )
    yield (
        "file of cases",
        "cases.yaml",
        lambda n: "".join(f"- {{id: c{i}, criteria: ok, input: hi}}\n" for i in range(n)),
    )
    yield (
        "lines of JSON",
        "cases.jsonl",
        lambda n: "".join(f'{{"id": "c{i}", "criteria": "ok", "input": "hi"}}\n' for i in range(n)),
    )
    yield "equal lines of JSON", "cases.jsonl", lambda n: '{"id": "c", "criteria": "ok", "input": "hi"}\n' * n
    yield (
        "broken lines of JSON",
        "cases.jsonl",
        lambda n: "".join(f'{{"id": "c{i}", "criteria": "ok", "inptu": \n' for i in range(n)),
    )
    yield (
        "misspelt keys in lines of JSON",
        "cases.jsonl",
        lambda n: "".join(f'{{"id": "c{i}", "critera": "ok", "inptu": "hi"}}\n' for i in range(n)),
    )
    yield (
        "long line of JSON",
        "cases.jsonl",
        lambda n: (
            '{"id": "c", "criteria": "ok", "input": "hi", "metadata": {'
            + ", ".join(f'"k{i}": 1' for i in range(n))
            + "}}\n"
        ),
    )
    yield (
        "template of evaluators",
        ".agentv/templates/t.yaml",
        lambda n: "".join(f"- {{type: contains, value: v{i}}}\n" for i in range(n)),
    )
    yield (
        "workspace",
        "workspace.yaml",
        lambda n: (
            "template: ./t\nrepos:\n" + "".join(f"  - {{path: ./p{i}, repo: https://x/y{i}.git}}\n" for i in range(n))
        ),
    )
    yield "prompt", "prompt.md", lambda n: "".join(f"Say {{{{ v{i} }}}} and {{{{ output }}}}\n" for i in range(n))


GROWN |= {(name, "a.eval.yaml"): make for name, make in _suites()}
GROWN |= {(name, path): make for name, path, make in _others()}
