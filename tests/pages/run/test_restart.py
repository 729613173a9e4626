"""A campaign that failed is begun anew from the form, with its settings and its name."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from dnncov_core.campaign import library
from dnncov_core.campaign.file.store import CampaignStore
from dnncov_core.campaign.spec import CampaignSpec
from dnncov_core.entries.kinds import Note, own_name, write_note
from dnncov_core.records import State
from tests.pages.looking import app, words

USUAL = CampaignSpec("mnist-n1", "mnist", pairs=200)
ASKED: dict[str, dict[str, Any]] = {
    "search": {
        "network": "mnist-n3",
        "pairs": 7,
        "sampling": "even",
        "top_weights": 3,
        "layers": (3, 4),
        "seeds": 99,
        "seed_order": "random",
        "max_seeds": 5,
        "reuse": True,
        "grid": "8bit",
        "effect": "both",
        "bound": 0.25,
        "norm": "2",
        "margin": 0.001,
        "device": "cpu",
        "random_seed": 4,
    },
    "features": {"feature_mode": "free", "omega": 0.3, "generator": "targeted", "passes": 77, "more_seeds": 3},
    "values": {"criterion": "vv", "value_function": "absolute", "d": 0.5, "condition_value_function": "ratio=3.0"},
    "norm": {"criterion": "sv", "value_function": "norm", "d": 0.5, "p": "2", "at_most": True, "pairs": None},
}


def failed(path: Path, spec: CampaignSpec) -> None:
    with CampaignStore.create(path, spec.resolved(), {}) as store:
        store.worker.claim()
        store.worker.leave(State.FAILED, message="expected a; got b; do c")


@pytest.mark.parametrize("asked", ASKED.values(), ids=ASKED)
def test_what_starts_from_its_form_is_asked_the_same(folder: Path, started: list[str], asked: dict[str, Any]) -> None:
    spec = replace(USUAL, **asked)
    failed(folder / "bad.dnncov", spec)
    write_note("campaign", "bad", Note("Night run"))
    test = app("bad").button(key="restart").click().run()
    assert not test.exception
    assert "campaign" not in test.query_params
    assert not test.error
    test.button[0].click().run()
    with library.open_campaign(started[0]) as store:
        assert (store.spec(), own_name(store)) == (spec.resolved(), "Night run")
    with library.open_campaign("bad") as store:
        assert (store.state(), own_name(store)) == (State.FAILED, "Night run")


@pytest.mark.parametrize("asked", [{"network": "net.pt2"}, {"data": "elsewhere"}, {"batch": 3}])
def test_what_no_form_can_ask_is_not_offered(folder: Path, asked: dict[str, Any]) -> None:
    failed(folder / "bad.dnncov", replace(USUAL, **asked))
    test = app("bad")
    assert "restart" not in [button.key for button in test.button]
    assert "The form cannot ask for the same. Use the command `dnncov run`." in words(test)
