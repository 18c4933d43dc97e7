"""slack_sdk's client over a connection that stays open from one call to the next.

slack_sdk opens one for each call, which is two more trips to Slack, one of TCP's and one
of TLS's.
"""

from __future__ import annotations

from typing import Any
from urllib.request import Request

from slack_sdk import WebClient
from urllib3 import PoolManager, Timeout


class LastingClient(WebClient):
    """A `slack_sdk.WebClient` whose connection lasts; through a proxy it is slack_sdk's own.

    A connection that Slack has closed meanwhile is noticed before anything is sent, and
    opened anew; nothing is ever sent twice.
    """

    def __init__(self, **settings: Any) -> None:
        super().__init__(**settings)
        self._pool = PoolManager(
            num_pools=1, retries=False, timeout=Timeout(self.timeout), ssl_context=self.ssl
        )

    def _perform_urllib_http_request_internal(self, url: str, req: Request) -> dict[str, Any]:
        if self.proxy is not None:
            return super()._perform_urllib_http_request_internal(url, req)
        body: Any = req.data  # bytes, though urllib would take more
        response = self._pool.request(
            req.get_method(), url, body=body, headers=dict(req.header_items())
        )
        return {
            "status": response.status,
            # A server may write names in lower case; `handler.slack` reads ``Retry-After``.
            "headers": {name.title(): value for name, value in response.headers.items()},
            "body": response.data.decode("utf-8"),
        }
