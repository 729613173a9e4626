"""Run: a new campaign, and the one that runs."""
