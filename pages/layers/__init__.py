"""Layers: a campaign's coverage, layer by layer.

baselines   what plain searches find with the same budgets
programmes  what linear programmes cost
"""
