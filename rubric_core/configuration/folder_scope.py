"""Which files of one folder are checked: by their names, by git, by the configuration, and by the engine's own settings."""

# Paths as text: every folder is walked through again after each pause of a person who types.

import os
import re
from pathlib import Path

from rubric_core.configuration.model import Configuration
from rubric_core.disk import read_beginning
from rubric_core.language.file_extensions import DATASETS, YAML
from rubric_core.lazy_compilation import dataclass, pattern
from rubric_core.loading import gitignore
from rubric_core.loading.detect_eval_yaml import head_is_eval_yaml
from rubric_core.loading.detect_file_kind import kind_by_name
from rubric_core.loading.family_recognition import (
    has_own_name,
    is_recognised_by_text,
    may_have_own_name,
    recognised_family,
)
from rubric_core.loading.files import (
    UnreadableError,
    is_common_name,
    is_suite,
    is_suite_name,
    read_text,
)
from rubric_core.loading.landmarks import HOMES
from rubric_core.loading.path_patterns import Patterns, braces
from rubric_core.syntax.parse import parse
from rubric_core.syntax.plain_data import plain

__all__ = ["SETTINGS_FOLDER", "FolderScope", "content_counts", "eval_patterns"]

#: A suite has one of these at the start of a line, within this many characters.
_SUITE_KEY = pattern(r"^(?:(?:evalcases|eval_cases|testcases)[ \t]*:|\$schema:[ \t]*[\"']?agentv-eval)", re.MULTILINE)
_HEAD = 20_000
_EVALS = f"{os.sep}evals{os.sep}"
SETTINGS_FOLDER = HOMES[0]


#: What files that are run end in, those of every family included, and what the other files do. Most files of a tree are neither, and
#: to make a path of a text takes longer than all other questions about it.
_OF_SUITES, _OF_OTHERS = (*YAML, ".json"), (*YAML, *DATASETS)


@dataclass(frozen=True, slots=True)
class FolderScope:
    """Decides which files and subfolders of one folder are visited."""

    configuration: Configuration
    ignores: tuple[Patterns, ...]
    #: The patterns of the nearest .agentv/config.yaml.
    evals: Patterns | None
    #: Whether the user named a folder that its own configuration excludes.
    everything: bool = False
    #: The real path of the folder that links have to stay in, see `containment.bounds_of`.
    bounds: str = os.sep

    def hides(self, path: str, *, is_folder: bool) -> bool:
        """Whether git ignores a path of the folder, or the configuration excludes it."""
        excluded = not self.everything and self.configuration.excludes(path, is_folder=is_folder)
        return excluded or gitignore.is_ignored(self.ignores, path, is_folder=is_folder)

    def takes(self, path: str, names: frozenset[str]) -> bool:
        """Whether a file is a suite; `names` are those of all entries of its folder."""
        if self.configuration.includes(path):
            return True
        if self.evals is not None and self.evals.decide(path) is True and path.lower().endswith(YAML):
            return True
        if not path.lower().endswith(_OF_SUITES):
            return False
        file = Path(path)
        if may_have_own_name(file.name) and recognised_family(file) is not None:
            return True
        if is_suite(file, names):
            return head_is_eval_yaml(file) is not False
        if is_common_name(file.name):
            return head_is_eval_yaml(file) is True
        if not path.endswith(YAML):
            return False
        if _EVALS not in path.lower():
            return is_recognised_by_text(file)
        if _says_suite(path) and head_is_eval_yaml(file) is not False:
            return True
        return recognised_family(file) is not None

    def includes_other_file(self, path: str, names: frozenset[str]) -> bool:
        """Whether to check a file that is not a suite: files of the engine's own folders, and data sets."""
        if not path.endswith(_OF_OTHERS):
            return False
        file = Path(path)
        if file.suffix in YAML:
            home = file.parent.name in HOMES or (file.parent.name == "templates" and file.parent.parent.name in HOMES)
            return (home and kind_by_name(file) is not None) or _has_data(file.name, names)
        return file.suffix in DATASETS and _has_data(f"{file.stem}.yaml", names)


def content_counts(path: str, name: str) -> bool:
    """Whether the content of a file determines whether it is a suite; that of any other YAML file seldom makes it one."""
    lowered = name.lower()
    if not lowered.endswith(_OF_SUITES):
        return False
    if is_suite_name(name):
        return not lowered.endswith((".eval.yaml", ".eval.yml")) or _EVALS in path.lower()
    depends = may_have_own_name(name) and not has_own_name(name)
    return depends or (lowered.endswith(YAML) and _EVALS in path.lower())


def _says_suite(path: str) -> bool:
    """Whether a file below a folder `evals` has a key that only suites have: the first releases gave them any name."""
    return _SUITE_KEY.search(read_beginning(Path(path), _HEAD) or "") is not None


def _has_data(name: str, neighbours: frozenset[str]) -> bool:
    """Whether a YAML file of that name would describe a data set beside it."""
    return is_suite_name(name) and any(f"{Path(name).stem}{ending}" in neighbours for ending in DATASETS)


def eval_patterns(folder: str) -> Patterns | None:
    """The usable `eval_patterns` of the .agentv/config.yaml in `folder`; None without any."""
    file = Path(folder) / SETTINGS_FOLDER / "config.yaml"
    if not file.is_file():
        return None
    try:
        tree = parse(read_text(file))
    except UnreadableError:
        return None
    settings = plain(tree.root, tree.anchors)
    listed = settings.get("eval_patterns") if isinstance(settings, dict) else None
    texts = [text for text in listed if isinstance(text, str)] if isinstance(listed, list) else []
    try:
        patterns = Patterns(folder, [each for text in texts for each in braces(text)], any_case=True)
    except ValueError:
        return None
    return patterns or None
