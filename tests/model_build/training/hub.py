"""The parts of a model hub's HTTP API that its client needs, serving local folders."""

from __future__ import annotations

import hashlib
from pathlib import Path

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import FileResponse, JSONResponse, Response
from starlette.routing import Route

COMMIT = "0" * 40


def application(repositories: dict[str, Path]) -> Starlette:
    """Return an application that serves repositories.

    Parameters
    ----------
    repositories
        Local folders by ``models/OWNER/NAME`` or ``datasets/OWNER/NAME``.
    """

    def repository(request: Request) -> Path | None:
        kind = "datasets" if "datasets" in request.url.path.split("/")[:3] else "models"
        return repositories.get("{}/{owner}/{name}".format(kind, **request.path_params))

    async def information(request: Request) -> Response:
        folder = repository(request)
        if folder is None:
            return _not_found("RepoNotFound")
        names = sorted(str(p.relative_to(folder)) for p in folder.rglob("*") if p.is_file())
        siblings = [{"rfilename": name} for name in names]
        identity = "{owner}/{name}".format(**request.path_params)
        return JSONResponse({"id": identity, "sha": COMMIT, "siblings": siblings})

    async def tree(request: Request) -> Response:
        folder = repository(request)
        if folder is None:
            return _not_found("RepoNotFound")
        files = sorted(path for path in folder.rglob("*") if path.is_file())
        return JSONResponse(
            [
                {
                    "type": "file",
                    "path": str(path.relative_to(folder)),
                    "size": path.stat().st_size,
                    "oid": hashlib.sha1(path.read_bytes()).hexdigest(),
                }
                for path in files
            ]
        )

    async def file(request: Request) -> Response:
        folder = repository(request)
        if folder is None:
            return _not_found("RepoNotFound")
        path = folder / request.path_params["file"]
        if not path.is_file():
            return _not_found("EntryNotFound")
        etag = hashlib.sha256(path.read_bytes()).hexdigest()
        return FileResponse(path, headers={"X-Repo-Commit": COMMIT, "ETag": f'"{etag}"'})

    return Starlette(
        routes=[
            Route("/api/{kind}/{owner}/{name}/revision/{revision:path}", information),
            Route("/api/{kind}/{owner}/{name}/tree/{revision}", tree),
            Route("/api/{kind}/{owner}/{name}", information),
            Route("/datasets/{owner}/{name}/resolve/{revision}/{file:path}", file),
            Route("/{owner}/{name}/resolve/{revision}/{file:path}", file),
        ]
    )


def _not_found(code: str) -> Response:
    return JSONResponse(
        {"error": "not found"},
        status_code=404,
        headers={"X-Error-Code": code, "X-Error-Message": "not found"},
    )
