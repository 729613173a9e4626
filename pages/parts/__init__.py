"""What pages share. Reading order:

frame       the frame around every page
words       states, numbers and times in words
campaigns   which campaign a page shows
charts      a figure in the page's colours
exporting   figures, tables and test pairs as files
facts       what was run: everything that decides a campaign's numbers
results     whatever follows a campaign while it runs
fields      the parameters of a new campaign, chosen in four parts:
network       network and data; own: how others get into the menus
criterion     criterion and value functions
conditions    features, layers, pairs
search        generator, seeds, oracle, machine
plan        its estimate, and its start
live        its progress
lists       entries of a list, a page at a time, each with a link
history     the list of campaigns
cards       one test pair
controls    what plain searches find with the same budgets
gaps        what is not covered: counts, matrix, table
gap         all about one test condition
justifying  why conditions need no test pair, in somebody's words
proving     a proof of what cannot be covered, as it runs
retrying    what was not covered, tried again

entries     all campaigns and measurements, as cards and as a table
keeping     their names and notes, deletion, the trash
beginning   the four criteria in a minute, and examples

comparing   which campaigns are compared; main_table, compared: their sections

suite       what a new measurement measures; criteria: what it asks
measuring   its start and its progress
measured    its result
measurements  the list of measurements
meaning     what their numbers mean
"""
