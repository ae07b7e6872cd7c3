"""Runs from the editor: jobs, results, and notifications to clients."""
