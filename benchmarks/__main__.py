"""The command line: ``python -m benchmarks COMMAND``."""

from __future__ import annotations

import argparse
import os
import random
import sys
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

from rich.console import Console

from benchmarks import cost, perspective_scale
from benchmarks.answer import measure
from benchmarks.comparison import compare, comparison_table
from benchmarks.fuzz import findings_table, fuzz
from benchmarks.languages import count_languages, languages_table
from benchmarks.load import measure_load
from benchmarks.reactions import find_limit, start_crowd
from benchmarks.report import table, write
from benchmarks.results import (
    rows_table,
    save_classifier,
    save_reactions,
    save_ways,
    ways_columns,
)
from benchmarks.scoreboard import command as scoreboard
from benchmarks.serving import contest, ways
from benchmarks.serving.hosting import hosting_table
from benchmarks.serving.pressure import press, pressure_table
from benchmarks.serving.servers import has_pytorch
from benchmarks.soak.account import Account, faults_table, soak_table
from benchmarks.soak.course import soak
from benchmarks.soak.standalone import soak_standalone
from benchmarks.soak.watched import soak_watched
from benchmarks.targets import HomeName
from benchmarks.text import growth_table, measure_growth
from benchmarks.watching import measure_watching
from simulators.slack.rate_limits import NO_LIMITS, SLACK_LIMITS
from toxic_bot.cli.command_line import run
from toxic_bot.judge.config import EMBEDDED_MODEL, ModelConfig
from toxic_bot.judge.device import Device
from toxic_bot.slack.settings import AnswerMode

if TYPE_CHECKING:
    Commands = argparse._SubParsersAction[argparse.ArgumentParser]


