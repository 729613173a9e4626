"""The app's pages, a room for each: ``page`` is its entry, which reads from top to bottom, beside its own parts.

overview     everything that somebody has: campaigns and measurements
run          a new campaign, and the one that runs
measure      a new measurement of inputs that somebody has, and its result
layers       a campaign's coverage, layer by layer
distances    how far a campaign's generated inputs are from their seeds
examples     a campaign's test pairs
gaps         the test conditions that a campaign has not covered
compare      several campaigns beside each other
playground   the criteria on two inputs of the paper's example network

shared       what several pages use; a page imports from here and from its own room, and from no other page

Files ``_NAME.py`` show the whole app where a server's first visit is to page NAME (see `shared.frame.whole_app`).
"""
