"""The configuration of a project: `.rubric.toml`, or the table `tool.rubric` of `pyproject.toml`."""

from rubric_core.configuration.lookup import CONFIGURATION_FILES, Configurations, FolderConfigurations
from rubric_core.configuration.model import DEFAULT, Configuration

__all__ = ["CONFIGURATION_FILES", "DEFAULT", "Configuration", "Configurations", "FolderConfigurations"]
