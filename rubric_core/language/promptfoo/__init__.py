"""The catalogue of promptfoo: what its configurations may have. Its shapes share nothing with those of agentv."""
