"""What pages share. Reading order:

frame       the frame around every page
words       states, numbers and times in words
campaigns   which campaign a page shows
results     whatever follows a campaign while it runs
choices     the parameters of a new campaign: what it tests
search      likewise: how it searches
plan        its estimate, and its start
live        its progress
history     the list of campaigns
cards       one test pair
"""
