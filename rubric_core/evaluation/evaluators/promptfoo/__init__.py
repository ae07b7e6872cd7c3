"""The assertions of promptfoo, with promptfoo's scores (issue 18, section 3)."""
