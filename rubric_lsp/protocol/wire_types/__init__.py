"""The types of what the server sends, under the names of LSP; docs/test-protocol.md describes those of `rubric/*`.

They are plain dictionaries: mypy checks each member, and nothing is instantiated. The tests compare every class with
lsprotocol, or with
what the extension of VS Code declares. A member that is always sent is required here even where LSP makes it optional.
Python 3.10 has no
`NotRequired`: required members are in a base class of their own.

Import them below `if TYPE_CHECKING` and quote them in signatures, so that no start has to create these classes.
"""
