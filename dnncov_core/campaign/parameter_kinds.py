"""Kinds of campaign parameters: how the values of each are checked, read from a command line, and said in words."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable, Container, Mapping
from dataclasses import dataclass
from enum import Enum
from typing import Any, ClassVar, Protocol

from dnncov_core.errors import ParameterError


class FormPart(Enum):
    """The part of the Run page's form that asks for a parameter."""

    NETWORK = "Network and data"
    CRITERION = "Criterion"
    CONDITIONS = "Test conditions"
    SEARCH = "Search"
    MORE = "More settings"


class Entry(Protocol):
    """What an entry of a registry says of itself: its title, and its meaning in a sentence or two."""

    @property
    def title(self) -> str: ...

    @property
    def words(self) -> str: ...


@dataclass(frozen=True)
class Reader:
    """Reads a value from a command line; what cannot be read is a ValueError whose message says what is expected."""

    expected: str
    convert: Callable[[str], Any]

    def __call__(self, text: str) -> Any:
        try:
            return self.convert(text)
        except (ValueError, ZeroDivisionError):
            raise ValueError(self.expected) from None


def _quotient(text: str) -> float:
    numerator, slash, denominator = text.partition("/")
    return float(numerator) / float(denominator) if slash else float(text)


ANY_TEXT = Reader("any text", str)
WHOLE = Reader("a whole number", int)
WHOLE_OR_ALL = Reader("all or a whole number", lambda text: None if text == "all" else int(text))
WHOLES = Reader("whole numbers separated by commas, such as 3,4", lambda text: tuple(map(int, text.split(","))))
NUMBER = Reader("a number", float)
QUOTIENT = Reader("a number, or two with a slash such as 8/255", _quotient)


@dataclass(frozen=True, kw_only=True)
class Parameter:
    """A parameter of a campaign: all that engine, command, app and reports know of it.

    Attributes:
        label: what the app, tables and captions call it.
        help: what it is, for the app and the command: a phrase that begins with a small letter and has no full stop.
        part: where the Run page asks for it; None where only the command does.
        none: what it means to leave it out, in words; empty where that is said elsewhere.
        short: a value in a list of few words: ``{words}`` is the value in words, ``{small}`` in small letters, and
            ``{value}`` the value itself.
        matters: why numbers of campaigns that differ in it are hard to compare, a sentence; empty where no share
            depends on it, and where it is what a comparison is about.
        idle: whether it decides no share of a campaign, given the other parameters, of which the form may have some
            that no campaign can have; left out, it always decides something.
        always: whether it is asked for and told of nevertheless, since it decides something else.
        told_by: the parameter that says this one's value too, where all of a campaign is told.
        speed: whether campaigns must agree in it to be of like speed.
        metavar: what the command's help writes for its value.
        option: how the command names it; its name with dashes if left out, and nothing for a `Record`.
        name: its field in the specification; `PARAMETERS` fills it in.
        default: likewise; `dataclasses.MISSING` where a campaign must say it.
        suggested: what the form begins with instead of the default.
        read: the value that a text on the command line means.
    """

    label: str
    help: str
    part: FormPart | None = None
    none: str = ""
    short: str = "{words}"
    matters: str = ""
    idle: Callable[[Any], bool] = lambda spec: False
    always: bool = False
    told_by: str = ""
    speed: bool = False
    metavar: str | None = None
    option: str = ""
    name: str = ""
    default: Any = None
    suggested: Any = None
    read: ClassVar[Reader] = ANY_TEXT

    @classmethod
    def field(cls, default: Any, **known: Any) -> Any:
        """A field with this default, or none if it is `dataclasses.MISSING`, that is this parameter."""
        return dataclasses.field(default=default, metadata={"row": cls(**known)})

    @property
    def allowed(self) -> str:
        """What a value must be, continuing "must be"; empty where it can be anything."""
        return ""

    @property
    def first(self) -> Any:
        """The value that the form begins with."""
        return self.default if self.suggested is None else self.suggested

    def named(self, name: str, default: Any) -> Parameter:
        """This row, as the field ``name`` of a specification."""
        option = self.option or f"--{name.replace('_', '-')}"
        return dataclasses.replace(self, name=name, default=default, option=option)

    def check(self, value: Any) -> None:
        """Refuses a value that no campaign can have.

        Raises:
            ParameterError: it is none of those allowed.
        """
        if not (value is None and self.default is None) and not self.holds(value):
            raise ParameterError(self.name, self.allowed, repr(value))

    def holds(self, value: Any) -> bool:
        """Whether a campaign can have this value."""
        return True

    def counts(self, spec: Any) -> bool:
        """Whether it decides something in a campaign, so that it is asked for and told of."""
        return self.always or not self.idle(spec)

    def value_in(self, spec: Any) -> Any:
        """What is compared between campaigns: the value in a specification."""
        return getattr(spec, self.name)

    def said(self, spec: Any) -> str:
        """The value in a specification in words, with all that belongs to it."""
        return self.words(getattr(spec, self.name))

    def words(self, value: Any) -> str:
        """A value in words, for a table or a caption."""
        return self.none if value is None else self._words(value)

    def in_short(self, value: Any) -> str:
        """A value in a list of few words."""
        if value is None:
            return self.none
        words = self._words(value)
        return self.short.format(words=words, small=words.lower(), value=value, s="s" * (value != 1))

    def _words(self, value: Any) -> str:
        return str(value)

    @property
    def sentence(self) -> str:
        """The help as a sentence, for the app."""
        return f"{self.help[0].upper()}{self.help[1:]}."

    @property
    def usage(self) -> str:
        """The help with what can be chosen and the default, for the command."""
        offered = self.allowed if isinstance(self, Choice) else ""
        said = "; ".join(filter(None, (offered, self._default_words and f"default: {self._default_words}")))
        return self.help + (f" ({said})" if said else "")

    @property
    def _default_words(self) -> str:
        return self.none if self.default in (None, dataclasses.MISSING) else str(self.default)


