"""Who may use the service: a file of hashed keys, one to a line.

A key has 256 random bits, so one round of SHA-256 protects it as well as a password hash would.
"""

from __future__ import annotations

import hashlib
import hmac
import re
import secrets
from dataclasses import dataclass, replace
from pathlib import Path

from fastapi import Request

from toxic_bot.service import ServiceError
from toxic_bot.service.addresses import network
from toxic_bot.service.quota import Bucket
from toxic_bot.service.request_errors import GOOGLE_PATHS, RequestError
from toxic_bot.service.settings import MAX_TEXTS

DEFAULT_RATE = 600
"""Texts a minute."""
_PREFIX = "tb-"
_NAME = re.compile(r"[\w.@-]{1,64}")
_LINE = re.compile(
    r"(?P<name>[\w.@-]{1,64})\s+sha256:(?P<digest>[0-9a-f]{64})(?:\s+(?P<rate>[0-9]{1,9}))?"
)


@dataclass(frozen=True)
class Client:
    """Somebody who may use the service.

    Parameters
    ----------
    name
        From the file.
    digest
        SHA-256 of the key, in hex.
    bucket
        What remains of the client's rate; None without a limit.
    """

    name: str
    digest: str
    bucket: Bucket | None


ANYBODY = Client("anybody", "", None)


class Keys:
    """The clients, by their keys.

    Parameters
    ----------
    clients
        None to let everybody in.
    """

    def __init__(self, clients: tuple[Client, ...] | None) -> None:
        self._clients = clients

    def replace(self, keys: Keys) -> None:
        """Let in the clients of other keys; what remains of a client's rate stays."""
        self._clients = keys.keeping_rates_of(self)._clients

    def keeping_rates_of(self, keys: Keys) -> Keys:
        """Return these keys with what remains of the rates of those that are among others."""
        if self._clients is None:
            return self
        known = {each.digest: each.bucket for each in keys._clients or ()}
        return Keys(
            tuple(
                replace(each, bucket=bucket)
                if (bucket := known.get(each.digest))
                and each.bucket
                and bucket.per_minute == each.bucket.per_minute
                else each
                for each in self._clients
            )
        )

    @property
    def required(self) -> bool:
        """Whether a key is required."""
        return self._clients is not None

    def turn(self, client: Client, request: Request) -> str:
        """Return in whose name a request waits: its client's or, without keys, its address's."""
        return client.name if self.required else network(request.client)

    def identify(self, request: Request) -> Client:
        """Return whose key a request carries.

        A key is taken from ``Authorization: Bearer``, from ``X-Goog-Api-Key`` or from ``key`` in
        the address, where Perspective's clients put it.

        Raises
        ------
        RequestError
            When the request has no key, or one that is not in the file.
        """
        if self._clients is None:
            return ANYBODY
        google = request.url.path.startswith(GOOGLE_PATHS)
        key = _presented(request)
        if not key:
            message = "a key is missing: send 'Authorization: Bearer KEY'"
            if google:
                # What Google's APIs answer, status included.
                raise RequestError(403, "The request is missing a valid API key.", "missing_key")
            raise RequestError(401, message, "missing_key")
        digest = hash_key(key)
        # Every digest is compared, so that the time tells nothing about them.
        found = [client for client in self._clients if hmac.compare_digest(client.digest, digest)]
        if found:
            return found[0]
        if google:
            detail = {"errorType": "API_KEY_INVALID"}
            message = "API key not valid. Please pass a valid API key."
            raise RequestError(400, message, "invalid_key", detail=detail)
        raise RequestError(401, "the key is not valid", "invalid_key")


def hash_key(key: str) -> str:
    """Return what is stored of a key."""
    return hashlib.sha256(key.encode("utf-8", "surrogatepass")).hexdigest()


def new_key(name: str) -> tuple[str, str]:
    """Return a new key and the line of the file that lets it in.

    Raises
    ------
    ServiceError
        When the name cannot stand in the file.
    """
    if not _NAME.fullmatch(name):
        raise ServiceError("a key's name has up to 64 letters, digits and any of '_.@-'")
    key = _PREFIX + secrets.token_urlsafe(32)
    return key, f"{name} sha256:{hash_key(key)}"


def read_keys(path: Path | None, *, shared: bool = False) -> Keys:
    """Read the file of keys; without one, everybody is let in.

    Parameters
    ----------
    path
        The file.
    shared
        Whether several processes count toward the same rates.

    Raises
    ------
    ServiceError
        When the file cannot be read, a line is malformed or there is no key in it.
    """
    if path is None:
        return Keys(None)
    try:
        lines = path.read_text("utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else "not UTF-8"
        raise ServiceError(f"{path} cannot be read ({reason}): name another with --keys") from error
    clients = []
    for number, line in enumerate(lines, start=1):
        content = line.partition("#")[0].strip()
        if content:
            clients.append(_client(content, f"{path}, line {number}", shared=shared))
    if not clients:
        raise ServiceError(f"{path} has no key: add one with 'toxic-bot serve --new-key NAME'")
    return Keys(tuple(clients))


def _client(line: str, place: str, *, shared: bool) -> Client:
    match = _LINE.fullmatch(line)
    if not match:
        raise ServiceError(
            f"{place} is not 'NAME sha256:DIGEST [TEXTS A MINUTE]': make one with "
            "'toxic-bot serve --new-key NAME'"
        )
    rate = int(match["rate"] or DEFAULT_RATE)
    if rate < MAX_TEXTS:
        raise ServiceError(f"{place}: a rate is at least {MAX_TEXTS}, the texts of one request")
    return Client(match["name"], match["digest"], Bucket(rate, shared=shared))


def _presented(request: Request) -> str:
    scheme, _, token = request.headers.get("Authorization", "").partition(" ")
    if scheme.lower() == "bearer" and token.strip():
        return token.strip()
    return request.headers.get("X-Goog-Api-Key", "") or request.query_params.get("key", "")
