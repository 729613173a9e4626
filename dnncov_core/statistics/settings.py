"""What campaigns were asked, in words: in full, in short, and what tells campaigns of the same title apart.

All of it is made from the table `PARAMETERS`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from typing import Any

from dnncov_core.campaign.parameter_kinds import FormPart
from dnncov_core.campaign.parameters import PARAMETERS
from dnncov_core.campaign.spec import CampaignSpec
from dnncov_core.data.own_decisions import own_decisions
from dnncov_core.phrases.conditions import raised
from dnncov_core.statistics.coverage import short_criterion

DECIDING = {name: row for name, row in PARAMETERS.items() if row.matters}
"""Parameters that numbers of campaigns depend on, without network and criterion, which a comparison is about."""
SEARCH = tuple(
    name
    for name, row in DECIDING.items()
    if (row.part in (FormPart.SEARCH, FormPart.MORE) and name != "generator") or name == "effect"
)
"""Parameters that say how test pairs are searched for, and what they have to show beside the criterion."""
OWN_SEEDS = "every input whose label is the network's own decision"
"""The pool of seeds of data with such labels, where nothing is right or wrong."""
MOST_LETTERS = 60
"""Of a campaign's name, two lines of a figure's axis, beyond which not all that differs is in it."""
RETRIES = "retries"
"""The parameter that says what was tried again later, which a campaign is not asked for at its start."""


def asked(spec: CampaignSpec) -> dict[str, Any]:
    """The values that decide this campaign's numbers, by parameter, as campaigns are compared."""
    return {name: row.value_in(spec) for name, row in DECIDING.items() if not row.idle(spec)}


def facts(spec: CampaignSpec) -> dict[str, str]:
    """Everything that a campaign was asked and that decides something in it: the value in words, by parameter.

    >>> [f"{PARAMETERS[name].label}: {words}" for name, words in facts(CampaignSpec("toy", "toy", "sv")).items()][:3]
    ['Network: toy', 'Data: toy', 'Criterion: SV (sign-value), g: ratio (sigma = 2)']
    """
    rows = [row for row in PARAMETERS.values() if not row.told_by and row.counts(spec)]
    said = {row.name: row.said(spec) for row in rows if row.name != RETRIES}
    if "seeds" in said and spec.seeds is None and own_decisions(spec.data):
        said["seeds"] = OWN_SEEDS
    return said | ({RETRIES: ", ".join(map(raised, spec.retries))} if spec.retries else {})


def settings_in_words(spec: CampaignSpec, names: Collection[str] | None = None) -> str:
    """The parameters that are not the usual ones, or those with these names, in a few words.

    >>> settings_in_words(CampaignSpec("toy", "toy", generator="lp", seed_order="random", pairs=200, top_weights=10))
    'data toy, generator lp, 200 pairs, w10, random order'
    >>> settings_in_words(CampaignSpec("toy", "toy", seed_order="random"), ["seed_order", "bound"])
    'random order, no bound'
    """
    values, chosen = asked(spec), _unusual(spec) if names is None else names
    said = [DECIDING[name].in_short(value) for name, value in values.items() if name in chosen]
    return ", ".join(filter(None, said))


def _unusual(spec: CampaignSpec) -> set[str]:
    return {name for name, value in asked(spec).items() if value != DECIDING[name].default}


def search_in_words(spec: CampaignSpec) -> str:
    """How a campaign searches: its generator, what is not at its default, and what was tried again later.

    >>> search_in_words(CampaignSpec("toy", "toy", generator="lp", max_seeds=9))
    'Linear programming with these settings: at most 9 seeds'
    >>> search_in_words(CampaignSpec("toy", "toy", generator="lp", effect="needed"))
    'Linear programming with these settings: effect needed'
    """
    apart = settings_in_words(spec, _unusual(spec).intersection(SEARCH))
    settings = f"with these settings: {apart}" if apart else "with the default settings"
    later = f"; later {', '.join(map(raised, spec.retries))}" if spec.retries else ""
    return f"{PARAMETERS['generator'].said(spec)} {settings}{later}"


def title_of(spec: CampaignSpec) -> str:
    """Network and criterion, with its top weights as the paper writes them, and the suite that left open what is asked.

    >>> title_of(CampaignSpec("mnist-n8", "mnist", top_weights=10))
    'mnist-n8 · SS^w10'
    """
    weights = "" if spec.top_weights is None else f"^w{spec.top_weights}"
    gaps = "" if spec.suite_gaps is None else f", left open by {spec.suite_gaps.suite}"
    return f"{spec.network} · {short_criterion(spec.criterion)}{weights}{gaps}"


def names_apart(specs: Mapping[str, CampaignSpec], own: Mapping[str, str] | None = None) -> dict[str, str]:
    """A name for each campaign that tells it from the others, by its id.

    It is the user's ``own``, or its title with what differs; its id follows where two have the same.
    """
    titles = {each: title_of(spec) for each, spec in specs.items()}
    names = {each: (own or {}).get(each) or _told_apart(each, specs, titles) for each in specs}
    while len(often := Counter(names.values())) < len(names):
        names = {each: f"{name} · {each}" if often[name] > 1 else name for each, name in names.items()}
    return names


def settings_apart(specs: Mapping[str, CampaignSpec]) -> dict[str, str]:
    """The parameters of each campaign that are not the same in all that they decide something in, in a few words.

    Where one decides nothing, another one that differs says so.
    """
    values = [asked(spec) for spec in specs.values()]
    names = [name for name in DECIDING if len({str(each[name]) for each in values if name in each}) > 1]
    return {each: settings_in_words(spec, names) if names else "" for each, spec in specs.items()}


def _told_apart(each: str, specs: Mapping[str, CampaignSpec], titles: Mapping[str, str]) -> str:
    alike = {other: specs[other] for other in specs if titles[other] == titles[each]}
    words = settings_apart(alike)[each]
    if len(f"{titles[each]}, {words}") > MOST_LETTERS:
        words = settings_in_words(specs[each], _fewest_apart(list(alike.values())))
    return f"{titles[each]}, {words}" if words else titles[each]


def _fewest_apart(specs: Sequence[CampaignSpec]) -> list[str]:
    """The first parameters that tell as many of these campaigns apart as all parameters do."""
    values, chosen = [asked(spec) for spec in specs], list[str]()
    groups = 1
    for name in DECIDING:
        finer = len({str([each.get(other) for other in (*chosen, name)]) for each in values})
        if finer > groups:
            chosen, groups = [*chosen, name], finer
    return chosen
