"""What a source has published: a figure, where it stands, and how well it can be read."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from hush.errors import choice, positive, whole
from hush.studies.definition.toml_table import Table, number, several, text, truth

if TYPE_CHECKING:
    from hush.studies.definition.study import Place, Study

__all__ = ["PUBLISHED", "Published", "read_published"]

PUBLISHED = (
    "figure", "policy", "where", "over", "value", "reading", "runs", "most", "tried", "because",
    "missing",
)  # fmt: skip


@dataclass(frozen=True)
class Published:
    """A figure of a source, to stand beside ours.

    Attributes
    ----------
    figure
        Where in the source it stands.
    policy, where
        Which curve of the study it is about.
    value
        What it says; None if it cannot be read, and ``missing`` names what would be needed.
    reading
        By how much the value may be misread, as a number of the same unit.
    runs
        How many runs the source averaged; one where it does not say.
    over
        Not regret, but its excess over that at another place, relative to it.
    most
        The source says only that it is at most the value.
    tried
        Policies of the study that read the source in another way.
    because
        Why ours differs, or what is worth knowing where it does not.
    """

    figure: str
    policy: str
    where: Place = ()
    value: float | None = None
    reading: float = 0.0
    runs: int = 1
    over: Place = ()
    most: bool = False
    tried: tuple[str, ...] = ()
    because: str = ""
    missing: str = ""


def read_published(top: Table, study: Study) -> tuple[Published, ...]:
    """Return the published figures that a study's file lists."""
    return tuple(_published(each, study) for each in top.tables("published", PUBLISHED))


def _published(table: Table, study: Study) -> Published:
    def policy(value: object) -> str:
        return choice("policy of this study", value, study.policies)

    known = "value" in table
    if known == ("missing" in table):
        raise table.refuse("value", "give it, or say under missing what would be needed")
    for key in () if known else ("reading", "runs", "most", "over", "tried"):
        if key in table:
            raise table.refuse(key, "goes with a value")
    return Published(
        figure=table.get("figure", text),
        policy=table.get("policy", policy),
        where=table.get("where", study.place, ()),
        value=table.get("value", number) if known else None,
        reading=table.get("reading", lambda each: positive("reading", each), 0.0),
        runs=table.get("runs", lambda each: whole("runs", each, least=1), 1),
        over=table.get("over", study.place, ()),
        most=table.get("most", truth, False),
        tried=table.get("tried", lambda each: tuple(policy(n) for n in several(each)), ()),
        because=table.get("because", text, ""),
        missing=table.get("missing", text, ""),
    )
