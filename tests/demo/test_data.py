"""The shop's data, as the database holds them."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from restwright.demo import data
from restwright.demo.database import Database, identifier
from restwright.demo.seed import seeded


@pytest.fixture(scope="module")
def database() -> Iterator[Database]:
    with seeded() as one:
        yield one


def test_every_product_has_the_reviews_that_its_stars_say(database: Database) -> None:
    stored = {
        row["name"]: row["review_count"]
        for row in database.rows("SELECT name, review_count FROM catalogue")
    }
    assert stored == {product.name: sum(product.stars) for product in data.products()}


def test_ratings_differ_within_a_category(database: Database) -> None:
    """So that "the best rated" has one answer, at any price."""
    assert not database.rows(
        "SELECT category, rating FROM catalogue GROUP BY category, rating HAVING COUNT(*) > 1"
    )


def test_some_products_and_some_options_are_sold_out(database: Database) -> None:
    sold_out = database.rows("SELECT name FROM catalogue WHERE stock = 0 ORDER BY name")
    assert [row["name"] for row in sold_out] == [
        *("Loden Roll Top", "Nimbra X3", "Tavaro Vista", "Twill Kids"),
    ]


def test_dates_are_in_the_past_and_in_order(database: Database) -> None:
    assert not database.rows(
        "SELECT name FROM products JOIN reviews ON product_id = products.id"
        " WHERE created_on < released_on OR created_on > ?",
        data.TODAY,
    )
    assert not database.rows("SELECT id FROM orders WHERE placed_on > ?", data.TODAY)


def test_the_seed_breaks_no_reference(database: Database) -> None:
    assert database.rows("PRAGMA foreign_key_check") == []


def test_an_identifier_depends_on_its_seed_alone() -> None:
    assert identifier("prod", "Lumora Field S") == "prod-rxk3m"


def test_a_failed_transaction_leaves_nothing() -> None:
    def fail(database: Database) -> None:
        with database.transaction():
            database.write("DELETE FROM cart_items")
            raise LookupError

    with seeded() as database:
        with pytest.raises(LookupError):
            fail(database)
        assert len(database.rows("SELECT id FROM cart_items")) == len(data.CARTS)
