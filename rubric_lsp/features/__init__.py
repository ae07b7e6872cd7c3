"""The visible features of the server, as pure functions of an analysis. They do not depend on the protocol."""
