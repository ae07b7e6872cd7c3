"""What is made of every text of the pages in `legal`, `mistakes` and `repairs.txt`: trees, blocks, cursors, values, edits, shapes, files.

`text_record.txt` has a line for each text with the checksum of every part, and all parts of a few dense texts written out.
`UPDATE=1 pytest tests/core/test_text_record.py` writes it anew; `python tests/core/test_text_record.py NAME` prints the parts of a text
whose checksum has changed.
"""

import re
import sys
import zlib
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path, PurePath

if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).parents[1]))
from harness import LANGUAGE, ROOT, Folder, files, unmarked
from record import WHOLE, compare, is_sampled

from rubric_core.analysis import Analysis, analyze
from rubric_core.language.shape import Shape, children
from rubric_core.loading.files import is_suite_name
from rubric_core.loading.project import Project
from rubric_core.syntax.blocks import Document
from rubric_core.syntax.collection_edits import comments_of, extent
from rubric_core.syntax.cursor import cursor_at
from rubric_core.syntax.edit import (
    add_entry,
    item_dash,
    plain_or_quoted,
    remove_entry,
    remove_item,
    rename_key,
    wrap_in_list,
)
from rubric_core.syntax.json_text import parse_json
from rubric_core.syntax.parse import parse
from rubric_core.syntax.plain_data import plain
from rubric_core.syntax.render import written_entry
from rubric_core.syntax.template_expressions import expression_faults
from rubric_core.syntax.template_syntax import (
    environment_read,
    filters_used,
    loose_statements,
    statement_words,
    unclosed_references,
)
from rubric_core.syntax.tree import Alias, Node, Scalar, SyntaxTree, walk
from rubric_core.syntax.tree import Mapping as MappingNode
from rubric_core.syntax.tree import Sequence as SequenceNode
from rubric_core.text import Span
from rubric_core.validation.rule import Diagnostic

HERE = Path(__file__).parent
PAGE = HERE / "text_record.txt"
_HEADING = re.compile(r"^#### (.+)\n", re.MULTILINE)
#: Where an object without a form of its own is in memory.
_ADDRESS = re.compile(r" at 0x[0-9a-f]+")
#: Written out whole.
DENSE = ("dense:",)
#: Before a commit, one text in so many is compared.
STEP = 4
Parts = Mapping[str, list[str]]


def texts() -> Iterator[tuple[str, str]]:
    """Every text with the name of its page and what it is about."""
    pages = [
        *sorted(HERE.glob("legal/*.txt")),
        *sorted(HERE.glob("mistakes/*.txt")),
        HERE / "repairs.txt",
        HERE / "dense.txt",
    ]
    for page in pages:
        _, *parts = _HEADING.split(page.read_text(encoding="utf-8"))
        for name, body in zip(parts[::2], parts[1::2], strict=True):
            text = re.split(r"^=> ", body, flags=re.MULTILINE)[0]
            yield f"{page.stem}: {name}", text if page.parent.name == "legal" else unmarked(text)[0]


def at(span: Span) -> str:
    return f"{span.start}-{span.end}"


def node_words(node: Node) -> str:
    where = at(node.span) if node.span == node.whole else f"{at(node.span)} of {at(node.whole)}"
    more = "".join(f" {sign}{word}" for sign, word in (("&", node.anchor), ("!", node.tag)) if word is not None)
    if isinstance(node, Scalar):
        return f"{where}{more} {node.style} {node.text!r} = {node.value!r}"
    if isinstance(node, Alias):
        return f"{where} *{node.name} {'recursive ' if node.recursive else ''}→ {at(node.target.span) if node.target else None}"
    flow = " flow" if isinstance(node, MappingNode | SequenceNode) and node.flow else ""
    return f"{where}{more} {type(node).__name__}{flow}"


def tree(found: SyntaxTree) -> list[str]:
    problems = [f"{p.kind} {at(p.span)} {p.message} {p.mend}" for p in found.problems]
    names = [f"&{name} {at(node.span)}" for name, node in found.anchors.items()]
    return [
        *map(node_words, walk(found.root)),
        *problems,
        *names,
        f"{len(found.aliases)} aliases, {len(found.mappings)} mappings",
    ]


