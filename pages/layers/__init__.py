"""Layers: a campaign's coverage, layer by layer."""
