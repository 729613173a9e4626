"""Gaps: the test conditions that a campaign has not covered.

choice         which test condition the page shows
matrix         counts, the matrix of a layer pair, the table of test conditions
condition      all about one test condition
proof          a proof of what cannot be covered
retry          what was not covered, tried again
justification  why test conditions need no test pair, in somebody's words
"""
