"""The shapes of what the server sends, under the names of LSP; those of `rubric/*` are described in docs/test-protocol.md.

They are plain dictionaries: mypy checks each member, and nothing is instantiated. The tests compare every class with lsprotocol, or with
what the extension of VS Code declares. A member that is always sent is required here even where LSP makes it optional. Python 3.10 has no
`NotRequired`: required members are in a base class of their own.

Import them below `if TYPE_CHECKING` and quote them in signatures: to make these classes would be a part of each start.
"""
