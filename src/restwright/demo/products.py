"""The catalogue: categories, products and reviews."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from restwright.demo.data import TODAY
from restwright.demo.refusal import conflict, invalid, not_found
from restwright.demo.session import Session, euros, page
from restwright.jsontypes import Json, JsonObject

_SORTS: Mapping[str, str] = {
    "price_asc": "price_cents, name COLLATE NOCASE",
    "price_desc": "price_cents DESC, name COLLATE NOCASE",
    "rating_asc": "rating, name COLLATE NOCASE",
    "rating_desc": "rating DESC, name COLLATE NOCASE",
    "reviews_desc": "review_count DESC, name COLLATE NOCASE",
    "newest": "released_on DESC, name COLLATE NOCASE",
    "name_asc": "name COLLATE NOCASE",
}
_FILTERS: Mapping[str, str] = {
    "category": "category = ?",
    "brand": "LOWER(brand) = LOWER(?)",
    "min_price": "price_cents >= ROUND(? * 100)",
    "max_price": "price_cents <= ROUND(? * 100)",
    "min_rating": "rating >= ?",
    "in_stock": "(stock > 0) = ?",
}
_WORDS = "INSTR(LOWER(name || ' ' || brand || ' ' || category || ' ' || description), ?) > 0"


def list_categories(session: Session, _: JsonObject) -> JsonObject:
    """All categories with their number of products."""
    rows = session.database.rows(
        "SELECT *, (SELECT COUNT(*) FROM products WHERE category = categories.id) AS product_count"
        " FROM categories ORDER BY id"
    )
    return {"items": rows}


def list_products(session: Session, inputs: JsonObject) -> JsonObject:
    """One page of the products that match every filter."""
    if inputs.get("min_price", 0) > inputs.get("max_price", float("inf")):
        raise invalid("max_price", "max_price is below min_price; raise it or lower min_price.")
    conditions = [("TRUE", None), *_conditions(inputs)]
    # Conditions and orders come from the tables above, values are bound.
    sql = (
        f"SELECT * FROM catalogue WHERE {' AND '.join(text for text, _ in conditions)}"  # noqa: S608
        f" ORDER BY {_SORTS[inputs['sort']]}"
    )
    found = page(session, inputs, sql, *(value for _, value in conditions[1:]))
    return found | {"items": [_summary(row) for row in found["items"]]}


def _conditions(inputs: JsonObject) -> Iterator[tuple[str, Json]]:
    for name, condition in _FILTERS.items():
        if name in inputs:
            yield condition, inputs[name]
    for word in inputs.get("search", "").lower().split():
        # Words are looked for inside of others, so without its s a plural finds both forms.
        yield _WORDS, word.removesuffix("s") or word


def _summary(row: JsonObject) -> JsonObject:
    return {
        "id": row["id"],
        "name": row["name"],
        "brand": row["brand"],
        "category": row["category"],
        "price": euros(row["price_cents"]),
        "rating": row["rating"],
        "review_count": row["review_count"],
        "in_stock": row["stock"] > 0,
    }


def get_product(session: Session, inputs: JsonObject) -> JsonObject:
    """One product with its stock and options."""
    row = product_row(session, inputs["product_id"])
    options = session.database.rows(
        "SELECT id, name, value, stock FROM options WHERE product_id = ? ORDER BY position",
        row["id"],
    )
    return _summary(row) | {
        "stock": row["stock"],
        "options": options,
        "description": row["description"],
        "weight_grams": row["weight_grams"],
        "released_on": row["released_on"],
    }


def product_row(session: Session, product_id: str) -> JsonObject:
    """The catalogue's row of a product, or 404."""
    row = session.database.row("SELECT * FROM catalogue WHERE id = ?", product_id)
    if row is None:
        raise not_found("product_id", product_id, "list_products")
    return row


def list_reviews(session: Session, inputs: JsonObject) -> JsonObject:
    """One page of a product's reviews, newest first."""
    product = product_row(session, inputs["product_id"])
    sql = "SELECT * FROM reviews WHERE product_id = ? AND rating = COALESCE(?, rating)"
    order = " ORDER BY created_on DESC, id"
    return page(session, inputs, sql + order, product["id"], inputs.get("rating"))


def create_review(session: Session, inputs: JsonObject) -> JsonObject:
    """Add the signed-in customer's review of a product."""
    product = product_row(session, inputs["product_id"])
    author = session.database.rows("SELECT name FROM customers WHERE id = ?", session.customer_id)[
        0
    ]["name"]
    earlier = "SELECT id FROM reviews WHERE product_id = ? AND author = ?"
    if session.database.row(earlier, product["id"], author):
        raise conflict("already_reviewed", "You have reviewed this product; once is the limit.")
    review = {
        "id": session.database.new_id("rev"),
        "product_id": product["id"],
        "author": author,
        "rating": inputs["rating"],
        "title": inputs["title"],
        "text": inputs["text"],
        "created_on": TODAY,
    }
    session.database.insert("reviews", **review)
    return review
