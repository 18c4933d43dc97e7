"""``GET /``: a page to try the service on."""

from __future__ import annotations

from pathlib import Path

from fastapi import APIRouter
from fastapi.responses import FileResponse

_FOLDER = Path(__file__).parent / "static"
# Nothing from elsewhere, so what is typed cannot leave for elsewhere.
_HEADERS = {
    "Content-Security-Policy": "default-src 'none'; script-src 'self'; style-src 'self'; "
    "connect-src 'self'; img-src data:; base-uri 'none'; form-action 'none'; "
    "frame-ancestors 'none'",
    "Cache-Control": "no-cache",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
}

router = APIRouter(include_in_schema=False)


@router.get("/")
async def page() -> FileResponse:
    """Return the page."""
    return _file("try.html")


@router.get("/try.css")
async def style() -> FileResponse:
    """Return the page's style."""
    return _file("try.css")


@router.get("/try.js")
async def script() -> FileResponse:
    """Return the page's script."""
    return _file("try.js")


def _file(name: str) -> FileResponse:
    return FileResponse(_FOLDER / name, headers=_HEADERS)
