"""Checks of configurations that promptfoo accepts but does not run as written. Rules visit its shapes and call these."""
