"""The campaign file's tables, a comment a column, and their version.

A file of an earlier version gets the tables, indexes and columns that it lacks; its rows have NULL in these columns.
"""

from __future__ import annotations

APPLICATION_ID = 0x444E4E43  # "DNNC"
SCHEMA_VERSION = 13
EARLIER_INDEX = "test_pair_numbers"
"""An index of earlier versions that another one has taken the place of."""
SCHEMA = """
CREATE TABLE certificate (   -- one row a neuron whose sign is proved to be the same over the whole box
    layer INTEGER NOT NULL,
    neuron INTEGER NOT NULL, -- 0-based
    sign INTEGER NOT NULL,   -- 1 or -1
    low REAL NOT NULL,       -- u is at least this
    high REAL NOT NULL,      -- u is at most this
    method TEXT NOT NULL,
    seconds REAL NOT NULL,
    PRIMARY KEY (layer, neuron)
);
CREATE TABLE justification ( -- at most one row a target: why it needs no test pair
    ordinal INTEGER PRIMARY KEY,        -- of the target
    reason TEXT NOT NULL,
    author TEXT NOT NULL,
    date TEXT NOT NULL,      -- YYYY-MM-DD, in UTC
    time TEXT                -- YYYY-MM-DDTHH:MM:SSZ; NULL: an earlier version stored the day alone
);
CREATE TABLE justification_history (    -- one row a justification that was replaced or withdrawn
    id INTEGER PRIMARY KEY,  -- the order of time
    ordinal INTEGER NOT NULL,           -- of the target
    reason TEXT NOT NULL,
    author TEXT NOT NULL,
    date TEXT NOT NULL,
    time TEXT,               -- as of the justification
    how TEXT NOT NULL,       -- replaced, withdrawn, or refuted: withdrawn after a test pair had refuted it
    ended TEXT NOT NULL,     -- YYYY-MM-DDTHH:MM:SSZ
    ended_by TEXT NOT NULL   -- who replaced or withdrew it; empty: not said
);
CREATE TABLE proof (         -- at most one row: the present or last proof
    id INTEGER PRIMARY KEY CHECK (id = 1),
    state TEXT NOT NULL,     -- State
    pid INTEGER,             -- NULL: its process is being started
    beat REAL NOT NULL,      -- heartbeat, seconds since the epoch
    started REAL NOT NULL,   -- likewise
    doing TEXT NOT NULL,     -- the method at work
    done INTEGER NOT NULL,   -- neurons that it is done with
    total INTEGER NOT NULL,  -- of so many
    message TEXT NOT NULL,   -- what was proved, or why it failed
    cancel INTEGER NOT NULL DEFAULT 0   -- 1: somebody asked it to stop
);
CREATE TABLE control (       -- what plain searches found from the seed of a test pair with its budget
    ordinal INTEGER PRIMARY KEY,        -- of the target
    radius REAL NOT NULL,    -- how far they could go, in the campaign's norm
    passes INTEGER NOT NULL, -- forward and backward passes that each could make
    random INTEGER NOT NULL, -- 1: a random perturbation changed the label
    ascent INTEGER NOT NULL  -- 1: projected gradient ascent did
);
CREATE TABLE campaign (      -- one row
    id INTEGER PRIMARY KEY CHECK (id = 1),
    spec TEXT NOT NULL,      -- CampaignSpec as JSON
    created REAL NOT NULL,   -- seconds since the epoch
    versions TEXT NOT NULL,  -- package versions as JSON
    card TEXT,               -- NetworkCard as JSON, once prepared
    data TEXT,               -- fingerprint of images and labels, once prepared
    seeds BLOB,              -- row numbers of the seeds, once prepared
    inputs INTEGER,          -- inputs whose clean accuracy was measured
    misclassified INTEGER,   -- of them, left out of the seeds
    boundaries BLOB,         -- layer, neuron and largest u over the reference data, (n, 3); NULL: no reference
    batch INTEGER,           -- targets searched for at the same time, once prepared
    available TEXT,          -- feature pairs to choose from, [[k, l, number], ...] as JSON; NULL: all that exist
    correct BLOB,            -- row numbers of all correctly classified inputs; NULL: none is tried but the seeds
    listed BLOB,             -- feature pairs to choose from, `LISTED` of each in a row; NULL: no list says which
    shard TEXT,              -- I/N: batch I and each one N later are searched for here, others elsewhere; NULL: all
    source TEXT              -- where the data come from; NULL: an earlier version did not store it
);
CREATE TABLE worker (        -- one row: the present or last worker
    id INTEGER PRIMARY KEY CHECK (id = 1),
    state TEXT NOT NULL,     -- State
    pid INTEGER,
    heartbeat REAL,          -- seconds since the epoch
    cancel INTEGER NOT NULL DEFAULT 0,  -- 1: somebody asked it to stop
    message TEXT NOT NULL DEFAULT '',   -- why it failed
    device TEXT NOT NULL DEFAULT '',
    seconds REAL NOT NULL DEFAULT 0     -- working time of all workers so far
);
CREATE TABLE stage (         -- one row a stage of the work of each worker; none in earlier versions
    id INTEGER PRIMARY KEY,  -- the order of time
    name TEXT NOT NULL,      -- Stage
    seconds REAL NOT NULL    -- working time
);
CREATE TABLE target (        -- one row a test condition
    id INTEGER PRIMARY KEY,  -- the order of work
    ordinal INTEGER NOT NULL UNIQUE,    -- the pair's place among all pairs of the plan
    condition_layer INTEGER NOT NULL,
    decision_layer INTEGER NOT NULL,
    condition_neurons TEXT NOT NULL,    -- 0-based, separated by blanks
    decision_neurons TEXT NOT NULL,
    condition_most INTEGER,  -- a free condition feature has 1 to so many neurons; NULL: those named
    outcome TEXT NOT NULL DEFAULT 'pending',  -- Outcome
    seconds REAL
);
CREATE INDEX target_outcome ON target (outcome);
CREATE TABLE attempt (       -- one row a seed tried for a target
    target INTEGER NOT NULL REFERENCES target (id),
    place INTEGER NOT NULL,  -- 0, 1, ... in the order tried
    seed INTEGER NOT NULL,   -- row number of the data
    outcome TEXT NOT NULL,
    seconds REAL NOT NULL,
    margin REAL,
    objective REAL,          -- the solver's own distance
    calls INTEGER,           -- linear programmes solved
    variables INTEGER,       -- of the largest of them
    constraints INTEGER,
    iterations INTEGER,      -- of the simplex method, over all calls
    solver_seconds REAL,     -- likewise
    passes INTEGER,          -- forward and backward passes of one input, where gradients were followed
    message TEXT NOT NULL,
    PRIMARY KEY (target, place)
) WITHOUT ROWID;
CREATE TABLE test_pair (     -- at most one row a target
    target INTEGER PRIMARY KEY REFERENCES target (id),
    seed INTEGER NOT NULL,
    x1 BLOB NOT NULL,        -- zlib of NumPy's .npy
    x2 BLOB NOT NULL,
    label1 INTEGER NOT NULL,
    label2 INTEGER NOT NULL,
    confidence1 REAL NOT NULL,
    confidence2 REAL NOT NULL,
    distance_inf REAL NOT NULL,
    distance_2 REAL NOT NULL,
    distance_1 REAL NOT NULL,
    distance REAL NOT NULL,  -- in the campaign's norm
    adversarial INTEGER NOT NULL,
    holds_float64 INTEGER NOT NULL,
    holds_8bit INTEGER,      -- NULL: the input has no 8-bit grid
    margin REAL,
    found_for INTEGER,       -- ordinal of the target whose search found it; NULL: this one's own
    flipped TEXT,            -- neurons of a free condition feature; NULL: those that the target names
    needed INTEGER,          -- 1: the decision's change needs the condition's; NULL, here and below: not known yet
    sufficient INTEGER,      -- 1: the condition's change alone makes it
    effect_share REAL,       -- of the decision's change of u that the condition carries; NULL also: nothing changed
    needed_float64 INTEGER,
    sufficient_float64 INTEGER,
    needed_8bit INTEGER,     -- NULL also: the input has no 8-bit grid
    sufficient_8bit INTEGER,
    outputs BLOB             -- of x1 and x2 where they are no labels, (2, n); NULL: the network has classes
);
-- counts by layer pair, and the numbers by which test pairs are counted, filtered and ordered, without their arrays
CREATE INDEX target_layers ON target (condition_layer, decision_layer, outcome);
CREATE INDEX test_pair_figures ON test_pair (
    target, distance, adversarial, holds_8bit, seed, found_for, flipped, needed, sufficient, needed_8bit,
    sufficient_8bit, effect_share
);
CREATE INDEX test_pair_distance ON test_pair (distance, target, adversarial);
"""