@dataclass(frozen=True, kw_only=True)
class Choice(Parameter):
    """One of the names of a registry; ``here`` tells which of them this machine has, if that is not all."""

    known: Mapping[str, Entry]
    here: Callable[[], Container[str]] | None = None

    @property
    def offered(self) -> list[str]:
        """The names that can be chosen on this machine."""
        return [name for name in self.known if self.here is None or name in self.here()]

    @property
    def allowed(self) -> str:
        return f"one of {', '.join(self.known)}"

    def holds(self, value: Any) -> bool:
        return value in self.known

    def _words(self, value: Any) -> str:
        return self.known[value].title

    @property
    def sentence(self) -> str:
        meanings = (f"{entry.title}: {entry.words}" for entry in self.known.values() if entry.words)
        return "\n\n".join((super().sentence, *meanings))


@dataclass(frozen=True, kw_only=True)
class Whole(Parameter):
    """A whole number; ``step`` is how far the buttons of the form go."""

    least: int
    step: int = 1
    metavar: str | None = "N"
    read: ClassVar[Reader] = WHOLE

    @property
    def allowed(self) -> str:
        return f"at least {self.least}"

    def holds(self, value: Any) -> bool:
        return bool(value >= self.least)

    def _words(self, value: Any) -> str:
        return f"{value:,}"


@dataclass(frozen=True, kw_only=True)
class WholeOrAll(Whole):
    """A whole number, or "all", which is None."""

    metavar: str | None = "all|N"
    read: ClassVar[Reader] = WHOLE_OR_ALL


@dataclass(frozen=True, kw_only=True)
class Number(Parameter):
    """A finite number, within limits where there are some; ``shown`` is how the form writes it."""

    above: float | None = None
    below: float | None = None
    most: float | None = None
    step: float = 0.5
    shown: str | None = None
    metavar: str | None = "NUMBER"
    read: ClassVar[Reader] = NUMBER

    @property
    def allowed(self) -> str:
        limits = (("above", self.above), ("below", self.below), ("at most", self.most))
        said = [f"{word} {limit:g}" for word, limit in limits if limit is not None]
        return " and ".join(said if self.below or self.most else [*said, "finite"])

    def holds(self, value: Any) -> bool:
        return (
            math.isfinite(value)
            and (self.above is None or value > self.above)
            and (self.below is None or value < self.below)
            and (self.most is None or value <= self.most)
        )

    def _words(self, value: Any) -> str:
        return f"{value:g}"


@dataclass(frozen=True, kw_only=True)
class Share(Number):
    """A share of a whole, said in per cent."""

    def _words(self, value: Any) -> str:
        return f"{100 * value:g} %"


@dataclass(frozen=True, kw_only=True)
class Distance(Number):
    """A number that may be written as a fraction, as grey levels are."""

    read: ClassVar[Reader] = QUOTIENT


@dataclass(frozen=True, kw_only=True)
class Flag(Parameter):
    """Yes or no; the command's option says yes."""

    @property
    def _default_words(self) -> str:
        return ""

    def in_short(self, value: Any) -> str:
        return self.short if value else f"no {self.short}"

    def _words(self, value: Any) -> str:
        return "yes" if value else "no"


@dataclass(frozen=True, kw_only=True)
class Layers(Parameter):
    """Numbers of layers; none of them stands for all."""

    metavar: str | None = "3,4"
    read: ClassVar[Reader] = WHOLES

    def in_short(self, value: Any) -> str:
        return super().in_short(value) if value else "all layers"

    def _words(self, value: Any) -> str:
        return ", ".join(map(str, value)) or "all"

    @property
    def _default_words(self) -> str:
        return self._words(self.default)


@dataclass(frozen=True, kw_only=True)
class Record(Parameter):
    """What happened to a campaign later: no option, and nothing to choose."""
