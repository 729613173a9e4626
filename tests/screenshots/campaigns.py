"""What the pictures show: campaigns and a measurement, each as the command that makes it."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterable, Mapping

from tqdm import tqdm

from dnncov_core.resources import home
from dnncov_core.suites.library import OPEN

METHODS = ("ss", "vs", "sv", "vv")
LAST_THREE = (8, 9, 10)
OMEGAS = ("0.001", "0.005", "0.01")
PAPERS_SEARCH = ("--pairs", "200", "--seed-order", "random", "--effect", "none")
"""The paper's order of seeds, and no effect; a random sample of the feature pairs, where the paper takes all."""
ADVERSARIAL = ("--feature-mode", "free", "--pairs", "210", "--sampling", "even", "--objective", "prefer")


def _main_table() -> Iterable[tuple[str, tuple[str, ...]]]:
    for n in range(1, 11):
        for method in METHODS:
            yield f"n{n}-{method}", (f"mnist-n{n}", "--criterion", method, *PAPERS_SEARCH)


def _top_weights() -> Iterable[tuple[str, tuple[str, ...]]]:
    for n in LAST_THREE:
        yield f"n{n}-ss-w10", (f"mnist-n{n}", "--criterion", "ss", *PAPERS_SEARCH, "--top-weights", "10")


def _features() -> Iterable[tuple[str, tuple[str, ...]]]:
    for omega in OMEGAS:
        question = ("--omega", omega, *ADVERSARIAL, "--bound", "8/255")
        yield f"cifar-ss-{omega}", ("cifar10-cnn", "--data", "cifar10-sample", *question)


CAMPAIGNS: Mapping[str, tuple[str, ...]] = {
    **dict(_main_table()),
    **dict(_top_weights()),
    **dict(_features()),
    "one-seed": ("mnist-n1", "--pairs", "200", "--seed-order", "random", "--max-seeds", "1"),
}
"""The name of a campaign's file -> arguments of `dnncov run`."""

PHOTOS = ("squeezenet1_1", "--data", "PHOTOS", "--feature-mode", "free", "--pairs", "50", "--sampling", "even")
"""Needs ImageNet weights and photos, neither of which is embedded: these campaigns are made by hand."""
OTHER_LABELS = ("--objective", "prefer", "--passes", "150")
BY_HAND: Mapping[str, tuple[str, ...]] = {
    **{f"imagenet-ss-{omega}": (*PHOTOS, "--omega", omega, *OTHER_LABELS) for omega in OMEGAS},
    "imagenet-sv-nb": (
        *(*PHOTOS, "--omega", "0.1", *OTHER_LABELS),
        *("--criterion", "sv", "--value-function", "upper_boundary", "--reference", "PHOTOS"),
    ),
}
"""The same for campaigns that this module does not run."""

MEASUREMENTS: Mapping[str, tuple[str, ...]] = {
    "digits": ("mnist-n1", "--suite", "mnist", "--criteria", "ss,sv,vs,vv,n,tn,s"),
    "relations": (
        *("mnist-n1", "--suite", "n1-vv.dnncov", "--reference", "mnist"),
        *("--criteria", "ss,vs:tn=2,sv:nb,vv:nb,n,nb,tn:2,s"),
    ),
}
"""The name of a measurement's file -> arguments of `dnncov measure`."""


def make(names: Iterable[str]) -> None:
    """Runs what is not there yet, one after the other, in the user's folder; what was begun is resumed.

    Args:
        names: of campaigns and measurements.

    Raises:
        FileNotFoundError: a campaign that has to be made by hand is missing.
    """
    names = list(names)
    for name in BY_HAND.keys() & set(names):
        if not (file := home() / "campaigns" / f"{name}.dnncov").exists():
            raise FileNotFoundError(f"no {file}; make it: dnncov run {' '.join(BY_HAND[name])} --out {file}")
    todo = [(home() / "campaigns" / f"{name}.dnncov", "run", CAMPAIGNS[name]) for name in names if name in CAMPAIGNS]
    todo += [
        (home() / "measurements" / f"{name}.json", "measure", MEASUREMENTS[name])
        for name in names
        if name in MEASUREMENTS
    ]
    for file, command, arguments in tqdm(todo, unit="file"):
        file.parent.mkdir(parents=True, exist_ok=True)
        if not file.exists():
            listed = ("--open", str(file.with_suffix(OPEN))) if command == "measure" else ()
            _dnncov(command, *arguments, *listed, "--out", str(file))
        elif command == "run":
            _dnncov("resume", str(file))


def _dnncov(*arguments: str) -> None:
    """In the folder of campaigns, so that no file has to be named with a path."""
    folder = home() / "campaigns"
    folder.mkdir(parents=True, exist_ok=True)
    subprocess.run([sys.executable, "-m", "dnncov_core", *arguments], check=True, stdout=subprocess.DEVNULL, cwd=folder)
