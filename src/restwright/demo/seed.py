"""Fills an empty database with the shop's data. The same rows every time."""

from __future__ import annotations

from datetime import date, timedelta

from restwright.demo import data
from restwright.demo.database import Database, identifier


def seeded() -> Database:
    """A new database with everything in it."""
    database = Database()
    with database.transaction():
        for fill in (_categories, _products, _customers, _carts, _orders):
            fill(database)
    return database


def signed_in_customer() -> str:
    """The id of the customer whom the token names."""
    return identifier("cust", data.SIGNED_IN)


def _option_id(product: str, value: str) -> str:
    return identifier("opt", product, value)


def _categories(database: Database) -> None:
    for category, name, description in data.CATEGORIES:
        database.insert("categories", id=category, name=name, description=description)


def _products(database: Database) -> None:
    for product in data.products():
        database.insert(
            "products",
            id=identifier("prod", product.name),
            category=product.category,
            brand=product.brand,
            name=product.name,
            price_cents=product.price_cents,
            weight_grams=product.weight_grams,
            released_on=product.released_on,
            description=product.description,
        )
        _options(database, product)
        _reviews(database, product)


def _options(database: Database, product: data.ProductRow) -> None:
    for position, (value, stock) in enumerate(product.stock.items()):
        database.insert(
            "options",
            id=_option_id(product.name, value),
            product_id=identifier("prod", product.name),
            position=position,
            name=product.option,
            value=value,
            stock=stock,
        )


def _reviews(database: Database, product: data.ProductRow) -> None:
    ratings = [5 - index for index, count in enumerate(product.stars) for _ in range(count)]
    # Sorting by hash mixes stars, authors and opinions without a random number generator,
    # whose sequence could change with the Python version.
    mixed = sorted(enumerate(ratings), key=lambda each: identifier("mix", product.name, each[0]))
    authors = sorted(data.REVIEWERS, key=lambda author: identifier("mix", product.name, author))
    span = (date.fromisoformat(data.TODAY) - date.fromisoformat(product.released_on)).days - 10
    for place, ((index, rating), author) in enumerate(zip(mixed, authors, strict=False)):
        opinions = data.OPINIONS[rating]
        title, text = opinions[(index + len(product.name)) % len(opinions)]
        age = timedelta(days=3 + span * place // len(mixed))
        database.insert(
            "reviews",
            id=identifier("rev", product.name, author),
            product_id=identifier("prod", product.name),
            author=author,
            rating=rating,
            title=title,
            text=text,
            created_on=(date.fromisoformat(data.TODAY) - age).isoformat(),
        )


def _customers(database: Database) -> None:
    for name, email, phone, joined_on in data.CUSTOMERS:
        database.insert(
            "customers",
            id=identifier("cust", name),
            name=name,
            email=email,
            phone=phone,
            joined_on=joined_on,
        )
    for customer, label, street, postal_code, city, country, is_default in data.ADDRESSES:
        database.insert(
            "addresses",
            id=identifier("addr", customer, label),
            customer_id=identifier("cust", customer),
            label=label,
            recipient=customer,
            street=street,
            postal_code=postal_code,
            city=city,
            country=country,
            is_default=is_default,
        )


def _carts(database: Database) -> None:
    for customer, product, value, quantity in data.CARTS:
        database.insert(
            "cart_items",
            id=identifier("item", customer, product, value),
            customer_id=identifier("cust", customer),
            option_id=_option_id(product, value),
            quantity=quantity,
        )


def _orders(database: Database) -> None:
    for order in data.ORDERS:
        order_id = identifier("order", order.customer, order.placed_on)
        database.write(
            "INSERT INTO orders SELECT ?, customer_id, ?, ?, recipient, street, postal_code, city,"
            " country FROM addresses WHERE customer_id = ? AND is_default",
            order_id,
            order.status,
            order.placed_on,
            identifier("cust", order.customer),
        )
        for product, value, quantity in order.lines:
            database.write(
                "INSERT INTO order_items SELECT ?, options.id, price_cents, ?"
                " FROM options JOIN products ON products.id = product_id WHERE options.id = ?",
                order_id,
                quantity,
                _option_id(product, value),
            )
        _payment(database, order, order_id)
        _shipment(database, order, order_id)


def _payment(database: Database, order: data.OrderRow, order_id: str) -> None:
    if order.paid is None:
        return
    paid_on, method = order.paid
    database.write(
        "INSERT INTO payments SELECT ?, order_id, ?, SUM(unit_price_cents * quantity), ?, ?"
        " FROM order_items WHERE order_id = ? GROUP BY order_id",
        identifier("pay", order_id),
        method,
        "refunded" if order.status == "cancelled" else "paid",
        paid_on,
        order_id,
    )


def _shipment(database: Database, order: data.OrderRow, order_id: str) -> None:
    if order.shipment is None:
        return
    carrier, tracking_number, expected_on = order.shipment
    shipment_id = identifier("ship", order_id)
    status = {"paid": "preparing", "shipped": "in_transit"}.get(order.status, order.status)
    database.insert(
        "shipments",
        id=shipment_id,
        order_id=order_id,
        carrier=carrier,
        tracking_number=tracking_number,
        status=status,
        shipped_on=order.events[0][0] if order.events else None,
        expected_on=expected_on,
        delivered_on=order.events[-1][0] if status == "delivered" else None,
    )
    for position, (occurred_on, place, description) in enumerate(order.events):
        database.insert(
            "shipment_events",
            shipment_id=shipment_id,
            position=position,
            occurred_on=occurred_on,
            place=place,
            description=description,
        )
