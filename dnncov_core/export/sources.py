"""The files that `dnncov export` and `dnncov pairs` read: campaigns and measurements."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from dnncov_core.campaign.file.store import CampaignStore
from dnncov_core.data.archives import folder_of
from dnncov_core.data.files import file_names
from dnncov_core.entries.kinds import named_apart, read_note
from dnncov_core.errors import DnncovError, SpecificationError, unknown_name
from dnncov_core.export.catalogue import CAMPAIGN, COMPARISON, MEASUREMENT, PAIRS, ExhibitKind
from dnncov_core.export.exhibits import Exhibit, campaign_exhibits, comparison_exhibits, measurement_exhibits
from dnncov_core.export.folder import ALL, MOST_PICTURES, File, files, pair_files
from dnncov_core.export.formats import WIDTHS
from dnncov_core.export.provenance import of_campaign
from dnncov_core.registry import is_allowed
from dnncov_core.registry.file import registered
from dnncov_core.suites.measurement_file import MEASUREMENT_SUFFIX
from dnncov_core.suites.measurement_reader import read

if TYPE_CHECKING:
    from dnncov_core.networks.network import Network

COMPARISON_FOLDER = "comparison"
"""The folder of what several campaigns have together."""


@dataclass(frozen=True)
class Wanted:
    """What is to be written.

    Attributes:
        formats: names of formats.
        width: of pictures, a key of `WIDTHS`.
        names: of figures and tables, and "pairs"; None for all.
        pictures: test pairs of a campaign that become pictures; None for all.

    Raises:
        SpecificationError: a format or a width that is not known.
    """

    formats: Sequence[str]
    width: str
    names: Sequence[str] | None = None
    pictures: int | None = MOST_PICTURES

    def __post_init__(self) -> None:
        for name in self.formats:
            if name not in ALL:
                raise unknown_name("format", name, ALL)
        if self.width not in WIDTHS:
            raise unknown_name("width", self.width, WIDTHS)


@dataclass(frozen=True)
class Source:
    """A campaign, a measurement, or several campaigns beside each other.

    Attributes:
        folder: the name of its folder, if it is not alone.
        held: what its tables are made of.
        kinds: figures and tables of such a source, by name.
        exhibits: makes those that are named; all for None.
        campaign: the one whose test pairs are files as well; None for a source without test pairs.
    """

    folder: str
    held: object
    kinds: Mapping[str, ExhibitKind]
    exhibits: Callable[[Sequence[str] | None], list[Exhibit]]
    campaign: CampaignStore | None = None

    @property
    def names(self) -> tuple[str, ...]:
        """What can be asked of such a source."""
        return (*self.kinds,) if self.campaign is None else (*self.kinds, PAIRS)

    def has(self, name: str) -> bool:
        """Whether there is something of this name; test pairs there are always."""
        tables = self.kinds[name].tables(self.held, "") if name in self.kinds else ()
        return any(True for _ in tables) or (name == PAIRS and name in self.names)

    def files(self, wanted: Wanted) -> Iterator[File]:
        """The files of its figures and tables, and of a campaign's test pairs."""
        width, names, more = WIDTHS[wanted.width], wanted.names, []
        if self.campaign is not None and (names is None or PAIRS in names):
            known = of_campaign(self.campaign)
            more = pair_files(self.campaign, known, wanted.formats, width, wanted.pictures)
            names = None if names is None else [name for name in names if name != PAIRS]
        return files(self.exhibits(names), wanted.formats, width, more)


