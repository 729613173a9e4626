"""Measure: the coverage of inputs that somebody has.

suite     what a new measurement measures
criteria  what it asks
plan      its parameters checked, and its start
progress  the measurement that runs
result    its numbers
history   the list of measurements
meaning   what the numbers mean
"""
