"""Orders of the signed-in customer, their payment and their shipment."""

from __future__ import annotations

from datetime import date, timedelta

from restwright.demo.cart import cart_lines, priced, require_stock
from restwright.demo.customers import address_row
from restwright.demo.data import TODAY
from restwright.demo.refusal import Refusal, conflict, not_found
from restwright.demo.session import Session, euros, page
from restwright.jsontypes import JsonObject

_PLACE = ("recipient", "street", "postal_code", "city", "country")
_DELIVERY_DAYS = 4
_ITEMS = """
SELECT product_id, products.name AS product_name, option_id, options.value AS option,
       unit_price_cents, quantity
FROM order_items JOIN options ON options.id = option_id JOIN products ON products.id = product_id
WHERE order_id = ? ORDER BY order_items.rowid
"""


def list_orders(session: Session, inputs: JsonObject) -> JsonObject:
    """One page of the customer's orders, newest first."""
    sql = (
        "SELECT * FROM orders WHERE customer_id = ? AND status = COALESCE(?, status)"
        " ORDER BY placed_on DESC, rowid DESC"
    )
    found = page(session, inputs, sql, session.customer_id, inputs.get("status"))
    return found | {"items": [_shown(session, row) for row in found["items"]]}


def get_order(session: Session, inputs: JsonObject) -> JsonObject:
    """One order."""
    return _shown(session, _row(session, inputs["order_id"]))


def _row(session: Session, order_id: str) -> JsonObject:
    sql = "SELECT * FROM orders WHERE id = ? AND customer_id = ?"
    row = session.database.row(sql, order_id, session.customer_id)
    if row is None:
        raise not_found("order_id", order_id, "list_orders")
    return row


def _shown(session: Session, row: JsonObject) -> JsonObject:
    lines = session.database.rows(_ITEMS, row["id"])
    return {
        "id": row["id"],
        "status": row["status"],
        "placed_on": row["placed_on"],
        "items": [priced(line, line["unit_price_cents"]) for line in lines],
        "item_count": sum(line["quantity"] for line in lines),
        "total": euros(_total_cents(lines)),
        "address": {name: row[name] for name in _PLACE},
    }


def _total_cents(lines: list[JsonObject]) -> int:
    return sum(line["unit_price_cents"] * line["quantity"] for line in lines)


def create_order(session: Session, inputs: JsonObject) -> JsonObject:
    """Turn the cart into an order that waits for payment, and take its items out of the stock."""
    address = address_row(session, inputs.get("address_id"))
    lines = cart_lines(session)
    if not lines:
        raise conflict("empty_cart", "The cart is empty; add a product with add_cart_item first.")
    for line in lines:
        what = f"{line['product_name']} ({line['option']})"
        require_stock(line["quantity"], line["stock"], what)
    order_id = session.database.new_id("order")
    session.database.insert(
        "orders",
        id=order_id,
        customer_id=session.customer_id,
        status="awaiting_payment",
        placed_on=TODAY,
        **{name: address[name] for name in _PLACE},
    )
    for line in lines:
        _order_line(session, order_id, line)
    session.database.write("DELETE FROM cart_items WHERE customer_id = ?", session.customer_id)
    return get_order(session, {"order_id": order_id})


def _order_line(session: Session, order_id: str, line: JsonObject) -> None:
    session.database.insert(
        "order_items",
        order_id=order_id,
        option_id=line["option_id"],
        unit_price_cents=line["price_cents"],
        quantity=line["quantity"],
    )
    session.database.write(
        "UPDATE options SET stock = stock - ? WHERE id = ?", line["quantity"], line["option_id"]
    )


def cancel_order(session: Session, inputs: JsonObject) -> JsonObject:
    """Cancel an order that has not left, restock its items and refund its payment."""
    row = _row(session, inputs["order_id"])
    if row["status"] not in {"awaiting_payment", "paid"}:
        message = f"The order is {row['status']} already, so it cannot be cancelled."
        raise conflict(f"order_{row['status']}", message)
    write = session.database.write
    write("UPDATE orders SET status = 'cancelled' WHERE id = ?", row["id"])
    write("UPDATE payments SET status = 'refunded' WHERE order_id = ?", row["id"])
    write("DELETE FROM shipments WHERE order_id = ?", row["id"])
    write(
        "UPDATE options SET stock = stock + items.quantity FROM order_items AS items"
        " WHERE items.option_id = options.id AND items.order_id = ?",
        row["id"],
    )
    return get_order(session, inputs)


def pay_order(session: Session, inputs: JsonObject) -> JsonObject:
    """Pay an order in full and start its shipment."""
    row = _row(session, inputs["order_id"])
    if row["status"] != "awaiting_payment":
        raise _unpayable(row["status"])
    session.database.insert(
        "payments",
        id=session.database.new_id("pay"),
        order_id=row["id"],
        method=inputs["method"],
        amount_cents=_total_cents(session.database.rows(_ITEMS, row["id"])),
        status="paid",
        paid_on=TODAY,
    )
    session.database.write("UPDATE orders SET status = 'paid' WHERE id = ?", row["id"])
    _start_shipment(session, row["id"])
    return get_payment(session, inputs)


def _unpayable(status: str) -> Refusal:
    if status == "cancelled":
        return conflict("order_cancelled", "The order is cancelled; place a new one.")
    return conflict("order_already_paid", "The order is already paid; nothing is left to pay.")


def _start_shipment(session: Session, order_id: str) -> None:
    shipment_id = session.database.new_id("ship")
    expected_on = date.fromisoformat(TODAY) + timedelta(days=_DELIVERY_DAYS)
    session.database.insert(
        "shipments",
        id=shipment_id,
        order_id=order_id,
        carrier="Swallow Post",
        tracking_number="SW" + shipment_id.removeprefix("ship-").upper(),
        status="preparing",
        expected_on=expected_on.isoformat(),
    )


def get_payment(session: Session, inputs: JsonObject) -> JsonObject:
    """The payment of an order, or 404 before it is paid."""
    order = _row(session, inputs["order_id"])
    row = session.database.row("SELECT * FROM payments WHERE order_id = ?", order["id"])
    if row is None:
        message = "The order has no payment yet; pay it with pay_order."
        raise Refusal(404, "not_paid", message, field="order_id")
    return {
        "id": row["id"],
        "order_id": row["order_id"],
        "method": row["method"],
        "amount": euros(row["amount_cents"]),
        "status": row["status"],
        "paid_on": row["paid_on"],
    }


def get_shipment(session: Session, inputs: JsonObject) -> JsonObject:
    """The shipment of an order with its events, newest first, or 404 before it is paid."""
    order = _row(session, inputs["order_id"])
    row = session.database.row("SELECT * FROM shipments WHERE order_id = ?", order["id"])
    if row is None:
        message = f"The order has no shipment; its status is {order['status']}."
        raise Refusal(404, "no_shipment", message, field="order_id")
    events = session.database.rows(
        "SELECT occurred_on, place, description FROM shipment_events"
        " WHERE shipment_id = ? ORDER BY position DESC",
        row["id"],
    )
    return row | {"events": events}
