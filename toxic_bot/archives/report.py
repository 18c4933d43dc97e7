"""The report of a scan as a page: by channel and month, worst first, without people."""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import dataclass, field
from html import escape
from math import sqrt
from pathlib import Path
from typing import TYPE_CHECKING

from toxic_bot.judge import __version__

if TYPE_CHECKING:
    import pyarrow as pa

PAGE = "report.html"
_CONFIDENCE = 1.96
_STYLE = """
:root { color-scheme: light dark; font: 16px/1.5 system-ui, sans-serif; }
body { max-width: 60rem; margin: 2rem auto; padding: 0 1rem; }
div { overflow-x: auto; }
table { border-collapse: collapse; width: 100%; }
th, td { text-align: right; padding: .25rem .75rem; border-bottom: 1px solid #8886; }
th:first-child, td:first-child, td.kinds, th.kinds { text-align: left; }
meter { width: 6rem; }
"""


@dataclass
class Tally:
    """The messages of one channel or one month.

    Parameters
    ----------
    judged, toxic
        Their numbers.
    kinds
        How many show each kind.
    """

    judged: int = 0
    toxic: int = 0
    kinds: Counter[str] = field(default_factory=Counter)

    @property
    def share(self) -> float:
        """The share of what was judged that is toxic."""
        return self.toxic / self.judged if self.judged else 0.0

    @property
    def certain_share(self) -> float:
        """The lower end of the share's 95 % interval (Wilson 1927).

        Ordered by it, one bad message of two does not come before a hundred of a thousand.
        """
        if not self.judged:
            return 0.0
        n, z = self.judged, _CONFIDENCE
        center = self.share + z * z / (2 * n)
        spread = z * sqrt(self.share * (1 - self.share) / n + z * z / (4 * n * n))
        return max(0.0, (center - spread) / (1 + z * z / n))


def tally(table: pa.Table, column: str) -> dict[str, Tally]:
    """Return the tallies of a report's rows by a column, worst first."""
    tallies: dict[str, Tally] = defaultdict(Tally)
    names = (column, "judged", "toxic", "kinds")
    for name, judged, toxic, kinds in zip(*(table[n].to_pylist() for n in names), strict=True):
        if judged:
            one = tallies[name]
            one.judged += 1
            one.toxic += toxic
            one.kinds.update(kinds)
    return dict(sorted(tallies.items(), key=lambda item: (-item[1].certain_share, item[0])))


def write(table: pa.Table, output: Path) -> Path:
    """Write the page and return its path."""
    channels, months = tally(table, "channel"), tally(table, "month")
    judged = sum(each.judged for each in channels.values())
    toxic = sum(each.toxic for each in channels.values())
    parts = [
        '<!doctype html><html lang="en"><meta charset="utf-8">',
        '<meta name="viewport" content="width=device-width">',
        f"<title>Toxic messages</title><style>{_STYLE}</style>",
        "<h1>Toxic messages</h1>",
        f"<p>{table.num_rows:,} messages, {judged:,} of them judged, {toxic:,} of these toxic. "
        "The rest is in other languages or has no words. A model makes mistakes: look at the "
        f"messages before you draw conclusions. Toxic Bot {__version__}.</p>",
        _table("channel", channels),
        _table("month", dict(sorted(months.items()))),
        _grid(table, list(channels)),
        "</html>\n",
    ]
    path = output / PAGE
    path.write_text("\n".join(parts), "utf-8", "replace")
    return path


def _table(what: str, tallies: dict[str, Tally]) -> str:
    rows = [
        f"<tr><th scope=row>{escape(name) or 'unknown'}</th><td>{one.judged:,}</td>"
        f"<td>{one.toxic:,}</td><td>{one.share:.2%}</td>"
        f"<td><meter max=1 value={one.share:.4f}>{one.share:.2%}</meter></td>"
        f"<td class=kinds>{escape(_most_common(one.kinds))}</td></tr>"
        for name, one in tallies.items()
    ]
    head = (
        f"<tr><th scope=col>{what}</th><th scope=col>judged</th><th scope=col>toxic</th>"
        "<th scope=col>share</th><th></th><th scope=col class=kinds>kinds</th></tr>"
    )
    return f"<h2>By {what}</h2><div tabindex=0><table>{head}{''.join(rows)}</table></div>"


def _grid(table: pa.Table, channels: list[str]) -> str:
    cells: dict[tuple[str, str], Tally] = defaultdict(Tally)
    names = ("channel", "month", "judged", "toxic")
    for channel, month, judged, toxic in zip(*(table[n].to_pylist() for n in names), strict=True):
        cells[channel, month].judged += judged
        cells[channel, month].toxic += judged and toxic
    months = sorted({month for _, month in cells})
    head = "".join(f"<th scope=col>{escape(month) or 'unknown'}</th>" for month in months)
    rows = []
    for channel in channels:
        values = [cells.get((channel, month), Tally()) for month in months]
        shown = "".join(f"<td>{v.toxic:,} / {v.judged:,}</td>" for v in values)
        rows.append(f"<tr><th scope=row>{escape(channel) or 'unknown'}</th>{shown}</tr>")
    return (
        "<h2>Toxic and judged, by channel and month</h2><div tabindex=0><table>"
        f"<tr><th scope=col>channel</th>{head}</tr>{''.join(rows)}</table></div>"
    )


def _most_common(kinds: Counter[str]) -> str:
    return ", ".join(f"{kind} {count:,}" for kind, count in kinds.most_common(3))
