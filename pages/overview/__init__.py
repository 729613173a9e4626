"""Overview: everything that somebody has."""
