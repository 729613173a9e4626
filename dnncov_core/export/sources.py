"""The files that `dnncov export` and `dnncov pairs` read: campaigns and measurements."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from dnncov_core.campaign.file.store import CampaignStore
from dnncov_core.data.files import file_names
from dnncov_core.entries.kinds import named_apart, read_note
from dnncov_core.errors import DnncovError, SpecificationError, unknown_name
from dnncov_core.export.catalogue import CAMPAIGN, COMPARISON, MEASUREMENT, PAIRS, ExhibitKind
from dnncov_core.export.exhibits import campaign_exhibits, comparison_exhibits, measurement_exhibits
from dnncov_core.export.folder import MOST_PICTURES, File, check_formats, files, pair_files
from dnncov_core.export.formats import check_width
from dnncov_core.export.provenance import of_campaign
from dnncov_core.registry import networks
from dnncov_core.registry.file import registered
from dnncov_core.suites.measurement_file import StoredMeasurement, read

if TYPE_CHECKING:
    from dnncov_core.networks.network import Network

MEASUREMENT_SUFFIX = ".json"
COMPARED = "comparison"
"""The folder of what several campaigns have together."""


@dataclass(frozen=True)
class Wanted:
    """What is to be written.

    Attributes:
        formats: names of formats.
        width: of pictures, in millimetres.
        names: of figures and tables, and "pairs"; None for all.
        pictures: test pairs of a campaign that become pictures; None for all.
    """

    formats: Sequence[str]
    width: float
    names: Sequence[str] | None = None
    pictures: int | None = MOST_PICTURES


@contextmanager
def opened_files(
    paths: Sequence[Path],
    *,
    formats: Sequence[str],
    width: str,
    names: Sequence[str] | None = None,
    pictures: int | None = MOST_PICTURES,
) -> Iterator[Iterator[File]]:
    """The files of campaigns, and of measurements (``.json``), to be written while this is open.

    Those of one campaign or measurement have no folder; those of several have each a folder of the file's name, and the
    figures of several campaigns are in the folder "comparison".

    ``names`` are of figures and tables, and "pairs"; ``width`` is the name of one, and ``pictures`` how many test pairs
    become pictures. None stands for all.

    Raises:
        SpecificationError: a name that is not known, or of which there is nothing; two files of one name.
        CampaignError: no campaign there, or a damaged one.
        DataError: no measurement there, or a damaged one.
    """
    check_formats(formats)
    wanted = Wanted(formats, check_width(width), names, pictures)
    _check_paths(paths)
    with ExitStack() as opened:
        stores = [_opened(path, opened) for path in paths if path.suffix != MEASUREMENT_SUFFIX]
        measured = {path: read(path) for path in paths if path.suffix == MEASUREMENT_SUFFIX}
        compared = [name for name in names or () if name in COMPARISON]
        if compared and len(stores) < 2:
            expected = f"two or more campaign files for {compared[0]}"
            raise SpecificationError(expected, str(len(stores)), "name more files")
        if len(paths) == 1:
            yield _campaign_files(stores[0], wanted) if stores else _measurement_files(*measured.popitem(), wanted)
        else:
            yield _files_of_several(stores, measured, wanted)


def _opened(path: Path, opened: ExitStack) -> CampaignStore:
    store = opened.enter_context(CampaignStore(path))
    opened.enter_context(store.at_one_moment())
    return store


def _check_paths(paths: Sequence[Path]) -> None:
    often = Counter(path.stem for path in paths)
    twice = [stem for stem, n in often.items() if n > 1]
    if twice or (COMPARED in often and len(paths) > 1):
        got = f"{often[twice[0]]} of the name {twice[0]}" if twice else f"one of the name {COMPARED}"
        raise SpecificationError("files of different names, each of which becomes a folder", got, "rename one")


def _campaign_files(store: CampaignStore, wanted: Wanted) -> Iterator[File]:
    others = None if wanted.names is None else [name for name in wanted.names if name != PAIRS]
    exhibits = campaign_exhibits(store, others)
    pairs = wanted.names is None or PAIRS in wanted.names
    more = pair_files(store, of_campaign(store), wanted.formats, wanted.width, wanted.pictures) if pairs else []
    return files(exhibits, wanted.formats, wanted.width, more)


def _measurement_files(measured: Path, found: StoredMeasurement, wanted: Wanted) -> Iterator[File]:
    exhibits = measurement_exhibits(found, measured.stem, wanted.names, name=read_note(measured.with_suffix("")).name)
    return files(exhibits, wanted.formats, wanted.width)


def _files_of_several(
    stores: Sequence[CampaignStore], measured: Mapping[Path, StoredMeasurement], wanted: Wanted
) -> Iterator[File]:
    """The files of several sources: a folder for each, and one for all campaigns together.

    Raises:
        SpecificationError: a name that is not known, or of which none of them has anything.
    """
    by_name = named_apart(stores) if len(stores) > 1 else {}
    of_each = {store.path.stem: _had(CAMPAIGN, store, wanted) for store in stores}
    of_each |= {path.stem: _had(MEASUREMENT, found, wanted) for path, found in measured.items()}
    of_all = _had(COMPARISON, by_name, wanted) if by_name else replace(wanted, names=())
    _check_names(wanted, [*of_each.values(), of_all], stores, measured)
    parts = [(store.path.stem, _campaign_files(store, of_each[store.path.stem])) for store in stores]
    parts += [(path.stem, _measurement_files(path, found, of_each[path.stem])) for path, found in measured.items()]
    if by_name:
        exhibits = comparison_exhibits(by_name, of_all.names)
        parts.append((COMPARED, files(exhibits, wanted.formats, wanted.width)))
    return (File(f"{folder}/{file.name}", file.content) for folder, some in parts for file in some)


def _had(kinds: Mapping[str, ExhibitKind], source: Any, wanted: Wanted) -> Wanted:
    """What is wanted, without names that are of no such kind or of which the source has nothing; test pairs stay."""
    if wanted.names is None:
        return wanted
    also = [PAIRS] if kinds is CAMPAIGN else []
    names = [name for name in wanted.names if name in kinds and next(kinds[name].tables(source, ""), None) is not None]
    return replace(wanted, names=[*names, *(name for name in also if name in wanted.names)])


def _check_names(
    wanted: Wanted, of_each: Iterable[Wanted], stores: Sequence[Any], measured: Mapping[Path, Any]
) -> None:
    known = [*((*CAMPAIGN, *COMPARISON, PAIRS) if stores else ()), *(MEASUREMENT if measured else ())]
    had = {name for each in of_each for name in each.names or ()}
    for name in wanted.names or ():
        if name not in known:
            raise unknown_name("figure of these files", name, known)
        if name not in had:
            got = f"{name}, for which they hold nothing"
            raise SpecificationError("a figure that one of these files has", got, "leave it out")


def network_for(store: CampaignStore, reference: str | None, tell: Callable[[str], None]) -> Network | None:
    """The campaign's network: from ``reference``, or by the name in the file if it is embedded or registered.

    A file that came from elsewhere names no code to run here: None for any other name, and for a network that is not
    here; ``tell`` is called with the reason.

    Raises:
        NetworkError: the one that is given cannot be loaded.
        CampaignError: it is another than the campaign's.
    """
    name = store.spec().network
    if reference is None and name not in networks():
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
    folder = Path(name if entry is None else entry.path)
    if network is None and reference is not None:
        raise SpecificationError("the network that reads these data", "none", "give it with --network")
    if network is None or not folder.is_dir():
        return []
    from dnncov_core.campaign.work.inputs import data_of  # PyTorch only where it is needed

    data_of(store, network, reference)
    return file_names(folder)
