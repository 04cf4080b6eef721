"""The cart of the signed-in customer."""

from __future__ import annotations

from restwright.demo.products import product_row
from restwright.demo.refusal import Refusal, conflict, invalid, not_found
from restwright.demo.session import Session, euros
from restwright.jsontypes import JsonObject

_MOST_OF_ONE = 99
_LINES = """
SELECT cart_items.id, product_id, products.name AS product_name, option_id,
       options.value AS option, price_cents, quantity, stock
FROM cart_items JOIN options ON options.id = option_id JOIN products ON products.id = product_id
WHERE customer_id = ? ORDER BY cart_items.rowid
"""


def cart_lines(session: Session) -> list[JsonObject]:
    """What is in the cart, with prices in cents and what is in stock."""
    return session.database.rows(_LINES, session.customer_id)


def priced(line: JsonObject, unit_price_cents: int) -> JsonObject:
    """The line of a cart or order with its prices in euros."""
    return {
        "product_id": line["product_id"],
        "product_name": line["product_name"],
        "option_id": line["option_id"],
        "option": line["option"],
        "unit_price": euros(unit_price_cents),
        "quantity": line["quantity"],
        "total": euros(unit_price_cents * line["quantity"]),
    }


def get_cart(session: Session, _: JsonObject) -> JsonObject:
    """The items in the cart and their total."""
    lines = cart_lines(session)
    return {
        "items": [{"id": line["id"]} | priced(line, line["price_cents"]) for line in lines],
        "item_count": sum(line["quantity"] for line in lines),
        "total": euros(sum(line["price_cents"] * line["quantity"] for line in lines)),
    }


def add_cart_item(session: Session, inputs: JsonObject) -> JsonObject:
    """Put an option of a product into the cart, on top of what is there of it."""
    product = product_row(session, inputs["product_id"])
    option = _option(session, product, inputs.get("option_id"))
    in_cart = session.database.row(
        "SELECT id, quantity FROM cart_items WHERE customer_id = ? AND option_id = ?",
        session.customer_id,
        option["id"],
    )
    quantity = inputs["quantity"] + (in_cart["quantity"] if in_cart else 0)
    require_stock(quantity, option["stock"], f"{product['name']} ({option['value']})")
    if in_cart:
        _set_quantity(session, in_cart["id"], quantity)
    else:
        session.database.insert(
            "cart_items",
            id=session.database.new_id("item"),
            customer_id=session.customer_id,
            option_id=option["id"],
            quantity=quantity,
        )
    return get_cart(session, {})


def _option(session: Session, product: JsonObject, option_id: str | None) -> JsonObject:
    """The option that is asked for; without an id the first in stock, else the first."""
    options = session.database.rows(
        "SELECT * FROM options WHERE product_id = ? ORDER BY stock = 0, position", product["id"]
    )
    chosen = [option for option in options if option_id in {None, option["id"]}]
    if not chosen:
        raise _no_such_option(session, product, str(option_id))
    return chosen[0]


def _no_such_option(session: Session, product: JsonObject, option_id: str) -> Refusal:
    if session.database.row("SELECT id FROM options WHERE id = ?", option_id) is None:
        return not_found("option_id", option_id, "options of get_product")
    message = f"The option is not one of {product['name']}; take one from options of get_product."
    return invalid("option_id", message)


def require_stock(quantity: int, stock: int, what: str) -> None:
    """Refuse with 409 what the stock does not hold."""
    if stock == 0:
        raise conflict("out_of_stock", f"{what} is sold out; choose another option or product.")
    if quantity > min(stock, _MOST_OF_ONE):
        most = min(stock, _MOST_OF_ONE)
        message = f"Not more than {most} of {what} can be ordered; lower the quantity."
        raise conflict("out_of_stock", message, field="quantity")


def update_cart_item(session: Session, inputs: JsonObject) -> JsonObject:
    """Set the quantity of an item."""
    line = _line(session, inputs["item_id"])
    what = f"{line['product_name']} ({line['option']})"
    require_stock(inputs["quantity"], line["stock"], what)
    _set_quantity(session, line["id"], inputs["quantity"])
    return get_cart(session, {})


def remove_cart_item(session: Session, inputs: JsonObject) -> JsonObject:
    """Take an item out."""
    line = _line(session, inputs["item_id"])
    session.database.write("DELETE FROM cart_items WHERE id = ?", line["id"])
    return get_cart(session, {})


def _line(session: Session, item_id: str) -> JsonObject:
    for line in cart_lines(session):
        if line["id"] == item_id:
            return line
    raise not_found("item_id", item_id, "get_cart")


def _set_quantity(session: Session, item_id: str, quantity: int) -> None:
    session.database.write("UPDATE cart_items SET quantity = ? WHERE id = ?", quantity, item_id)
