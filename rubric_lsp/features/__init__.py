"""What the server shows, as pure functions of an analysis. Nothing here knows the protocol."""
