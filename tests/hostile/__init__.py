"""Files made to break the reader: few of them as tests, thousands by a command.

    python -m tests.hostile npz --files 2000 [--first 0] [--processes 2]

Each kind of file has a module of its name with a `Maker`. File number ``n`` of a kind is the same in each run, so that
what a long run finds can be looked at alone with ``--first n --files 1``. The command gives each file to ``dnncov`` in
a process of its own, and prints a table: how the runs ended, the longest time and the most memory.

trials -- what one run of the command has to keep to; preloaded -- what processes of the command find imported.
visits -- pages of the app with a hostile file beside others; uploads -- files dropped into the app; kills -- the
command killed at random moments of each of its phases; losses -- its file, its disk or its rights taken away.
packs -- packs of evidence with one lie each, given to the checker that is in them.
RESULTS.md says what came of it.
"""
