"""What the Playground shows: kept in its widgets' state, read from the address first, and written to it."""

from __future__ import annotations

import streamlit as st

from dnncov_core.criteria import CRITERIA, VALUE_FUNCTIONS, CoveringMethod, ValueFunction
from dnncov_core.criteria.value_functions import ANY
from dnncov_core.errors import DnncovError
from dnncov_core.features import FeaturePair
from dnncov_core.partitions import Feature
from dnncov_core.playground.address import read, write
from dnncov_core.playground.setting import EXAMPLES, Point, Setting
from pages.shared import address
from pages.shared.formula import number_of
from pages.shared.words import plain

INPUTS = ("x1", "x2")
CRITERION, EDGE, CONDITION, DECISION = "play-criterion", "play-edge", "play-condition", "play-decision"
FIRST, OWN = "play-g1", "play-g"
"""Keys of widgets; a value function's number has its key with ``-number``."""
FIRST_EXAMPLE = EXAMPLES["ss"].setting
_KEPT = "playground"


def coordinate(name: str, axis: int) -> str:
    """The key of a coordinate of x1 or x2."""
    return f"play-{name}-{axis}"


def arrive() -> None:
    """Takes the setting of the address, or of this session's last visit; an address of nothing is the first example."""
    kept: Setting | None = st.session_state.get(_KEPT)
    if kept is None or CRITERION not in st.session_state or (_untouched(kept) and _asked() != kept):
        put(_asked())


def _untouched(kept: Setting) -> bool:
    """Whether no widget has changed since ``kept``, so that another address was asked for, as by going back.

    After a change the address is still that of before it, and asks for nothing.
    """
    try:
        return current() == kept
    except DnncovError:
        return False


def _asked() -> Setting:
    try:
        return read(address.parameters())
    except DnncovError as error:
        said = f"This address cannot be shown: {plain(str(error))}. Here is the paper's first example."
        st.warning(said, icon=":material/link_off:")
        return FIRST_EXAMPLE


def remember(setting: Setting) -> None:
    """Writes a setting to the address, and keeps it for the next visit of this session.

    An address of nothing stays as it is for the first example, so that going back leaves the page.
    """
    st.session_state[_KEPT] = setting
    address.say({} if setting == FIRST_EXAMPLE and not st.query_params else write(setting))


def put(setting: Setting) -> None:
    """Makes the widgets show a setting."""
    for name, point in zip(INPUTS, (setting.x1, setting.x2), strict=True):
        put_point(name, point)
    st.session_state[CRITERION] = setting.method.key
    put_functions(setting.method)
    put_pair(setting.pair)


def put_point(name: str, point: Point) -> None:
    """Moves x1 or x2."""
    for axis, value in enumerate(point):
        st.session_state[coordinate(name, axis)] = value


def put_functions(method: CoveringMethod) -> None:
    """Makes the menus of value functions show a method's."""
    for key, function in ((OWN, method.own_function or ANY), (FIRST, method.g1)):
        st.session_state[key] = function.name
        number = number_of(type(function))
        if number is not None:
            st.session_state[f"{key}-number"] = getattr(function, number)


def put_pair(pair: FeaturePair) -> None:
    """Makes the choice of features show a pair."""
    st.session_state[EDGE] = (pair.condition.layer, pair.decision.layer)
    st.session_state[CONDITION] = list(pair.condition.neurons)
    st.session_state[DECISION] = list(pair.decision.neurons)


def current() -> Setting:
    """What the widgets say.

    Raises:
        SpecificationError: an input outside the network's bounds, a feature without neurons, or a number that the value
            function does not take.
    """
    x1, x2 = (_point(name) for name in INPUTS)
    k, decision = st.session_state[EDGE]
    condition, decided = (tuple(sorted(st.session_state[key])) for key in (CONDITION, DECISION))
    return Setting(x1, x2, _method(), FeaturePair(Feature(k, condition), Feature(decision, decided)))


def _point(name: str) -> Point:
    one, two = (round(float(st.session_state[coordinate(name, axis)]), 10) for axis in range(2))
    return one, two


def _method() -> CoveringMethod:
    method = CRITERIA[st.session_state[CRITERION]]
    if method.own_function is None:
        return method
    return method.with_functions(_function(OWN), _function(FIRST) if method.two_functions else ANY)


def _function(key: str) -> ValueFunction:
    kind = VALUE_FUNCTIONS[st.session_state[key]]
    number = number_of(kind)
    if number is None:
        return kind()
    return kind(**{number: st.session_state.get(f"{key}-number", 1.0)})
