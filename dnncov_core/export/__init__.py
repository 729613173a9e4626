"""What leaves the app: figures, tables and test pairs as files that say where they come from. Reading order:

``origin``, ``provenance``, ``several`` -- where numbers come from; ``captions``, ``comparison_captions`` -- what a
figure shows, in words; ``sheets``, ``comparison_sheets``, ``suite_sheets`` -- tables as columns; ``kinds``,
``comparisons``, ``playground``, ``exhibits`` -- the registries of figures; ``drawing`` -- figures on paper, by
Matplotlib; ``fonts``, ``web`` -- what makes SVG and HTML whole in themselves; ``formats`` -- the registry of formats;
``pairs``, ``pictures`` -- test pairs; ``folder`` -- many files at once; ``sources`` -- what the command reads.
"""