def parser() -> argparse.ArgumentParser:
    """Return the command line's parser."""
    root = argparse.ArgumentParser(
        prog="python -m benchmarks",
        description="Time the bot on this machine, and estimate its cost on AWS.",
    )
    commands = root.add_subparsers(dest="command", required=True, metavar="COMMAND")
    common = argparse.ArgumentParser(add_help=False)
    common.add_argument(
        "--model",
        type=Path,
        default=EMBEDDED_MODEL,
        help="model folder (default: the embedded one)",
    )
    common.add_argument("--json", type=Path, metavar="FILE", help="also write the results there")
    answer = commands.add_parser(
        "answer",
        parents=[common],
        help="time cold and warm answers in AWS's runtime",
        description="Start the local stack and time the receiver and the worker in AWS's Lambda "
        "runtime: cold (from process start) and warm (from the event to the posted verdict).",
    )
    answer.add_argument("--cold", type=_runs, default=10, metavar="N", help="cold starts (10)")
    answer.add_argument("--warm", type=_runs, default=300, metavar="N", help="warm answers (300)")
    answer.add_argument(
        "--against",
        metavar="COMMIT",
        help="time that commit and this tree in turns, each with its own model, and compare",
    )
    answer.add_argument(
        "--rounds",
        type=int,
        choices=range(1, 101),
        default=5,
        metavar="N",
        help="of a comparison (5)",
    )
    results = argparse.ArgumentParser(add_help=False)
    results.add_argument(
        "--model",
        type=Path,
        default=EMBEDDED_MODEL,
        help="model folder (default: the embedded one)",
    )
    results.add_argument(
        "--output",
        type=Path,
        default=Path("build/load"),
        metavar="FOLDER",
        help="for JSON, pictures and a page (build/load)",
    )
    _add_load(commands, results)
    services = commands.add_parser(
        "service",
        help="put the service and a peer under load, in turns",
        description="Start 'toxic-bot serve' and then FastAPI with a transformers pipeline, and "
        "send both messages as long as those of chat: at a steady rate, then flat out, then in "
        "batches. Latency counts from when a message was due. Writes load.md, load.json and "
        "load.png.",
    )
    services.add_argument(
        "--model",
        type=Path,
        default=EMBEDDED_MODEL,
        help="model folder (default: the embedded one)",
    )
    services.add_argument(
        "--checkpoint",
        type=Path,
        default=Path("build/random"),
        metavar="FOLDER",
        help="the peer's, written with random weights if missing (build/random)",
    )
    services.add_argument(
        "--rate", type=float, default=100, metavar="N", help="requests per second (100)"
    )
    services.add_argument(
        "--seconds", type=float, default=60, metavar="S", help="duration of the steady load (60)"
    )
    services.add_argument(
        "--flat-out", type=float, default=15, metavar="S", help="duration of each other load (15)"
    )
    services.add_argument(
        "--output", type=Path, default=Path("build/service"), metavar="FOLDER", help="for the files"
    )
    pressures = commands.add_parser(
        "pressure",
        help="time short texts while somebody else leans on the service",
        description="Time short texts, about 20 a second, while another client of 'toxic-bot "
        "serve' floods it, hangs up, or sends headers that are slow or have no end.",
    )
    pressures.add_argument(
        "--model",
        type=Path,
        default=EMBEDDED_MODEL,
        help="model folder (default: the embedded one)",
    )
    pressures.add_argument("--requests", type=int, default=300, metavar="N", help="texts (300)")
    pressures.add_argument("--seed", type=int, default=29, metavar="N", help="of their times (29)")
    _add_gpu(commands)
    commands.add_parser(
        "text",
        help="time the way from mrkdwn to normalized text on adversarial shapes",
        description="Time shapes of text that make a careless parser explode; show the slowest. "
        "The exit status is 1 if one grows faster than its length.",
    )
    commands.add_parser(
        "languages",
        help="count how often a message's language is recognized",
        description="Recognize the language of every message written for this project, by "
        "language and length.",
    )
    _add_reactions(commands, results)
    soaks = commands.add_parser(
        "soak",
        help="let reactions or watched messages meet faults, and account for every one",
        description="Let people react while Slack, AWS and the worker's processes fail as planned, "
        "in every answer mode. The exit status is 1 if a reaction was lost, doubled, dead without "
        "need or dead without a reason in the log.",
    )
    soaks.add_argument(
        "--reactions", type=int, default=3000, metavar="N", help="in all modes together (3000)"
    )
    soaks.add_argument("--seed", type=int, metavar="N", help="repeats a plan (random)")
    soaks.add_argument(
        "--mode", choices=[mode.value for mode in AnswerMode], help="only this answer mode"
    )
    soaks.add_argument(
        "--home",
        type=HomeName,
        choices=list(HomeName),
        default=HomeName.AWS,
        help="where the bot runs: without AWS, two copies share a database (aws)",
    )
    soaks.add_argument(
        "--watched",
        type=int,
        metavar="N",
        help="instead of reactions, N messages of watched channels, without AWS",
    )
    soaks.add_argument(
        "--real-time", action="store_true", help="let the last reactions wait for their delays"
    )
    soaks.add_argument(
        "--output",
        type=Path,
        default=Path("build/soak"),
        metavar="FOLDER",
        help="for the functions' logs, if anything went wrong (build/soak)",
    )
    watches = commands.add_parser(
        "watch",
        help="write to a watched channel, and see whether the bot keeps up",
        description="Write to a watched channel at a steady rate, two messages in a hundred toxic, "
        "under Slack's rate limits. The exit status is 1 if a message was not judged.",
    )
    homes = [HomeName.SOCKET.value, HomeName.LISTEN.value]
    watches.add_argument("--home", choices=homes, default=homes[0], help="where the bot runs")
    watches.add_argument(
        "--rate", type=float, default=20, metavar="N", help="messages per second (20)"
    )
    watches.add_argument("--seconds", type=float, default=60, metavar="S", help="duration (60)")
    watches.add_argument("--seed", type=int, default=31, metavar="N", help="of the texts (31)")
    watches.add_argument(
        "--model",
        type=Path,
        default=EMBEDDED_MODEL,
        help="model folder (default: the embedded one)",
    )
    fuzzes = commands.add_parser(
        "fuzz",
        help="send mutated requests to the receiver, and odd texts through the text path",
        description="Look for inputs that raise an exception, lead to a 5xx, get in without a "
        "signature or are slow. The exit status is 1 if there is one.",
    )
    fuzzes.add_argument("--inputs", type=int, default=100_000, metavar="N", help="each (100000)")
    fuzzes.add_argument("--seed", type=int, default=0, metavar="N", help="repeats the inputs (0)")
    costs = commands.add_parser("cost", help="estimate the cost", description=cost.__doc__)
    cost.add_arguments(costs)
    scoreboard.add(commands)
    perspective_scale.add(commands)
    hostings = commands.add_parser(
        "hosting",
        help="estimate what the service holds and costs",
        description="Print what hosts of the service hold and cost, from the texts that one CPU "
        "judges in a second: the rate of 'service', flat out, divided by its CPUs.",
    )
    hostings.add_argument("--rate", type=float, required=True, metavar="N", help="texts a second")
    return root


