"""What `dnncov export` and `dnncov pairs` read: a campaign, a measurement, and what is known of both."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from dnncov_core.campaign.store import CampaignStore
from dnncov_core.data_files import file_names
from dnncov_core.errors import DnncovError, SpecificationError
from dnncov_core.export.exhibits import CAMPAIGN, PAIRS, campaign_exhibits, measurement_exhibits
from dnncov_core.export.folder import MOST_PICTURES, File, check_formats, files, pair_files
from dnncov_core.export.formats import check_width
from dnncov_core.export.provenance import of_campaign
from dnncov_core.networks.network import Network
from dnncov_core.registry import networks
from dnncov_core.registry_file import registered
from dnncov_core.suites.stored import read

MEASUREMENT_SUFFIX = ".json"


@contextmanager
def opened_files(
    path: Path,
    *,
    formats: Sequence[str],
    width: str,
    names: Sequence[str] | None = None,
    pictures: int | None = MOST_PICTURES,
) -> Iterator[Iterator[File]]:
    """The files of a campaign, or of a measurement (``.json``), to be written while this is open.

    Args:
        path: the campaign or measurement.
        formats: names of formats.
        width: the name of a width.
        names: of figures and tables, and "pairs"; None for all.
        pictures: test pairs that become pictures; None for all.

    Raises:
        SpecificationError: a name that is not known.
        CampaignError: no campaign there, or a damaged one.
        DataError: no measurement there, or a damaged one.
    """
    check_formats(formats)
    millimetres = check_width(width)
    if path.suffix == MEASUREMENT_SUFFIX:
        yield files(measurement_exhibits(read(path), path.stem, names), formats, millimetres)
        return
    with CampaignStore(path) as store, store.at_one_moment():
        known = [*CAMPAIGN, PAIRS] if names is None else names
        others = None if names is None else [name for name in names if name != PAIRS]
        exhibits = campaign_exhibits(store, others)
        more = pair_files(store, of_campaign(store), formats, millimetres, pictures) if PAIRS in known else []
        yield files(exhibits, formats, millimetres, more)


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
    from dnncov_core.campaign.inputs import network_of  # PyTorch only where it is needed

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
    from dnncov_core.campaign.inputs import data_of  # PyTorch only where it is needed

    data_of(store, network, reference)
    return file_names(folder)
