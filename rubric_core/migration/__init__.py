"""Upgrades suites and their companion files from one dialect to a newer one."""

from rubric_core.migration.draft import Reader
from rubric_core.migration.offers import Offer, steps, steps_at
from rubric_core.migration.route import MigratedText, NotMigratableError, migrate, titles
from rubric_core.migration.step import MigrationNote

__all__ = [
    "MigratedText",
    "MigrationNote",
    "NotMigratableError",
    "Offer",
    "Reader",
    "migrate",
    "steps",
    "steps_at",
    "titles",
]
