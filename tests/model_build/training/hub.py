"""The few answers of a model hub that its client asks for, over folders of this machine."""

from __future__ import annotations

import hashlib
from pathlib import Path

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import FileResponse, JSONResponse, Response
from starlette.routing import Route

COMMIT = "0" * 40


def application(repositories: dict[str, Path]) -> Starlette:
    """Serve repositories.

    Parameters
    ----------
    repositories
        Folders, by ``models/OWNER/NAME`` or ``datasets/OWNER/NAME``.
    """

    def folder(request: Request) -> Path | None:
        kind = "datasets" if "datasets" in request.url.path.split("/")[:3] else "models"
        return repositories.get("{}/{owner}/{name}".format(kind, **request.path_params))

    async def about(request: Request) -> Response:
        found = folder(request)
        if found is None:
            return _missing("RepoNotFound")
        names = sorted(str(p.relative_to(found)) for p in found.rglob("*") if p.is_file())
        siblings = [{"rfilename": name} for name in names]
        identity = "{owner}/{name}".format(**request.path_params)
        return JSONResponse({"id": identity, "sha": COMMIT, "siblings": siblings})

    async def tree(request: Request) -> Response:
        found = folder(request)
        if found is None:
            return _missing("RepoNotFound")
        files = sorted(path for path in found.rglob("*") if path.is_file())
        return JSONResponse(
            [
                {
                    "type": "file",
                    "path": str(path.relative_to(found)),
                    "size": path.stat().st_size,
                    "oid": hashlib.sha1(path.read_bytes()).hexdigest(),
                }
                for path in files
            ]
        )

    async def file(request: Request) -> Response:
        found = folder(request)
        if found is None:
            return _missing("RepoNotFound")
        path = found / request.path_params["file"]
        if not path.is_file():
            return _missing("EntryNotFound")
        etag = hashlib.sha256(path.read_bytes()).hexdigest()
        return FileResponse(path, headers={"X-Repo-Commit": COMMIT, "ETag": f'"{etag}"'})

    return Starlette(
        routes=[
            Route("/api/{kind}/{owner}/{name}/revision/{revision:path}", about),
            Route("/api/{kind}/{owner}/{name}/tree/{revision}", tree),
            Route("/api/{kind}/{owner}/{name}", about),
            Route("/datasets/{owner}/{name}/resolve/{revision}/{file:path}", file),
            Route("/{owner}/{name}/resolve/{revision}/{file:path}", file),
        ]
    )


def _missing(code: str) -> Response:
    return JSONResponse(
        {"error": "not found"},
        status_code=404,
        headers={"X-Error-Code": code, "X-Error-Message": "not found"},
    )