@contextmanager
def opened_files(paths: Sequence[Path], wanted: Wanted) -> Iterator[Iterator[File]]:
    """The files of campaigns, and of measurements (``.json``), to be written while this is open.

    Those of one campaign or measurement have no folder; those of several have each a folder of the file's name, and the
    figures of several campaigns are in the folder "comparison".

    Raises:
        SpecificationError: a name that is not known, or of which there is nothing; two files of one name.
        CampaignError: no campaign there, or a damaged one.
        DataError: no measurement there, or a damaged one.
    """
    _check_paths(paths)
    with ExitStack() as opened:
        stores = [opened.enter_context(CampaignStore(path)) for path in paths if path.suffix != MEASUREMENT_SUFFIX]
        for store in stores:
            opened.enter_context(store.at_one_moment())
        measured = [_measurement(path) for path in paths if path.suffix == MEASUREMENT_SUFFIX]
        compared = [name for name in wanted.names or () if name in COMPARISON]
        if compared and len(stores) < 2:
            expected = f"two or more campaign files for {compared[0]}"
            raise SpecificationError(expected, str(len(stores)), "name more files")
        sources = [Source(each.path.stem, each, CAMPAIGN, partial(campaign_exhibits, each), each) for each in stores]
        sources += measured
        if len(stores) > 1:
            by_name = named_apart(stores)
            sources.append(Source(COMPARISON_FOLDER, by_name, COMPARISON, partial(comparison_exhibits, by_name)))
        yield sources[0].files(wanted) if len(paths) == 1 else _files_of_several(sources, wanted)


def _check_paths(paths: Sequence[Path]) -> None:
    often = Counter(path.stem for path in paths)
    twice = [stem for stem, n in often.items() if n > 1]
    if twice or (COMPARISON_FOLDER in often and len(paths) > 1):
        got = f"{often[twice[0]]} of the name {twice[0]}" if twice else f"one of the name {COMPARISON_FOLDER}"
        raise SpecificationError("files of different names, each of which becomes a folder", got, "rename one")


def _measurement(path: Path) -> Source:
    found, name = read(path), read_note(path.with_suffix("")).name
    return Source(path.stem, found, MEASUREMENT, lambda names: measurement_exhibits(found, path.stem, names, name=name))


def _files_of_several(sources: Sequence[Source], wanted: Wanted) -> Iterator[File]:
    """The files of several sources, each in its folder.

    Raises:
        SpecificationError: a name that is not known, or of which none of them has anything.
    """
    of_each = [wanted] * len(sources)
    if wanted.names is not None:
        of_each = [replace(wanted, names=[name for name in wanted.names if each.has(name)]) for each in sources]
    known = dict.fromkeys(name for source in sources for name in source.names)
    for name in wanted.names or ():
        if name not in known:
            raise unknown_name("figure of these files", name, known)
        if not any(name in (own.names or ()) for own in of_each):
            got = f"{name}, for which they hold nothing"
            raise SpecificationError("a figure that one of these files has", got, "leave it out")
    parts = [(source.folder, source.files(own)) for source, own in zip(sources, of_each, strict=True)]
    return (File(f"{folder}/{file.name}", file.content) for folder, some in parts for file in some)


def network_for(store: CampaignStore, reference: str | None, tell: Callable[[str], None]) -> Network | None:
    """The campaign's network: from ``reference``, or by the name in the file if it is embedded or registered.

    A file that came from elsewhere names no code to run here: None for any other name, and for a network that is not
    here; ``tell`` is called with the reason.

    Raises:
        NetworkError: the one that is given cannot be loaded.
        CampaignError: it is another than the campaign's.
    """
    name = store.spec().network
    if reference is None and not is_allowed(name):
        tell(f"{name} is neither embedded nor registered; give it with --network")
        return None
    from dnncov_core.campaign.work.inputs import network_of  # PyTorch only where it is needed

    try:
        return network_of(store, reference)[0]
    except DnncovError as error:
        if reference is not None:
            raise
        tell(str(error))
        return None


def seed_files(store: CampaignStore, network: Network | None, reference: str | None) -> list[str]:
    """Names of the data's files by row, each as ``CLASS/IMAGE.png``; none where the data are no folder that is here.

    Raises:
        SpecificationError: data are given, and the network is not known, without which they cannot be told.
        CampaignError: other data than the campaign's.
        DataError: they cannot be read.
    """
    name = reference or store.spec().data
    entry = registered().data.get(name)
    folder = folder_of(Path(name if entry is None else entry.path))
    if network is None and reference is not None:
        raise SpecificationError("the network that reads these data", "none", "give it with --network")
    if network is None or folder is None:
        return []
    from dnncov_core.campaign.work.inputs import data_of  # PyTorch only where it is needed

    data_of(store, network, reference)
    return file_names(folder)
