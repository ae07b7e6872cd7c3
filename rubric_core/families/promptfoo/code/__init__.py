"""How promptfoo calls code: commands, prompts and transforms."""
