"""The assertions of promptfoo, which score as promptfoo scores them (issue 18, section 3)."""
