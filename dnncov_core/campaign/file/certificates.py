"""The certificates of a campaign file: neurons whose sign is proved to be constant."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from dnncov_core.campaign.file.claims import refuse_workers
from dnncov_core.campaign.file.encoding import columns, marks, to_row
from dnncov_core.campaign.file.prepared import JudgedPart
from dnncov_core.errors import CampaignError
from dnncov_core.records import Certificate, Outcome


@dataclass(frozen=True)
class ProofCounts:
    """What is proved of a campaign, by all its proofs together.

    Attributes:
        neurons: how many the network's layers 2..K have.
        constant: of them, those whose sign is proved to be constant.
        by_method: how many of these each method proved.
        conditions_infeasible: test conditions of the campaign proved infeasible.
        covered: test conditions with a replayable witness.
        pairs: all test conditions of the campaign.
        seconds: working time of the last proof.
    """

    neurons: int
    constant: int
    by_method: dict[str, int]
    conditions_infeasible: int
    covered: int
    pairs: int
    seconds: float


class CertificateTable(JudgedPart):
    """The certificates of one campaign."""

    def all(self) -> list[Certificate]:
        """All certificates, by layer and neuron."""
        everything = f"SELECT {columns(Certificate)} FROM certificate ORDER BY layer, neuron"
        return self.records(Certificate, lambda known, each: known.neurons(each.layer, (each.neuron,)), everything)

    def record(self, certificates: Sequence[Certificate], infeasible: Mapping[int, tuple[int, int] | None]) -> None:
        """Stores new certificates, and that the targets which they decide are proved infeasible, in one transaction.

        ``infeasible`` has, by the target's ordinal, the layer and neuron that decides; None if no single neuron does.

        Raises:
            CampaignError: a test pair contradicts a certificate, or a worker is at the campaign; nothing is stored.
        """
        with self.database.transaction() as connection:
            refuse_workers(self.database)
            rows = connection.execute("SELECT ordinal FROM target WHERE outcome = 'found'")
            contradicted = sorted({ordinal for (ordinal,) in rows} & infeasible.keys())
            if contradicted:
                raise contradiction(infeasible[contradicted[0]], contradicted[0])
            connection.executemany(
                f"INSERT OR REPLACE INTO certificate ({columns(Certificate)}) VALUES ({marks(Certificate)})",
                map(to_row, certificates),
            )
            connection.executemany(
                "UPDATE target SET outcome = ? WHERE ordinal = ?",
                [(Outcome.PROVED_INFEASIBLE.value, ordinal) for ordinal in infeasible],
            )


def contradiction(neuron: tuple[int, int] | None, ordinal: int) -> CampaignError:
    """The alarm: a stored test pair of a condition that a certificate, or a proof of its own, makes infeasible."""
    proved = "that covers a condition which is proved infeasible"
    if neuron is not None:
        proved = "that changes the sign of neuron {1} of layer {0}, which is proved to be constant".format(*neuron)
    return CampaignError(
        f"no test pair {proved}",
        f"the test pair of condition {ordinal}",
        "replay it with 'dnncov verify', and report this: either the pair or the proof is wrong; nothing was stored",
    )