def _add_gpu(commands: Commands) -> None:
    gpu = commands.add_parser(
        "gpu",
        help="time FastAPI, I/O binding and Triton at 32 to 256 tokens on a GPU",
        description="Time a text's way to its verdict, one text at a time: through 'toxic-bot "
        "serve' (FastAPI), through the graph with bound buffers in this process (IOBinding), and "
        "through Triton. A text that is longer than the model's window has several.",
    )
    gpu.add_argument("--model", type=Path, default=EMBEDDED_MODEL, help="folder with an fp16 graph")
    gpu.add_argument(
        "--device",
        type=Device,
        choices=list(Device),
        default=Device.CUDA,
        help="cpu: in int8 on this machine, to try the command (cuda)",
    )
    gpu.add_argument("--runs", type=_runs, default=1000, metavar="N", help="each (1000)")
    gpu.add_argument(
        "--triton",
        metavar="HOST:PORT",
        help="HTTP endpoint of a Triton that serves the model (on a CPU: the one of the tests)",
    )
    gpu.add_argument(
        "--output",
        type=Path,
        default=Path("build/gpu"),
        metavar="FOLDER",
        help="for JSON, a picture and a page (build/gpu)",
    )


def _add_load(commands: Commands, results: argparse.ArgumentParser) -> None:
    load = commands.add_parser(
        "load",
        parents=[results],
        help="time the classifier under a steady load",
        description="Send texts of realistic length at random intervals and a steady average "
        "rate, and time each from its scheduled arrival to its verdict; then measure the maximum "
        "throughput, and the memory over many messages.",
    )
    load.add_argument(
        "--rate", type=float, default=100, metavar="N", help="messages per second (100)"
    )
    load.add_argument(
        "--seconds", type=float, default=20, metavar="S", help="duration of the load (20)"
    )
    load.add_argument(
        "--workers",
        type=int,
        default=len(os.sched_getaffinity(0)),
        metavar="N",
        help="messages classified concurrently (number of CPUs)",
    )
    load.add_argument(
        "--messages", type=int, default=0, metavar="N", help="of the memory run (none)"
    )


def _add_reactions(commands: Commands, results: argparse.ArgumentParser) -> None:
    reactions = commands.add_parser(
        "reactions",
        parents=[results],
        help="send reactions through the whole bot, steadily, all at once, or up to its limit",
        description="Start the bot and a local Slack, let people react at a steady rate and then "
        "all at once, and measure the time from reaction to answer. The exit status is 1 unless "
        "every reaction was answered once.",
    )
    reactions.add_argument(
        "--home",
        type=HomeName,
        choices=list(HomeName),
        default=HomeName.AWS,
        help="aws: receiver, queue and worker on the local AWS; socket: one process over Socket "
        "Mode; listen: one process over HTTP, with signed events (aws)",
    )
    reactions.add_argument(
        "--rate", type=float, default=10, metavar="N", help="reactions per second (10)"
    )
    reactions.add_argument(
        "--seconds", type=float, default=60, metavar="S", help="duration of a steady load (60)"
    )
    reactions.add_argument("--burst", type=int, default=1000, metavar="N", help="at once (1000)")
    reactions.add_argument(
        "--find-limit",
        action="store_true",
        help="instead, raise the rate from --rate until the bot no longer keeps up",
    )
    reactions.add_argument(
        "--environments", type=int, default=2, metavar="N", help="the worker's, on aws (2)"
    )
    reactions.add_argument(
        "--slack-limits", action="store_true", help="with the rate limits that Slack documents"
    )


def _runs(text: str) -> int:
    if not text.isdecimal() or int(text) < 2:
        raise argparse.ArgumentTypeError("need two runs or more to compute percentiles")
    return int(text)


def main(arguments: list[str] | None = None) -> int:
    """Run a command and return its exit status."""
    commands = parser()
    options = commands.parse_args(arguments)
    if getattr(options, "watched", None) and options.home is HomeName.AWS:
        commands.error("--watched needs --home socket or --home listen")
    return run(lambda: _run(options))


def _run(options: argparse.Namespace) -> int:
    if options.command == "cost":
        cost.print_tables(options)
        return 0
    if options.command == "soak":
        return _soak(options)
    if options.command == "reactions":
        return _reactions(options)
    if options.command == "perspective-scale":
        return perspective_scale.run(options)
    if options.command == "scoreboard":
        return scoreboard.run(options)
    if options.command == "hosting":
        print(hosting_table(options.rate))
        return 0
    if options.command == "service":
        return _service(options)
    if options.command == "pressure":
        results = list(press(options.model, options.requests, options.seed))
        Console().print(pressure_table(results))
        return 0
    if options.command == "gpu":
        return _gpu(options)
    if options.command == "watch":
        return _watch(options)
    if options.command == "fuzz":
        return _fuzz(options)
    if options.command == "languages":
        Console().print(languages_table(count_languages()))
        return 0
    if options.command == "text":
        growths = measure_growth()
        Console().print(growth_table(growths))
        return 0 if all(growth.is_linear for growth in growths) else 1
    if options.command == "load":
        return _load(options)
    return _answer(options)


