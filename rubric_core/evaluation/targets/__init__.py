"""Who answers: target files resolved, their settings, providers."""
