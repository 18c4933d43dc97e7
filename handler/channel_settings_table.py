"""The channels' settings in DynamoDB, beside the claims.

Each channel has an item, which is never deleted by time. One more item, the index, says which
emoji ask in which channels, and which channels are watched, for the receiver.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence, Set
from functools import cached_property
from typing import TYPE_CHECKING, Any

from botocore.exceptions import BotoCoreError, ClientError

from toxic_bot.deployment.table import KEY
from toxic_bot.slack.channel_settings import MAX_AGE, ChannelSettings, SettingsUnreachableError
from toxic_bot.slack.telemetry import logger

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient

PREFIX = "settings#"
"""What the keys of these items start with."""

INDEX = f"{PREFIX}emoji"
"""The index: one attribute for each channel that has emoji of its own."""

WATCHED = "watched"
"""The index's attribute with the channels that are watched."""

_SETTINGS = "settings"


class SettingsTable:
    """A DynamoDB table with settings; implements `toxic_bot.slack.channel_settings.SettingsStore`.

    Parameters
    ----------
    client
        boto3's DynamoDB client.
    name
        The table's name.
    """

    def __init__(self, client: DynamoDBClient, name: str) -> None:
        self._client = client
        self._name = name

    def read(self, channels: Sequence[str]) -> Mapping[str, ChannelSettings]:
        """Return what is stored for channels, at most a hundred; those without are left out."""
        if not channels:
            return {}
        keys = [{KEY: {"S": f"{PREFIX}{channel}"}} for channel in channels]
        try:
            response = self._client.batch_get_item(
                RequestItems={self._name: {"Keys": keys, "ConsistentRead": True}}
            )
        except (BotoCoreError, ClientError) as error:
            raise _unreachable(error) from error
        if response.get("UnprocessedKeys"):
            raise SettingsUnreachableError
        return {
            item[KEY]["S"].removeprefix(PREFIX): ChannelSettings.from_json(item[_SETTINGS]["S"])
            for item in response["Responses"].get(self._name, [])
        }

    def keep(self, channel: str, settings: ChannelSettings, changed_at: float) -> None:
        """Store a channel's settings, unless later ones are stored."""
        at = {"N": f"{changed_at:.6f}"}
        try:
            self._client.put_item(
                TableName=self._name,
                Item={
                    KEY: {"S": f"{PREFIX}{channel}"},
                    _SETTINGS: {"S": settings.to_json()},
                    "changed_at": at,
                },
                ConditionExpression="attribute_not_exists(changed_at) OR changed_at <= :at",
                ExpressionAttributeValues={":at": at},
            )
            self._keep_emoji(channel, settings.reactions)
            self._keep_watched(channel, is_watched=settings.watch_in_force is not None)
        except (BotoCoreError, ClientError) as error:
            if _name(error) != "ConditionalCheckFailedException":
                raise _unreachable(error) from error
            logger.info("later settings are stored already")

    def _keep_emoji(self, channel: str, emoji: Set[str]) -> None:
        key, names = {KEY: {"S": INDEX}}, {"#channel": channel}
        if not emoji:
            # A set may not be empty.
            self._client.update_item(
                TableName=self._name,
                Key=key,
                UpdateExpression="REMOVE #channel",
                ExpressionAttributeNames=names,
            )
            return
        self._client.update_item(
            TableName=self._name,
            Key=key,
            UpdateExpression="SET #channel = :emoji",
            ExpressionAttributeNames=names,
            ExpressionAttributeValues={":emoji": {"SS": sorted(emoji)}},
        )

    def _keep_watched(self, channel: str, *, is_watched: bool) -> None:
        self._client.update_item(
            TableName=self._name,
            Key={KEY: {"S": INDEX}},
            UpdateExpression=f"{'ADD' if is_watched else 'DELETE'} #watched :channel",
            ExpressionAttributeNames={"#watched": WATCHED},
            ExpressionAttributeValues={":channel": {"SS": [channel]}},
        )


class ChannelIndex:
    """The emoji that ask in single channels, and the watched channels, as the receiver sees them.

    Most reactions and messages of a workspace ask for nothing, and all of them reach the receiver.
    So one item answers for all channels, and is read again only when it is old.

    Parameters
    ----------
    create_client
        Returns boto3's DynamoDB client; called when an item is first needed, because most cold
        starts need none.
    table
        The table's name.
    clock
        Returns seconds that never run backward.
    """

    def __init__(
        self,
        create_client: Callable[[], Any],
        table: str,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._create_client = create_client
        self._table = table
        self._clock = clock
        self._index: Mapping[str, frozenset[str]] | None = None
        self._read_at = 0.0

    @cached_property
    def _client(self) -> Any:
        return self._create_client()

    def asks(self, channel: str, reaction: str) -> bool:
        """Report whether an emoji may ask in a channel; the worker looks again.

        If nobody knows, it may: a reaction too many is dropped by the worker, but one too few
        would be lost.
        """
        index = self._current()
        return index is None or reaction in index.get(channel, frozenset())

    def watches(self, channel: str) -> bool:
        """Report whether a channel may be watched; the worker looks again, as for `asks`."""
        index = self._current()
        return index is None or channel in index.get(WATCHED, frozenset())

    def _current(self) -> Mapping[str, frozenset[str]] | None:
        """Return the index, which may be `MAX_AGE` old, or older if it cannot be read."""
        now = self._clock()
        if self._index is None or now - self._read_at >= MAX_AGE:
            try:
                self._index = self._read()
                self._read_at = now
            except (BotoCoreError, ClientError) as error:
                logger.warning("the index of the channels could not be read", error=_name(error))
        return self._index

    def _read(self) -> Mapping[str, frozenset[str]]:
        item = self._client.get_item(TableName=self._table, Key={KEY: {"S": INDEX}}).get("Item", {})
        return {name: frozenset(value["SS"]) for name, value in item.items() if "SS" in value}


def _unreachable(error: BotoCoreError | ClientError) -> SettingsUnreachableError:
    logger.warning("a call for the channels' settings failed", error=_name(error))
    return SettingsUnreachableError()


def _name(error: BotoCoreError | ClientError) -> str:
    if isinstance(error, ClientError):
        return str(error.response.get("Error", {}).get("Code", "ClientError"))
    return type(error).__name__
