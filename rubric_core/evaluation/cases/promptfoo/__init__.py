"""From a configuration of promptfoo to runnable cases: its prompts, providers and tests, and how they are multiplied (issue 18, section 3)."""
