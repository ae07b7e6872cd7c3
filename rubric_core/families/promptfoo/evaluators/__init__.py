"""The assertions of promptfoo, with promptfoo's scores."""
