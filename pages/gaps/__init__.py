"""Gaps: the test conditions that a campaign has not covered.

choice         which test condition the page shows
counts         how many are covered, and what became of the rest
matrix         the matrix of a layer pair
table          test conditions without a witness
condition      all about one test condition
proof          a proof of what cannot be covered
retry          what was not covered, tried again
justification  why test conditions need no test pair, in somebody's words
"""
