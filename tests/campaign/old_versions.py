"""Campaign files as earlier versions wrote them: their tables and specifications, literally."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

SCHEMA_1 = """
CREATE TABLE campaign (
    id INTEGER PRIMARY KEY CHECK (id = 1),
    spec TEXT NOT NULL,
    created REAL NOT NULL,
    versions TEXT NOT NULL,
    card TEXT,
    data TEXT,
    seeds BLOB,
    inputs INTEGER,
    misclassified INTEGER
);
CREATE TABLE worker (
    id INTEGER PRIMARY KEY CHECK (id = 1),
    state TEXT NOT NULL,
    pid INTEGER,
    heartbeat REAL,
    cancel INTEGER NOT NULL DEFAULT 0,
    message TEXT NOT NULL DEFAULT '',
    device TEXT NOT NULL DEFAULT '',
    seconds REAL NOT NULL DEFAULT 0
);
CREATE TABLE target (
    id INTEGER PRIMARY KEY,
    ordinal INTEGER NOT NULL UNIQUE,
    condition_layer INTEGER NOT NULL,
    decision_layer INTEGER NOT NULL,
    condition_neurons TEXT NOT NULL,
    decision_neurons TEXT NOT NULL,
    outcome TEXT NOT NULL DEFAULT 'pending',
    seconds REAL
);
CREATE INDEX target_outcome ON target (outcome);
CREATE TABLE attempt (
    target INTEGER NOT NULL REFERENCES target (id),
    place INTEGER NOT NULL,
    seed INTEGER NOT NULL,
    outcome TEXT NOT NULL,
    seconds REAL NOT NULL,
    margin REAL,
    objective REAL,
    variables INTEGER,
    constraints INTEGER,
    message TEXT NOT NULL,
    PRIMARY KEY (target, place)
) WITHOUT ROWID;
CREATE TABLE test_pair (
    target INTEGER PRIMARY KEY REFERENCES target (id),
    seed INTEGER NOT NULL,
    x1 BLOB NOT NULL,
    x2 BLOB NOT NULL,
    label1 INTEGER NOT NULL,
    label2 INTEGER NOT NULL,
    confidence1 REAL NOT NULL,
    confidence2 REAL NOT NULL,
    distance_inf REAL NOT NULL,
    distance_2 REAL NOT NULL,
    distance_1 REAL NOT NULL,
    distance REAL NOT NULL,
    adversarial INTEGER NOT NULL,
    holds_float64 INTEGER NOT NULL,
    holds_8bit INTEGER,
    margin REAL
);
"""
SPEC_1 = """
{"network": "toy", "data": "toy", "criterion": "ss", "generator": "lp", "value_function": null, "sigma": null,
 "d": null, "p": null, "at_most": null, "condition_value_function": "any", "feature_mode": "neuron", "omega": 0.001,
 "pairs": null, "layers": [], "seeds": null, "seed_order": "random", "max_seeds": 41, "margin": 0.0001, "norm": "inf",
 "bound": null, "device": "auto", "random_seed": 0}
"""
SCHEMA_2 = """
CREATE TABLE campaign (
    id INTEGER PRIMARY KEY CHECK (id = 1),
    spec TEXT NOT NULL,
    created REAL NOT NULL,
    versions TEXT NOT NULL,
    card TEXT,
    data TEXT,
    seeds BLOB,
    inputs INTEGER,
    misclassified INTEGER,
    available TEXT
);
CREATE TABLE worker (
    id INTEGER PRIMARY KEY CHECK (id = 1),
    state TEXT NOT NULL,
    pid INTEGER,
    heartbeat REAL,
    cancel INTEGER NOT NULL DEFAULT 0,
    message TEXT NOT NULL DEFAULT '',
    device TEXT NOT NULL DEFAULT '',
    seconds REAL NOT NULL DEFAULT 0
);
CREATE TABLE target (
    id INTEGER PRIMARY KEY,
    ordinal INTEGER NOT NULL UNIQUE,
    condition_layer INTEGER NOT NULL,
    decision_layer INTEGER NOT NULL,
    condition_neurons TEXT NOT NULL,
    decision_neurons TEXT NOT NULL,
    outcome TEXT NOT NULL DEFAULT 'pending',
    seconds REAL
);
CREATE INDEX target_outcome ON target (outcome);
CREATE TABLE attempt (
    target INTEGER NOT NULL REFERENCES target (id),
    place INTEGER NOT NULL,
    seed INTEGER NOT NULL,
    outcome TEXT NOT NULL,
    seconds REAL NOT NULL,
    margin REAL,
    objective REAL,
    calls INTEGER,
    variables INTEGER,
    constraints INTEGER,
    iterations INTEGER,
    solver_seconds REAL,
    message TEXT NOT NULL,
    PRIMARY KEY (target, place)
) WITHOUT ROWID;
CREATE TABLE test_pair (
    target INTEGER PRIMARY KEY REFERENCES target (id),
    seed INTEGER NOT NULL,
    x1 BLOB NOT NULL,
    x2 BLOB NOT NULL,
    label1 INTEGER NOT NULL,
    label2 INTEGER NOT NULL,
    confidence1 REAL NOT NULL,
    confidence2 REAL NOT NULL,
    distance_inf REAL NOT NULL,
    distance_2 REAL NOT NULL,
    distance_1 REAL NOT NULL,
    distance REAL NOT NULL,
    adversarial INTEGER NOT NULL,
    holds_float64 INTEGER NOT NULL,
    holds_8bit INTEGER,
    margin REAL,
    found_for INTEGER
);
"""
SPEC_2 = """
{"network": "toy", "data": "toy", "criterion": "sv", "generator": "lp", "value_function": "ratio", "sigma": 2.0,
 "d": null, "p": null, "at_most": null, "condition_value_function": "any", "feature_mode": "neuron", "omega": 0.001,
 "pairs": null, "top_weights": 2, "layers": [], "seeds": null, "seed_order": "nearest", "max_seeds": 41, "reuse": true,
 "margin": 0.0001, "grid": "none", "norm": "inf", "bound": null, "device": "auto", "random_seed": 3}
