"""What axe finds on a page."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page


def violations(page: Page) -> list[str]:
    """Return what axe finds on a page as it is now, however slight."""
    axe = pytest.importorskip(
        "axe_playwright_python.sync_playwright", reason="axe is missing: run 'make check'"
    )
    page.wait_for_timeout(100)  # colors that fade
    found = axe.Axe().run(page).response["violations"]
    return [
        f"{one['id']} ({one['impact']}): {node['html']}" for one in found for node in one["nodes"]
    ]
