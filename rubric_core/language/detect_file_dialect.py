"""Which dialect a file around a suite is in, by the keys it uses."""

from collections.abc import Iterable

from rubric_core.language.detect_dialect import DialectChoice, is_newest_type
from rubric_core.language.file_kinds import FileKind
from rubric_core.syntax.tree import Mapping, Node, Scalar, Sequence

__all__ = ["choose_file_dialect", "is_provider_list"]

_OLD_SCHEMAS = ("agentv-targets-v2", "agentv-targets-v2.1")
_LATER = ("grader_target", "use_target", "fallback_targets", "subagent_mode_allowed", "subprovider")
#: Keys that only targets have: a provider has its kind under `id`, and its name under `label`.
_OF_TARGETS = frozenset({"provider", "name", "extends", "use_target"})
_NEWEST = (
    "default_test",
    "defaults",
    "env_from",
    "env_path",
    "graders",
    "projects",
    "providers",
    "refs",
    "repo_resolvers",
    "targets",
    "tests",
)


def choose_file_dialect(kind: FileKind, root: Node | None, items: Iterable[Node], text: str) -> DialectChoice | None:
    """The dialect and the reason; None for a kind of file whose cases or evaluators are the evidence.

    Args:
        kind: The kind of the file.
        root: The root of its tree, or of the text around its items.
        items: The items of its list: cases, or entries of a list that is the whole file.
        text: The whole text.
    """
    if kind is FileKind.TARGETS:
        return _targets_choice(root, [i for i in items if isinstance(i, Mapping)], text)
    if kind is FileKind.CONFIG:
        return _config_choice(_names(root))
    if kind in (FileKind.CASES, FileKind.DATASET):
        return _cases_choice(frozenset[str]().union(*map(_names, items)))
    if kind is FileKind.CASE:
        return _cases_choice(_names(root))
    if kind is FileKind.TEMPLATE:
        return _template_choice(root, [*items])
    if kind is FileKind.SIDECAR and "assert" not in text and "grader" not in text:
        # Judges alone are no evidence; cases with them are.
        return DialectChoice("agentv-2.7", "nothing in it tells the dialects apart", certain=False)
    if kind in (FileKind.DEFAULTS, FileKind.DEFAULT_TEST, FileKind.SCENARIOS, FileKind.ENVIRONMENT):
        return DialectChoice("agentv-5", f"no other has {kind.value}", certain=True)
    return None


def _names(node: Node | None) -> frozenset[str]:
    return frozenset(e.name for e in node.entries if e.name) if isinstance(node, Mapping) else frozenset()


def _cases_choice(keys: frozenset[str]) -> DialectChoice | None:
    """A case file has only these keys; None if its evaluators are the evidence."""
    newest = "vars" in keys and not keys & {"input", "messages", "input_messages"}
    for name, dialect, applies in (
        ("messages", "agentv-0.1", True),
        ("vars", "agentv-5", newest),
        ("expected_outcome", "agentv-1", not keys & {"criteria", "assertions", "assert"}),
        ("outcome", "agentv-0.5", "input_messages" in keys),
        # Earlier dialects require `criteria` and `input` as well.
        ("assert", "agentv-5", not keys & {"criteria", "input", "expected_output", "expected_outcome"}),
    ):
        if name in keys and applies:
            why = " without `input`" if name in ("vars", "assert") else ""
            return DialectChoice(dialect, f"of `{name}`{why}", certain=True)
    return None


def _template_choice(root: Node | None, items: list[Node]) -> DialectChoice | None:
    """A template of evaluators, which agentv-3 introduced; None if the types are the evidence."""
    top = _names(root)
    listed = (root.get("assertions") or root.get("assert")) if isinstance(root, Mapping) else None
    entries = [i for i in (listed.items if isinstance(listed, Sequence) else items) if isinstance(i, Mapping)]
    keys = frozenset[str]().union(*map(_names, entries))
    if "assertions" in top:
        return DialectChoice("agentv-3", "of `assertions`", certain=True)
    if "metric" in keys:
        return DialectChoice("agentv-5", "of `metric`", certain=True)
    types = [t.text for i in entries if isinstance(t := i.get("type"), Scalar)]
    if any(map(is_newest_type, types)):
        return None
    older = "name" in keys or any(t.endswith(("grader", "judge")) for t in types)
    if "assert" in top and not older:
        return DialectChoice("agentv-5", "of `assert`", certain=False)
    return DialectChoice("agentv-3", "it is the first that has templates", certain=False)


def is_provider_list(root: Node | None) -> bool:
    """Whether a list that is a whole file lists providers, not targets: by the keys of its entries."""
    items = root.items if isinstance(root, Sequence) else []
    keys = frozenset[str]().union(*map(_names, items))
    return "label" in keys or ("id" in keys and not keys & _OF_TARGETS)


def _targets_choice(root: Node | None, items: list[Mapping], text: str) -> DialectChoice:
    top = _names(root)
    listed = [n for name in ("targets", "providers") if isinstance(root, Mapping) and (n := root.get(name)) is not None]
    entries = items or [i for n in listed if isinstance(n, Sequence) for i in n.items if isinstance(i, Mapping)]
    keys = frozenset[str]().union(*map(_names, entries))
    # What older releases have under `targets` does not become newer by a key that they do not know.
    older = "name" in keys and "provider" in keys and not keys & {"id", "label", "config"}
    for names, words in ((top - {"providers"} if older else top, "`providers`"), (keys, "`label`"), (keys, "`id`")):
        if words.strip("`") in names:
            return DialectChoice("agentv-5", f"of {words}", certain=True)
    if "{{ env." in text:
        return DialectChoice("agentv-5", "of `{{ env.… }}`", certain=True)
    if items:
        return DialectChoice("agentv-0.1", "it is a bare list", certain="settings" in keys)
    schema = root.get("$schema") if isinstance(root, Mapping) else None
    if "settings" in keys or "version" in top or (isinstance(schema, Scalar) and schema.text in _OLD_SCHEMAS):
        return DialectChoice("agentv-0.5", "of `settings`" if "settings" in keys else "of its version", certain=True)
    later = next((name for name in _LATER if name in keys), None)
    if later:
        return DialectChoice("agentv-3", f"of `{later}`", certain=True)
    if schema is not None or "command_template" in keys:
        return DialectChoice(
            "agentv-1", "of `$schema`" if schema is not None else "of `command_template`", certain=True
        )
    if "judge_target" in keys:
        return DialectChoice("agentv-2.7", "of `judge_target`", certain=True)
    return DialectChoice("agentv-3", "nothing in it tells the dialects apart", certain=False)


def _config_choice(names: frozenset[str]) -> DialectChoice:
    newest = next((name for name in _NEWEST if name in names), None)
    if newest:
        return DialectChoice("agentv-5", f"of `{newest}`", certain=True)
    later = next((name for name in ("results", "hooks", "required_version") if name in names), None)
    if later:
        return DialectChoice("agentv-3", f"of `{later}`", certain=True)
    if "guideline_patterns" in names:
        newer = next((name for name in ("eval_patterns", "execution") if name in names), None)
        return DialectChoice(
            "agentv-2.7" if newer else "agentv-1", f"of `{newer or 'guideline_patterns'}`", certain=True
        )
    return DialectChoice("agentv-3", "nothing in it tells the dialects apart", certain=False)