"""
SCHEMA_3 = """
CREATE TABLE campaign (
    id INTEGER PRIMARY KEY CHECK (id = 1),
    spec TEXT NOT NULL,
    created REAL NOT NULL,
    versions TEXT NOT NULL,
    card TEXT,
    data TEXT,
    seeds BLOB,
    inputs INTEGER,
    misclassified INTEGER,
    boundaries BLOB,
    batch INTEGER,
    available TEXT
);
CREATE TABLE worker (
    id INTEGER PRIMARY KEY CHECK (id = 1),
    state TEXT NOT NULL,
    pid INTEGER,
    heartbeat REAL,
    cancel INTEGER NOT NULL DEFAULT 0,
    message TEXT NOT NULL DEFAULT '',
    device TEXT NOT NULL DEFAULT '',
    seconds REAL NOT NULL DEFAULT 0
);
CREATE TABLE target (
    id INTEGER PRIMARY KEY,
    ordinal INTEGER NOT NULL UNIQUE,
    condition_layer INTEGER NOT NULL,
    decision_layer INTEGER NOT NULL,
    condition_neurons TEXT NOT NULL,
    decision_neurons TEXT NOT NULL,
    condition_most INTEGER,
    outcome TEXT NOT NULL DEFAULT 'pending',
    seconds REAL
);
CREATE INDEX target_outcome ON target (outcome);
CREATE TABLE attempt (
    target INTEGER NOT NULL REFERENCES target (id),
    place INTEGER NOT NULL,
    seed INTEGER NOT NULL,
    outcome TEXT NOT NULL,
    seconds REAL NOT NULL,
    margin REAL,
    objective REAL,
    calls INTEGER,
    variables INTEGER,
    constraints INTEGER,
    iterations INTEGER,
    solver_seconds REAL,
    passes INTEGER,
    message TEXT NOT NULL,
    PRIMARY KEY (target, place)
) WITHOUT ROWID;
CREATE TABLE test_pair (
    target INTEGER PRIMARY KEY REFERENCES target (id),
    seed INTEGER NOT NULL,
    x1 BLOB NOT NULL,
    x2 BLOB NOT NULL,
    label1 INTEGER NOT NULL,
    label2 INTEGER NOT NULL,
    confidence1 REAL NOT NULL,
    confidence2 REAL NOT NULL,
    distance_inf REAL NOT NULL,
    distance_2 REAL NOT NULL,
    distance_1 REAL NOT NULL,
    distance REAL NOT NULL,
    adversarial INTEGER NOT NULL,
    holds_float64 INTEGER NOT NULL,
    holds_8bit INTEGER,
    margin REAL,
    found_for INTEGER,
    flipped TEXT
);
"""
SPEC_3 = """
{"network": "toy", "data": "toy", "criterion": "vs", "generator": "lp", "value_function": "any", "sigma": null, "d":
 null, "p": null, "at_most": null, "reference": null, "condition_value_function": "any", "feature_mode": "neuron",
 "omega": 0.001, "pairs": null, "sampling": "uniform", "top_weights": null, "layers": [], "seeds": null,
 "seed_order": "nearest", "max_seeds": 9, "reuse": false, "margin": 0.0001, "grid": "none", "objective": "distance",
 "passes": 400, "batch": null, "norm": "inf", "bound": null, "device": "auto", "random_seed": 5}
