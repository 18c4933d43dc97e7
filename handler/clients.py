"""The functions' clients of AWS's services: botocore's own, without boto3.

boto3 imports its transfer manager for S3, which takes longer than the rest of the receiver's
imports together, while Slack is waiting.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any, Literal, overload

from botocore.config import Config
from botocore.session import Session, get_session

if TYPE_CHECKING:
    from mypy_boto3_sqs import SQSClient

LEAN = Config(
    # botocore would assemble a longer one for every call.
    user_agent="toxic-bot",
    # The types of this code are checked already, and the service validates its input itself.
    parameter_validation=False,
)
"""Saves a quarter of the CPU time of a call."""


@overload
def create_client(service: Literal["sqs"], config: Config) -> SQSClient: ...
@overload
def create_client(service: str, config: Config) -> Any: ...


def create_client(service: str, config: Config) -> Any:
    """Return a client with the function's credentials and region.

    Parameters
    ----------
    service
        The service's name, such as ``sqs``. `image.runtime_files` lists those whose API the
        image contains.
    config
        Timeouts and retries of its calls.
    """
    return _session().create_client(service, config=LEAN.merge(config))


@cache
def _session() -> Session:
    # One session for all clients: each would read AWS's list of endpoints again.
    return get_session()
