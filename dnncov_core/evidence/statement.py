"""The in-toto statement over the files of a pack, what the checker found when it was written, and its signature."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from dnncov_core.errors import DataError
from dnncov_core.resources import how_to_install

if TYPE_CHECKING:
    from dnncov_core.evidence.verify import Row

STATEMENT, SIGNED, CLAIMS = "statement.json", "statement.dsse.json", "claims.json"
TYPE, PREDICATE = "https://in-toto.io/Statement/v1", "https://in-toto.io/attestation/test-result/v0.1"
PAYLOAD = "application/vnd.in-toto+json"
HOW_TO_SIGN = f"ssh-keygen -Y sign -n file -f KEY {STATEMENT}"
"""A command that signs the statement, for whoever has no key at hand when the pack is written."""


def digest(content: bytes) -> str:
    """SHA-256, hexadecimal."""
    return hashlib.sha256(content).hexdigest()


def statement(contents: Mapping[str, bytes], found: list[Row]) -> bytes:
    """The statement: digests of all files, and which claims verify.py found to hold.

    Claims of which some rows are near a limit, or that were not computed again, are warnings.
    """
    subject = [{"name": name, "digest": {"sha256": digest(content)}} for name, content in sorted(contents.items())]
    failed = [row.claim for row in found if not row.holds]
    warned = [row.claim for row in found if row.holds and (row.near or not row.agree)]
    passed = [row.claim for row in found if row.holds and row.agree and not row.near]
    predicate = {
        "result": "FAILED" if failed else "WARNED" if warned else "PASSED",
        "configuration": [{"name": CLAIMS, "digest": {"sha256": digest(contents[CLAIMS])}}],
        "passedTests": passed,
        "warnedTests": warned,
        "failedTests": failed,
    }
    content = {"_type": TYPE, "subject": subject, "predicateType": PREDICATE, "predicate": predicate}
    return (json.dumps(content, indent=2, ensure_ascii=False) + "\n").encode()


SIGNER = "'securesystemslib[crypto]'"
"""The package that signs, as a shell takes it."""


def signer_of(key: Path) -> Any:
    """What signs with a private key in PEM format without a password.

    Raises:
        DataError: the packages that sign are missing, or the file holds no such key.
    """
    try:
        from cryptography.hazmat.primitives.serialization import load_pem_private_key
        from securesystemslib.signer import CryptoSigner
    except ImportError as error:
        fix = f"{how_to_install(SIGNER)}; or sign {STATEMENT} with: {HOW_TO_SIGN}"
        raise DataError("the package securesystemslib[crypto], to sign", "no such package", fix) from error
    try:
        return CryptoSigner(load_pem_private_key(key.read_bytes(), None))
    except Exception as error:  # whatever a file that holds no key makes the packages raise
        got = f"{key.name}, which is none ({type(error).__name__})"
        fix = "make one with: openssl genpkey -algorithm ed25519 -out key.pem"
        raise DataError("a private key in PEM format without a password", got, fix) from error


def signed(content: bytes, signer: Any) -> bytes:
    """The statement in a DSSE envelope, as JSON."""
    from securesystemslib.dsse import Envelope

    envelope = Envelope(content, PAYLOAD, {})
    envelope.sign(signer)
    return (json.dumps(envelope.to_dict(), indent=2) + "\n").encode()
