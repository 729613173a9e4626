"""The campaign file. Read it in this order:

schema           its tables, a comment a column
file_kind        what tells its files from those of other kinds
encoding         how records become rows, and back
sql, moments     the database: opened, queried, changed in transactions; answers of one moment, read once
prepared         what the first worker found out, and with that what rows can refer to
store            one campaign: its specification, and the parts that hold the rest:
    targets             test conditions as a search is given them; attempts: seeds tried for them
    pairs               test pairs
    conditions          test conditions with their status
    counts              how many of them ended how
    baseline_searches   what searches for another label found beside them
    certificates        neurons of constant sign
    justifications      why test conditions need no test pair
    claims              the processes that work on it: its worker and its proof
    stages              what its workers were at, and for how long
merging          several files of one campaign joined to one
"""
