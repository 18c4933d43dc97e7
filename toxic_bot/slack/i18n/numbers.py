"""Numbers as a language writes them."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from toxic_bot.slack.i18n.texts import Texts


def whole(number: int, texts: Texts) -> str:
    """Write a whole number, in groups of three digits."""
    return f"{number:,}".replace(",", texts["numbers"]["thousands"])


def percent(share: float, texts: Texts, *, digits: int = 0) -> str:
    """Write a share, 0 to 1, in percent."""
    number = f"{share * 100:.{digits}f}".replace(".", texts["numbers"]["decimal_point"])
    return texts["numbers"]["percent"].format(number=number)
