"""Carries suites, and the files around them, from one dialect to a newer one."""

from rubric_core.migration.draft import Reader
from rubric_core.migration.route import Migrated, NotMigratableError, Offer, migrate, steps, titles
from rubric_core.migration.step import Note

__all__ = ["Migrated", "NotMigratableError", "Note", "Offer", "Reader", "migrate", "steps", "titles"]
