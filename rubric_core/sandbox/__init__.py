"""Computations that may never end or want all memory: patterns, schemas and templates, in processes that can be killed."""
