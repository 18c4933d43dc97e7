"""slack_sdk's client over a connection that stays open between calls.

slack_sdk opens a new connection for every call, which costs two more round trips to Slack:
one for TCP and one for TLS.
"""

from __future__ import annotations

from typing import Any
from urllib.request import Request

from slack_sdk import WebClient
from urllib3 import PoolManager, Timeout


class KeepAliveClient(WebClient):
    """A `slack_sdk.WebClient` that reuses its connection, except behind a proxy.

    A connection that Slack has closed is noticed before anything is sent, and a new one is
    opened. Nothing is ever sent twice.
    """

    def __init__(self, **settings: Any) -> None:
        super().__init__(**settings)
        self._pool = PoolManager(
            num_pools=1, retries=False, timeout=Timeout(self.timeout), ssl_context=self.ssl
        )

    def _perform_urllib_http_request_internal(self, url: str, req: Request) -> dict[str, Any]:
        if self.proxy is not None:
            return super()._perform_urllib_http_request_internal(url, req)
        body: Any = req.data  # bytes, although urllib would accept more
        response = self._pool.request(
            req.get_method(), url, body=body, headers=dict(req.header_items())
        )
        return {
            "status": response.status,
            # A server may send names in lower case; the client reads ``Retry-After``.
            "headers": {name.title(): value for name, value in response.headers.items()},
            "body": response.data.decode("utf-8"),
        }
