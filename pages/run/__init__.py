"""Run: a new campaign, and the one that runs.

network     network and data of a new campaign
criterion   criterion and value functions
conditions  features, layers and pairs of a new campaign
search      its generator, seeds, oracle and machine
estimates   its work in advance
plan        its parameters checked, and its start
progress    the campaign that runs
history     the list of campaigns
"""
