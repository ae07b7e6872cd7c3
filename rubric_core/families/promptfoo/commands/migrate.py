"""`rubric migrate --to agentv-5 promptfooconfig.yaml`: a suite beside the configuration, which is not touched."""

import argparse
import sys
from pathlib import Path

from rubric_core.atomic_write import write_file
from rubric_core.cli.sources import Source
from rubric_core.cli.terminal_style import TerminalStyle
from rubric_core.cli.unified_diff import difference
from rubric_core.families.promptfoo.commands.source import ConfigurationError, read_source
from rubric_core.families.promptfoo.migration.suite import (
    ConvertedConfiguration,
    NothingCarriedError,
    convert_configuration,
)
from rubric_core.loading.files import UnreadableError
from rubric_core.validation.wording import count

__all__ = ["suite_path", "write_suite"]

_STEM = "promptfooconfig"
_ENDING = ".eval.yaml"


def suite_path(configuration: Path) -> Path:
    """Where the suite of a configuration goes: `promptfoo.eval.yaml`, or `NAME.eval.yaml` for `promptfooconfig.NAME.yaml`."""
    name = configuration.stem
    if name.startswith(_STEM):
        name = name.removeprefix(_STEM).strip(".-_") or "promptfoo"
    return configuration.with_name(f"{name}{_ENDING}")


def write_suite(source: Source, options: argparse.Namespace, failures: list[str]) -> bool:
    """Write the suite for a configuration, or show it, and list what has no equivalent.

    Returns whether it was written, or would be. Problems are added to `failures`.
    """
    home = Path(options.output) if options.output else suite_path(Path(source.shown))
    trouble = _trouble(home, source.path)
    if trouble:
        failures.append(trouble)
        return False
    try:
        made = convert_configuration(read_source(source.path, source.shown, source.read()))
        if options.check:
            sys.stdout.writelines(difference(str(home), "", made.text, TerminalStyle.of()))
        else:
            write_file(home, made.text.encode())
    except UnreadableError as error:
        failures.append(str(error))
    except NothingCarriedError as error:
        for note in error.notes:
            print(note)
        failures.append(f"{source.shown}: {error}; no suite is written")
    except ConfigurationError as error:
        failures.append(f"{source.shown}: {error}; no suite is written")
    except OSError as error:
        failures.append(f"{home}: cannot be written: {error.strerror or error}")
    else:
        _report(source, home, made, is_shown=options.check)
        return True
    return False


def _trouble(home: Path, configuration: Path) -> str:
    """Why a suite cannot be written there; empty if it can."""
    if home.exists() or home.is_symlink():
        return f"{home}: this file exists, and is not overwritten: name another with -o"
    if home.absolute().parent.resolve() != configuration.absolute().parent.resolve():
        return (
            f"{home}: the suite names its files relative to its folder, so it has to be in that of {configuration.name}"
        )
    if not home.name.endswith((".yaml", ".yml")):
        return f"{home}: a suite is a .yaml file, best called NAME{_ENDING}"
    return ""


def _report(source: Source, home: Path, made: ConvertedConfiguration, *, is_shown: bool) -> None:
    """Print what was written, and what is left to the author."""
    for note in made.notes:
        print(note)
    verb = "would be written" if is_shown else "written"
    left = f", {count(made.left_out, 'test')} left out" if made.left_out else ""
    notes = f" · {count(len(made.notes), 'place')} to look at" if made.notes else ""
    print(f"{source.shown} → {home}: {verb} with {count(made.cases, 'case')}{left}{notes}")
