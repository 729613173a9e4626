"""What leaves the app: figures, tables and test pairs as files that say where they come from. Reading order:

``catalogue`` -- every figure and table that can be exported, a row each; ``captions``, ``comparison_captions`` -- what
they show, in words;
``sheets``, ``comparison_sheets``, ``suite_sheets``, ``playground`` -- their columns; ``provenance``, ``several`` --
where numbers come from; ``exhibits`` -- a table with all of these; ``formats`` -- what its files hold; ``drawing`` --
figures on paper, by Matplotlib; ``pairs``, ``pictures`` -- test pairs; ``folder`` -- many files at once; ``sources`` --
what the command reads.
"""
