"""File extensions, by the kind of content."""

__all__ = [
    "CASES",
    "CASE_PROGRAMS",
    "CODE",
    "DATASETS",
    "FILTERS",
    "IMAGES",
    "PROMPTS",
    "RECORDS",
    "TABLES",
    "TEMPLATES",
    "YAML",
]

YAML = (".yaml", ".yml")
#: Data sets with one JSON object per line.
DATASETS = (".jsonl", ".ndjson")
#: Tables with a case in each row.
TABLES = (".csv",)
#: Texts that can be prompts.
PROMPTS = (".md", ".markdown", ".txt", ".j2", ".njk")
#: Programs that an engine can run by their names.
CODE = (".py", ".js", ".mjs", ".cjs", ".ts", ".mts", ".cts", ".sh", ".rb")
#: Files that have a function for templates.
FILTERS = (".js", ".mjs", ".cjs", ".ts", ".py")
#: The extensions of all files that can contain prompts.
TEMPLATES = (*PROMPTS, ".json", *YAML, *TABLES, *DATASETS, *FILTERS)
#: What was recorded: answers, traces, conversations.
RECORDS = (*DATASETS, ".json", *YAML)
#: Programs that make cases.
CASE_PROGRAMS = (".js", ".cjs", ".mjs", ".ts", ".mts", ".py")
#: Files that have cases, or make them.
CASES = (*YAML, *DATASETS, *TABLES, ".json", *CASE_PROGRAMS)
IMAGES = (".png", ".jpg", ".jpeg", ".gif", ".webp")
