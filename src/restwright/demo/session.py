"""What every operation of the shop works on."""

from __future__ import annotations

from dataclasses import dataclass

from restwright.demo.database import Database
from restwright.jsontypes import Json, JsonObject


@dataclass(frozen=True, slots=True, kw_only=True)
class Session:
    """The data, and on whose behalf they are read and changed."""

    database: Database
    customer_id: str


def euros(cents: int) -> float:
    """Cents as a price in euros with two decimals."""
    return round(cents / 100, 2)


def page(session: Session, inputs: JsonObject, sql: str, *values: Json) -> JsonObject:
    """One page of a query: `{"items": rows, "page", "page_size", "total"}`."""
    number, size = inputs["page"], inputs["page_size"]
    # `sql` comes from the code of the shop, with its values bound.
    counted = session.database.rows(f"SELECT COUNT(*) AS total FROM ({sql})", *values)  # noqa: S608
    rows = session.database.rows(f"{sql} LIMIT ? OFFSET ?", *values, size, (number - 1) * size)
    return {"items": rows, "page": number, "page_size": size, "total": counted[0]["total"]}
