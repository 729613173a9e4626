"""A pack of evidence that a stranger checks without this program. Reading order:

``claims`` -- what is claimed, each with its number, its denominator and the rows that it rests on; ``pack`` -- the
files of a pack, in one ZIP file.
"""