"""

SCHEMA_4 = f"""{SCHEMA_3}
CREATE TABLE certificate (
    layer INTEGER NOT NULL,
    neuron INTEGER NOT NULL,
    sign INTEGER NOT NULL,
    low REAL NOT NULL,
    high REAL NOT NULL,
    method TEXT NOT NULL,
    seconds REAL NOT NULL,
    PRIMARY KEY (layer, neuron)
);
CREATE TABLE justification (
    ordinal INTEGER PRIMARY KEY,
    reason TEXT NOT NULL,
    author TEXT NOT NULL,
    date TEXT NOT NULL
);
"""
SPEC_4 = """
{"network": "toy", "data": "toy", "criterion": "vv", "generator": "lp", "value_function": "ratio", "sigma": 5.0, "d":
 null, "p": null, "at_most": null, "reference": null, "condition_value_function": "any", "feature_mode": "neuron",
 "omega": 0.001, "pairs": null, "sampling": "uniform", "top_weights": null, "layers": [], "seeds": null,
 "seed_order": "nearest", "max_seeds": 9, "reuse": false, "margin": 0.0001, "grid": "none", "objective": "distance",
 "passes": 400, "batch": null, "norm": "inf", "bound": null, "device": "auto", "random_seed": 5, "retries": []}
"""

SCHEMA_5 = f"""{SCHEMA_4}
CREATE TABLE proof (
    id INTEGER PRIMARY KEY CHECK (id = 1),
    state TEXT NOT NULL,
    pid INTEGER,
    beat REAL NOT NULL,
    started REAL NOT NULL,
    doing TEXT NOT NULL,
    done INTEGER NOT NULL,
    total INTEGER NOT NULL,
    message TEXT NOT NULL,
    cancel INTEGER NOT NULL DEFAULT 0
);
"""
SCHEMA_6 = f"""{SCHEMA_5}
CREATE TABLE control (
    ordinal INTEGER PRIMARY KEY,
    radius REAL NOT NULL,
    passes INTEGER NOT NULL,
    random INTEGER NOT NULL,
    ascent INTEGER NOT NULL
);
"""
SCHEMA_7 = f"""{SCHEMA_6}
CREATE INDEX target_layers ON target (condition_layer, decision_layer, outcome);
CREATE INDEX test_pair_numbers ON test_pair (target, distance, adversarial, holds_8bit, seed, found_for, flipped);
CREATE INDEX test_pair_distance ON test_pair (distance, target, adversarial);
"""

SCHEMA_8 = f"""{SCHEMA_7}
ALTER TABLE campaign ADD COLUMN correct BLOB;
ALTER TABLE test_pair ADD COLUMN needed INTEGER;
ALTER TABLE test_pair ADD COLUMN sufficient INTEGER;
ALTER TABLE test_pair ADD COLUMN effect_share REAL;
ALTER TABLE test_pair ADD COLUMN needed_float64 INTEGER;
ALTER TABLE test_pair ADD COLUMN sufficient_float64 INTEGER;
ALTER TABLE test_pair ADD COLUMN needed_8bit INTEGER;
ALTER TABLE test_pair ADD COLUMN sufficient_8bit INTEGER;
DROP INDEX test_pair_numbers;
CREATE INDEX test_pair_figures ON test_pair (
    target, distance, adversarial, holds_8bit, seed, found_for, flipped, needed, sufficient, needed_8bit,
    sufficient_8bit, effect_share
);
"""
SPEC_8 = """
{"network": "toy", "data": "toy", "criterion": "ss", "generator": "lp", "value_function": null, "sigma": null, "d":
 null, "p": null, "at_most": null, "reference": null, "condition_value_function": "any", "feature_mode": "neuron",
 "omega": 0.001, "pairs": null, "sampling": "uniform", "top_weights": null, "layers": [], "seeds": null,
 "seed_order": "nearest", "max_seeds": 9, "more_seeds": 20, "reuse": false, "margin": 0.0001, "grid": "none",
 "objective": "distance", "effect": "none", "passes": 400, "batch": null, "norm": "inf", "bound": null, "device":
 "auto", "random_seed": 5, "retries": []}
