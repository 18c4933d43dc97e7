"""The digest of an image in a registry, which a tag such as ``3.13`` does not keep.

Source: https://distribution.github.io/distribution/spec/api/
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING

from image import ImageError

if TYPE_CHECKING:
    from urllib3 import BaseHTTPResponse, PoolManager

TIMEOUT = 30.0
"""Seconds."""
MANIFESTS = ", ".join(
    (
        "application/vnd.oci.image.index.v1+json",
        "application/vnd.docker.distribution.manifest.list.v2+json",
        "application/vnd.oci.image.manifest.v1+json",
        "application/vnd.docker.distribution.manifest.v2+json",
    )
)
_DIGEST = re.compile(r"sha256:[0-9a-f]{64}")
_PARENT = re.compile(r"(?m)^ARG BASE=(\S+)$")


def digest(image: str) -> str:
    """Return the digest that a tag has in its registry now.

    Parameters
    ----------
    image
        Registry, repository and tag, such as ``public.ecr.aws/lambda/python:3.13``.

    Raises
    ------
    ImageError
        If the registry cannot be reached, or has no such image.
    """
    # Only 'pin' asks a registry: 'build' needs no package.
    from urllib3 import PoolManager, Timeout
    from urllib3.exceptions import HTTPError

    registry, _, name = image.partition("/")
    repository, _, tag = name.rpartition(":")
    scheme = "http" if registry.startswith(("127.0.0.1:", "localhost:")) else "https"
    url = f"{scheme}://{registry}/v2/{repository}/manifests/{tag}"
    headers = {"accept": MANIFESTS}
    try:
        with PoolManager(retries=False, timeout=Timeout(TIMEOUT)) as pool:
            response = pool.request("HEAD", url, headers=headers)
            if response.status == 401:
                token = _token(pool, response, repository)
                response = pool.request(
                    "HEAD", url, headers=headers | {"authorization": f"Bearer {token}"}
                )
    except HTTPError as error:
        raise ImageError(
            f"{registry} cannot be reached ({type(error).__name__}): check the network"
        ) from error
    found = response.headers.get("docker-content-digest", "")
    if response.status != 200 or not _DIGEST.fullmatch(found):
        raise ImageError(f"{registry} has no digest for {name} ({response.status}): check the name")
    return found


def _token(pool: PoolManager, response: BaseHTTPResponse, repository: str) -> str:
    """Return an anonymous token from the service that a 401 names."""
    challenge = dict(re.findall(r'(\w+)="([^"]*)"', response.headers.get("www-authenticate", "")))
    fields = {"scope": challenge.get("scope") or f"repository:{repository}:pull"}
    if "service" in challenge:
        fields["service"] = challenge["service"]
    granted = pool.request("GET", challenge.get("realm", ""), fields=fields)
    try:
        raw = granted.json()
        return str(raw.get("token") or raw["access_token"])
    except (ValueError, KeyError, AttributeError) as error:
        raise ImageError(
            f"the registry grants no anonymous access ({granted.status}): check the image's name"
        ) from error


def parent(dockerfile: Path) -> str:
    """Return the image that a Dockerfile builds on by default."""
    match = _PARENT.search(dockerfile.read_text("utf-8"))
    assert match is not None
    return match[1]


def is_pinned(dockerfile: Path) -> bool:
    """Report whether a Dockerfile builds on a digest by default."""
    return bool(_DIGEST.fullmatch(parent(dockerfile).partition("@")[2]))


def pin(dockerfile: Path, image: str) -> str:
    """Let a Dockerfile build on what a tag means today, and return the new parent.

    Raises
    ------
    ImageError
        If the digest cannot be read; the file then stays as it is.
    """
    pinned = f"{image.rpartition(':')[0]}@{digest(image)}"
    text = dockerfile.read_text("utf-8")
    dockerfile.write_text(_PARENT.sub(f"ARG BASE={pinned}", text, count=1), "utf-8")
    return pinned