def prefixes(text: str) -> list[str]:
    """What is read of a text that ends in the middle."""
    ends = range(0, len(text), max(11, len(text) // 12))
    return [f"{end} {line}" for end in ends for line in tree(parse(text[:end]))]


def blocks(text: str) -> list[str]:
    document = LANGUAGE.document(text, PurePath("a.eval.yaml"))
    found = [f"{n} {b.key!r} {document.start(n)} {document.first_line(n)}" for n, b in enumerate(document.blocks)]
    places = [f"{document.position(o)} {document.block_at(o)} {document.line_of(o)}" for o in range(0, len(text), 17)]
    plain_cut = [f"{b.key!r} {len(b.text)}" for b in Document.of(text, frozenset({"tests", "cases"})).blocks]
    return [*found, *places, *plain_cut, f"{document.line_count} lines, head {document.head!r}"]


def cursors(text: str) -> list[str]:
    return [repr(cursor_at(text, offset)) for offset in range(0, min(len(text), 3_000) + 1, 5)]


def values(text: str) -> list[str]:
    """Values, JSON, templates and words of scalars."""
    read = parse(text)
    found = [repr(plain(read.root, read.anchors)), *tree(parse_json(text))]
    for node in walk(read.root):
        if isinstance(node, Scalar) and node.text:
            found.append(plain_or_quoted(node.text))
            if any(sign in node.text for sign in ("{{", "{%", "${", "{#")):
                looks: tuple[Callable[[str, Span], Iterator[object]], ...] = (
                    unclosed_references, loose_statements, statement_words, filters_used,
                )  # fmt: skip
                found += [repr(each) for look in looks for each in look(text, node.span)]
                found += [
                    repr(each) for whole in (False, True) for each in expression_faults(node.text, is_rendered=whole)
                ]
                found += map(repr, environment_read(node.text))
    return found


def edits(text: str) -> list[str]:
    """What changes entries and items of the tree."""
    read = parse(text)
    found: list[object] = [comments_of(text, read)]
    for node in walk(read.root):
        if isinstance(node, MappingNode):
            found += [add_entry(text, node, "new", "x"), wrap_in_list(text, node)]
            for entry in node.entries:
                found += [
                    remove_entry(text, node, entry),
                    rename_key(entry, "a: b"),
                    extent(text, entry.span.start, entry.span.end),
                ]
                found += [written_entry(entry, 2, "\n", flow=flow) for flow in (False, True)]
        elif isinstance(node, SequenceNode):
            found += [each for item in node.items for each in (remove_item(text, node, item), item_dash(text, item))]
    return list(map(repr, found))


def value_words(value: object) -> str:
    return node_words(value) if isinstance(value, Node) else _ADDRESS.sub("", repr(value))


def shapes(analysis: Analysis) -> list[str]:
    """Every shape with its places and values, at the offsets of its block."""
    found: list[str] = []
    for block, state in analysis.states.items():
        for root in state.shapes:
            for shape in children(root):
                places = [
                    f"{field} {tuple(place[:2])} {place.name} {place.borrowed}" for field, place in shape.places.items()
                ]
                known = {
                    k: value_words(v)
                    for k, v in vars(shape).items()
                    if k in type(shape).keys and not isinstance(v, Shape | list | dict)
                }
                found.append(f"{block.key!r} {type(shape).__name__} {at(shape.span)} {places} {known!r}")
    return found


def project_of(given: Mapping[str, str]) -> Project:
    project = Project(Folder(given))
    project.register_suites([ROOT], [ROOT / name for name in given if is_suite_name(PurePath(name).name)])
    return project


def analyses(text: str) -> list[str]:
    """What is found in each file of a text, the suite where it names none: shapes, findings, fixes, files and words."""
    given = files(text) if text.startswith("--- ") else {"a.eval.yaml": text}
    project, made = project_of(given), []
    for name, own in given.items():
        path = ROOT / name
        if path.suffix not in (".yaml", ".yml", ".jsonl", ".json", ".csv", ".md", ".txt"):
            continue
        analysis = analyze(LANGUAGE.document(own, path), LANGUAGE, path=path, project=project)
        made += [f"{name} {analysis.kind} {analysis.choice}", *shapes(analysis)]
        made += map(finding, analysis.diagnostics)
        made += [f"{sorted(map(str, analysis.depends_on))} {sorted(map(str, analysis.refers_to))}"]
    return made


def finding(found: Diagnostic) -> str:
    """A finding without its words, which other pages hold."""
    fixes = [(fix.safe, [(at(edit.span), edit.new_text) for edit in fix.edits]) for fix in found.fixes]
    return f"{found.code} {found.severity} {at(found.span)} {[at(r.span) for r in found.related]} {fixes}"


def parts_of(text: str) -> Parts:
    first = next(iter(files(text).values())) if text.startswith("--- ") else text
    return {
        "tree": tree(parse(first)), "prefixes": prefixes(first), "blocks": blocks(first), "cursors": cursors(first), "values": values(first),
        "edits": edits(first), "analyses": analyses(text),
    }  # fmt: skip


def lines_of(name: str, parts: Parts) -> Iterator[str]:
    sums = [
        f"{part} {len(lines)} ~{zlib.crc32(chr(10).join(lines).encode()) & 0xFFFFF:05x}"
        for part, lines in parts.items()
    ]
    yield f"{name} | {', '.join(sums)}"
    if name.startswith(DENSE):
        for part in ("tree", "blocks", "values", "analyses"):
            yield from (f"    {part} {line}" for line in parts[part])


def test_texts() -> None:
    compared = ((name, text) for name, text in texts() if is_sampled(name, STEP))
    compare(PAGE, (line for name, text in compared for line in lines_of(name, parts_of(text))), is_sample=not WHOLE)


if __name__ == "__main__":
    for name, text in texts():
        if sys.argv[1] in name:
            for part, lines in parts_of(text).items():
                sys.stdout.write("".join(f"{part}: {line}\n" for line in lines))
