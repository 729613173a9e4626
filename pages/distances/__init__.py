"""Distances: how far a campaign's generated inputs are from their seeds."""
