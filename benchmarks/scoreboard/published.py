"""Figures that others publish of their own models. They are theirs: nobody measured them here."""

from __future__ import annotations

from dataclasses import dataclass

_ANT = "https://huggingface.co/desert-ant-labs"


@dataclass(frozen=True, slots=True)
class Published:
    """One published figure.

    Parameters
    ----------
    model
        What it is of.
    size
        Of the file, as its publisher says.
    macro_f1
        On HateCheck.
    remark
        What else is said.
    source
        Where.
    """

    model: str
    size: str
    macro_f1: str
    remark: str
    source: str


PUBLISHED = (
    Published(
        "desert-ant toxic-en",
        "20 MB, int4",
        "0.855",
        "English only. An earlier version of its card says 0.808 for the 20.4 MB int4 file",
        f"{_ANT}/toxic-en",
    ),
    Published(
        "desert-ant toxic, 23 languages",
        "",
        "0.847",
        "seven languages of Multilingual HateCheck, 26 to 30% false alarms",
        f"{_ANT}/toxic",
    ),
    Published("Llama-Guard-3-1B", "", "0.814", "in the comparison on that page", f"{_ANT}/toxic"),
    Published("Detoxify multilingual", "", "0.642", "in the same comparison", f"{_ANT}/toxic"),
    Published(
        "Perspective, 2020",
        "",
        "0.687",
        "from the predictions published with HateCheck, on the same 3,728 rows",
        "https://github.com/paul-rottger/hatecheck-experiments",
    ),
)
