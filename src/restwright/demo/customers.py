"""The signed-in customer and their shipping addresses."""

from __future__ import annotations

from restwright.demo.refusal import invalid, not_found
from restwright.demo.session import Session
from restwright.jsontypes import JsonObject


def get_customer(session: Session, _: JsonObject) -> JsonObject:
    """The signed-in customer."""
    return session.database.rows("SELECT * FROM customers WHERE id = ?", session.customer_id)[0]


def update_customer(session: Session, inputs: JsonObject) -> JsonObject:
    """Change what is given of the customer's details."""
    changed = get_customer(session, {}) | inputs
    session.database.write(
        "UPDATE customers SET name = ?, email = ?, phone = ? WHERE id = ?",
        *(changed[name] for name in ("name", "email", "phone", "id")),
    )
    return changed


def list_addresses(session: Session, _: JsonObject) -> JsonObject:
    """All addresses of the customer, the default one first."""
    rows = session.database.rows(
        "SELECT * FROM addresses WHERE customer_id = ? ORDER BY is_default DESC, rowid",
        session.customer_id,
    )
    return {"items": [_shown(row) for row in rows]}


def address_row(session: Session, address_id: str | None) -> JsonObject:
    """An address of the customer, or 404; the default one without an id."""
    row = session.database.row(
        "SELECT * FROM addresses WHERE customer_id = ? AND COALESCE(id = ?, is_default)",
        session.customer_id,
        address_id,
    )
    if row is None:
        raise not_found("address_id", str(address_id), "list_addresses")
    return row


def add_address(session: Session, inputs: JsonObject) -> JsonObject:
    """Save a new address."""
    address = {
        "id": session.database.new_id("addr"),
        "customer_id": session.customer_id,
        "is_default": False,
    } | inputs
    session.database.insert("addresses", **address)
    return _settled(session, address)


def update_address(session: Session, inputs: JsonObject) -> JsonObject:
    """Change what is given of an address."""
    address = address_row(session, inputs["address_id"])
    if address["is_default"] and inputs.get("is_default") is False:
        message = "This is the default address; set is_default to true on another one instead."
        raise invalid("is_default", message)
    changed = address | {name: value for name, value in inputs.items() if name != "address_id"}
    session.database.write(
        "UPDATE addresses SET label = ?, recipient = ?, street = ?, postal_code = ?, city = ?,"
        " country = ?, is_default = ? WHERE id = ?",
        *(changed[name] for name in ("label", "recipient", "street", "postal_code", "city")),
        *(changed[name] for name in ("country", "is_default", "id")),
    )
    return _settled(session, changed)


def _settled(session: Session, address: JsonObject) -> JsonObject:
    """Keep one default address: the one just written, where it says so."""
    if address["is_default"]:
        session.database.write(
            "UPDATE addresses SET is_default = (id = ?) WHERE customer_id = ?",
            address["id"],
            session.customer_id,
        )
    return _shown(address)


def _shown(row: JsonObject) -> JsonObject:
    shown = {name: value for name, value in row.items() if name != "customer_id"}
    return shown | {"is_default": bool(row["is_default"])}