"""

SCHEMA_9 = f"""{SCHEMA_8}
ALTER TABLE campaign ADD COLUMN listed BLOB;
ALTER TABLE test_pair ADD COLUMN outputs BLOB;
"""
SPEC_9 = """
{"network": "toy", "data": "toy", "criterion": "sv", "generator": "lp", "value_function": "ratio", "sigma": 2.0, "d":
 null, "p": null, "at_most": null, "reference": null, "condition_value_function": "any", "feature_mode": "neuron",
 "omega": 0.001, "pairs": null, "sampling": "uniform", "top_weights": null, "layers": [], "seeds": null,
 "seed_order": "nearest", "max_seeds": 9, "more_seeds": 20, "reuse": false, "margin": 0.0001, "grid": "none",
 "objective": "distance", "effect": "needed", "passes": 400, "batch": null, "norm": "inf", "bound": null, "device":
 "auto", "random_seed": 5, "retries": [], "suite_gaps": null}
"""
SCHEMA_10 = f"""{SCHEMA_9}
CREATE TABLE stage (
    id INTEGER PRIMARY KEY,
    name TEXT NOT NULL,
    seconds REAL NOT NULL
);
"""
SCHEMA_11 = f"""{SCHEMA_10}
ALTER TABLE justification ADD COLUMN time TEXT;
CREATE TABLE justification_history (
    id INTEGER PRIMARY KEY,
    ordinal INTEGER NOT NULL,
    reason TEXT NOT NULL,
    author TEXT NOT NULL,
    date TEXT NOT NULL,
    time TEXT,
    how TEXT NOT NULL,
    ended TEXT NOT NULL,
    ended_by TEXT NOT NULL
);
"""
SCHEMA_12 = f"""{SCHEMA_11}
ALTER TABLE campaign ADD COLUMN shard TEXT;
"""

SCHEMAS = {
    1: SCHEMA_1,
    2: SCHEMA_2,
    3: SCHEMA_3,
    4: SCHEMA_4,
    5: SCHEMA_5,
    6: SCHEMA_6,
    7: SCHEMA_7,
    8: SCHEMA_8,
    9: SCHEMA_9,
    10: SCHEMA_10,
    11: SCHEMA_11,
    12: SCHEMA_12,
}
CONTROLS_SINCE, EFFECTS_SINCE = 6, 8
"""Versions that store what plain searches found, and the effects of test pairs."""
SPECS = {1: SPEC_1, 2: SPEC_2, 3: SPEC_3, **dict.fromkeys((4, 5, 6, 7), SPEC_4), 8: SPEC_8}
SPECS |= dict.fromkeys((9, 10, 11, 12), SPEC_9)
ASKED_3 = {"criterion": "vs", "value_function": "any", "generator": "lp", "max_seeds": 9, "random_seed": 5}
ASKED_4 = ASKED_3 | {"criterion": "vv", "value_function": "ratio", "sigma": 5.0}
ASKED_8 = {"criterion": "ss", "generator": "lp", "max_seeds": 9, "more_seeds": 20, "random_seed": 5}
ASKED_9 = ASKED_8 | {"criterion": "sv", "value_function": "ratio", "sigma": 2.0, "effect": "needed"}
ASKED: dict[int, dict[str, Any]] = {
    1: {"seed_order": "random"},
    2: {"criterion": "sv", "value_function": "ratio", "sigma": 2.0, "top_weights": 2, "reuse": True, "random_seed": 3},
    3: ASKED_3,
    **dict.fromkeys((4, 5, 6, 7), ASKED_4),
    8: ASKED_8,
    **dict.fromkeys((9, 10, 11, 12), ASKED_9),
}
"""What `SPECS` ask for, beside the network toy and `EARLIER`, in today's words."""
EARLIER = {"more_seeds": 0}
"""What no version asked for that had no parameter for it."""


def write(path: Path, finished: Path, version: int) -> Path:
    """A file of an earlier version with the rows of a finished campaign, as that version wrote them."""
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("PRAGMA journal_mode = WAL")
        connection.executescript(SCHEMAS[version])
        connection.execute("ATTACH ? AS new", (str(finished),))
        for (table,) in connection.execute("SELECT name FROM main.sqlite_master WHERE type = 'table'").fetchall():
            columns = ", ".join(column for _, column, *_ in connection.execute(f"PRAGMA main.table_info({table})"))
            connection.execute(f"INSERT INTO main.{table} ({columns}) SELECT {columns} FROM new.{table}")
        connection.execute("UPDATE main.campaign SET spec = ?", (SPECS[version],))
        connection.execute(f"PRAGMA main.application_id = {0x444E4E43}")
        connection.execute(f"PRAGMA main.user_version = {version}")
        connection.commit()
    return path
