"""Measure: the coverage of inputs that somebody has."""