def _answer(options: argparse.Namespace) -> int:
    if options.against:
        compared = compare(
            options.against, rounds=options.rounds, cold=options.cold, warm=options.warm
        )
        if options.json:
            write([asdict(one) for one in compared], options.json)
        Console().print(comparison_table(options.against, compared))
        return 0
    report = measure(options.model, cold=options.cold, warm=options.warm)
    if options.json:
        write(asdict(report), options.json)
    Console().print(table(report))
    return 0


def _watch(options: argparse.Namespace) -> int:
    watching = measure_watching(
        options.model,
        HomeName(options.home),
        rate=options.rate,
        seconds=options.seconds,
        seed=options.seed,
    )
    title = f"A watched channel, toxic-bot {options.home}, seed {options.seed}"
    Console().print(rows_table(title, [""], [watching.rows()]))
    return 0 if watching.is_complete else 1


def _soak(options: argparse.Namespace) -> int:
    seed = random.randrange(10**6) if options.seed is None else options.seed
    modes = [AnswerMode(options.mode)] if options.mode else list(AnswerMode)
    print(f"seed {seed}", flush=True)
    accounts: dict[str, Account] = {}
    if options.watched:
        modes = []
        accounts["watched"] = soak_watched(
            options.home, options.watched, seed, evidence=options.output, model=EMBEDDED_MODEL
        )
    for mode in modes:
        reactions = options.reactions // len(modes)
        if options.home is HomeName.AWS:
            accounts[mode] = soak(
                mode, reactions, seed, evidence=options.output, real_time=options.real_time
            )
        else:
            accounts[mode] = soak_standalone(
                options.home, mode, reactions, seed, evidence=options.output, model=EMBEDDED_MODEL
            )
        print(f"{mode}: {reactions} reactions, {accounts[mode].answered} answered", flush=True)
    Console().print(faults_table(accounts))
    Console().print(soak_table(accounts, seed))
    for name, account in accounts.items():
        for reason in ("lost", "doubled", "dead", "unexplained"):
            for one in getattr(account, reason):
                print(f"{name}: {reason}: {one}")
        if account.evidence is not None:
            print(f"{name}: the logs are in {account.evidence}")
    return 0 if all(account.is_clean for account in accounts.values()) else 1


def _load(options: argparse.Namespace) -> int:
    load = measure_load(
        options.model,
        rate=options.rate,
        seconds=options.seconds,
        workers=options.workers,
        messages=options.messages,
    )
    Console().print(rows_table(f"The classifier, {load.model}", [""], [load.rows()]))
    save_classifier(load, options.output)
    return 0


def _reactions(options: argparse.Namespace) -> int:
    limits = SLACK_LIMITS if options.slack_limits else NO_LIMITS
    name, title = f"reactions-{options.home}", f"Reactions, {options.home}"
    with start_crowd(
        options.home, options.model, environments=options.environments, limits=limits
    ) as crowd:
        if options.find_limit:
            loads = find_limit(lambda rate: crowd.steady(rate, options.seconds), options.rate)
            name, title = f"limit-{options.home}", f"The limit of reactions, {options.home}"
        else:
            loads = [crowd.steady(options.rate, options.seconds)] if options.seconds else []
            loads += [crowd.burst(options.burst)] if options.burst else []
    tried = [one.name for one in loads]
    Console().print(rows_table(title, tried, [one.rows() for one in loads]))
    save_reactions(name, title, loads, options.output)
    return 0 if all(load.is_complete for load in loads) else 1


def _service(options: argparse.Namespace) -> int:
    if not has_pytorch():
        print("PyTorch is not installed, so the peer is left out: 'make build-environment'")
    measured = []
    for one in contest.compare(
        options.model,
        options.checkpoint,
        rate=options.rate,
        seconds=options.seconds,
        flat_out=options.flat_out,
    ):
        measured.append(one)
        print(f"{one.load}: {one.server}: {one.outcome.rate:.0f} requests a second", flush=True)
    contest.write(measured, options.output)
    print(f"\n{contest.markdown(measured)}\nsee {options.output}")
    return 0


def _gpu(options: argparse.Namespace) -> int:
    timed = []
    for one in ways.measure(
        options.model, options.device, runs=options.runs, triton=options.triton
    ):
        timed.append(one)
        print(f"{one.way}: {one.tokens} tokens: {one.latency.p50:.2f} ms", flush=True)
    name = ModelConfig.read(options.model / "config.json").name
    title = f"Text to verdict, {name}, {options.device}: p50 / p99 in ms"
    Console().print(rows_table(title, *ways_columns(timed)))
    save_ways(title, timed, options.output)
    return 0


def _fuzz(options: argparse.Namespace) -> int:
    print(f"seed {options.seed}", flush=True)
    findings = fuzz(options.inputs, options.seed)
    Console().print(findings_table(findings))
    failures = [failure for one in findings.values() for failure in one.failures]
    for failure in failures[:10]:
        print(failure[:2000])
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
