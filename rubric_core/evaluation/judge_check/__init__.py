"""How far a judge can be trusted: it judges answers of which it is known what they are worth."""
