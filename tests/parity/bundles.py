"""The suites of the comparison: bundles of YAML documents, each laid out in a folder of its own for each program.

A document: `suite` (its name), `yaml` (the suite itself); and, where it needs them, `answers` (replies of the target by case id, `*` for
the others), `files` (by path), `targets` (more of them), `judge` (how the judge misbehaves; a list makes a suite of each) and
`judge_settings` (of its target). `$FOLDER` in a document is the folder of the suite, where the programs of `programs/` are too.
"""

import json
import shutil
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import yaml

from .server import ScriptedServer

__all__ = ["PROGRAMS", "SUITES", "SuiteSource", "lay_out", "read_suites", "target_entries"]

SUITES = Path(__file__).with_name("suites")
PROGRAMS = Path(__file__).with_name("programs")
_KEYS = {"suite", "yaml", "answers", "files", "targets", "judge", "judge_settings"}


@dataclass(frozen=True)
class SuiteSource:
    """One suite, before it is laid out."""

    name: str
    yaml: str
    answers: Mapping[str, Any] = field(default_factory=dict)
    files: Mapping[str, str] = field(default_factory=dict)
    targets: tuple[Mapping[str, Any], ...] = ()
    #: How its judge misbehaves, or nothing.
    judge: str = ""
    judge_settings: Mapping[str, Any] = field(default_factory=dict)
    #: The name of the file that it is in, without its ending.
    bundle: str = ""


def read_suites(folder: Path = SUITES) -> dict[str, SuiteSource]:
    """All suites by name. Raises ValueError for a name that is there twice and for keys that mean nothing."""
    found: dict[str, SuiteSource] = {}
    for bundle in sorted(folder.glob("*.yaml")):
        for document in yaml.safe_load_all(bundle.read_text(encoding="utf-8")):
            for source in _sources(document, bundle):
                if source.name in found:
                    raise ValueError(f"{bundle.name}: there are two suites {source.name}")
                found[source.name] = source
    return found


def _sources(document: Mapping[str, Any], bundle: Path) -> Iterator[SuiteSource]:
    unknown = document.keys() - _KEYS
    if unknown:
        raise ValueError(f"{bundle.name}: {document.get('suite')}: unknown keys {', '.join(sorted(unknown))}")
    judge = document.get("judge", "")
    for mode in judge if isinstance(judge, list) else [judge]:
        yield SuiteSource(
            name=f"{document['suite']}-{mode}" if isinstance(judge, list) else document["suite"],
            yaml=document["yaml"],
            answers=document.get("answers") or {},
            files=document.get("files") or {},
            targets=tuple(document.get("targets") or ()),
            judge=mode,
            judge_settings=document.get("judge_settings") or {},
            bundle=bundle.stem,
        )


def lay_out(source: SuiteSource, folder: Path, program: str, server: ScriptedServer, place: str = "") -> Path:
    """Write a suite with its files, targets and programs into a new folder, which they call `place` or by its path.

    Gives the path of the suite.
    """
    shutil.rmtree(folder, ignore_errors=True)
    files = {
        f"{source.name}.eval.yaml": source.yaml,
        "answers.json": json.dumps(source.answers),
        ".agentv/targets.yaml": yaml.safe_dump({"targets": _targets(source, program, server)}, sort_keys=False),
        **source.files,
    }
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text.replace("$FOLDER", place or str(folder)), encoding="utf-8")
    for script in PROGRAMS.glob("*.py"):
        shutil.copy(script, folder)
    return folder / f"{source.name}.eval.yaml"


def target_entries(program: str, suite: str, server: ScriptedServer, mode: str = "") -> dict[str, dict[str, Any]]:
    """The entries of a target file that every suite has: `default` answers by case id, `live` by script, `judge` judges."""
    api = {"provider": "openai", "model": "${{ PARITY_MODEL }}", "api_key": "${{ PARITY_KEY }}"}
    command = "python3 $FOLDER/answer.py {EVAL_ID} {OUTPUT_FILE}"
    return {
        "default": {"name": "default", "provider": "cli", "command": command, "grader_target": "judge"},
        "judge": {"name": "judge", **api, "base_url": server.url(program, suite, mode)},
        "live": {"name": "live", **api, "base_url": server.url(program, suite), "grader_target": "judge"},
    }


def _targets(source: SuiteSource, program: str, server: ScriptedServer) -> list[Mapping[str, Any]]:
    entries = target_entries(program, source.name, server, source.judge)
    entries["judge"].update(source.judge_settings)
    return [*entries.values(), *source.targets]
