"""Gaps: the test conditions that a campaign has not covered."""
