"""Pinning an image, with a registry that speaks the distribution API over HTTP."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from image import ImageError, registry
from simulators.asgi import Server

DIGEST = "sha256:" + "0123456789abcdef" * 4


async def token(request: Request) -> Response:
    assert request.query_params["service"] == "registry.example"
    return JSONResponse({"token": f"for {request.query_params['scope']}"})


async def manifest(request: Request) -> Response:
    authorization = request.headers.get("authorization")
    if authorization is None:
        realm = request.url_for("token")
        header = f'Bearer realm="{realm}",service="registry.example"'
        return Response(status_code=401, headers={"www-authenticate": header})
    assert authorization == "Bearer for repository:lambda/python:pull"
    # Without this type, a registry answers with the image of one architecture.
    assert "application/vnd.oci.image.index.v1+json" in request.headers["accept"]
    if request.path_params["tag"] != "3.13":
        return JSONResponse({"errors": [{"code": "MANIFEST_UNKNOWN"}]}, 404)
    return Response(headers={"docker-content-digest": DIGEST})


@pytest.fixture
def host() -> Iterator[str]:
    application = Starlette(
        routes=[
            Route("/token", token, name="token"),
            Route("/v2/lambda/python/manifests/{tag}", manifest, methods=["HEAD"]),
        ]
    )
    server = Server(application)
    server.start()
    yield server.address.removeprefix("http://")
    server.stop()


@pytest.fixture
def dockerfile(tmp_path: Path) -> Path:
    path = tmp_path / "Dockerfile"
    path.write_text("# A comment.\nARG BASE=a.example/b:1\n\nFROM ${BASE} AS one\nARG BASE\n")
    return path


def test_pinning_replaces_the_parent_by_its_digest_and_later_by_a_newer_one(
    host: str, dockerfile: Path
) -> None:
    assert not registry.is_pinned(dockerfile)
    for _ in range(2):
        pinned = registry.pin(dockerfile, f"{host}/lambda/python:3.13")
        assert pinned == registry.parent(dockerfile) == f"{host}/lambda/python@{DIGEST}"
        assert registry.is_pinned(dockerfile)
        assert dockerfile.read_text().count("ARG BASE") == 2
        dockerfile.write_text(dockerfile.read_text().replace(DIGEST, "sha256:" + "0" * 64))


@pytest.mark.parametrize(
    ("image", "message"),
    [
        ("{host}/lambda/python:2.7", r"has no digest for lambda/python:2\.7 \(404\)"),
        ("127.0.0.1:9/lambda/python:3.13", "cannot be reached"),
    ],
)
def test_an_image_without_a_digest_leaves_the_file_as_it_is(
    host: str, dockerfile: Path, image: str, message: str
) -> None:
    before = dockerfile.read_text()
    with pytest.raises(ImageError, match=message):
        registry.pin(dockerfile, image.format(host=host))
    assert dockerfile.read_text() == before
