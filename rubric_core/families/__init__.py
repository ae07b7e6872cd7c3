"""Families of eval files, one package each: what they do otherwise than the model of generic code."""
