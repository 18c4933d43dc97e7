"""``toxic-bot cases``."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from toxic_bot.cli.arguments import add_store

if TYPE_CHECKING:
    from toxic_bot.cli.arguments import Commands


def add(commands: Commands) -> None:
    """Add the command."""
    parser = commands.add_parser(
        "cases",
        help="export the moderators' cases as CSV",
        description="Export the moderators' cases, with who did what when. Cases hold IDs and "
        "times, but no text. Reads nothing from Slack.",
    )
    actions = parser.add_subparsers(title="actions", required=True, metavar="ACTION")
    export = actions.add_parser("export", help="write the cases to a file")
    add_store(export)
    export.add_argument(
        "--output",
        type=Path,
        default=Path("cases.csv"),
        metavar="FILE",
        help="CSV file (default: %(default)s)",
    )
    export.set_defaults(command=run)


def run(options: argparse.Namespace) -> int:
    """Write the cases to a file."""
    from toxic_bot.operator.exported_cases import cases_in_database, cases_in_table, write

    if options.database:
        cases = cases_in_database(options.database)
    else:
        cases = cases_in_table(options.table)
    write(cases, options.output)
    print(f"{len(cases)} cases written to {options.output}.")
    return 0
