"""The parameters of a new campaign, as choices give them.

Menus are built from the registries. Each choice keeps its value while the session lasts, so that it is still there
after a look at another page.
"""

from __future__ import annotations

from typing import Any

Fields = dict[str, Any]
"""Some parameters of a `CampaignSpec`, by name."""
