"""The shop's invented data: products in `products.csv`, everything else here."""

from __future__ import annotations

import csv
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from importlib.resources import files

TODAY = "2026-11-02"
"""The shop's clock stands still, so that equal requests get equal answers."""

SIGNED_IN = "Mira Castellan"
"""The customer whom the token names."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ProductRow:
    """
    One product for sale.

    Args:
        stars: How many reviews give 5, 4, 3, 2 and 1 stars.
        option: What its options differ in.
        stock: `{option value: pieces in stock}`.
    """

    category: str
    brand: str
    name: str
    price_cents: int
    weight_grams: int
    released_on: str
    stars: tuple[int, ...]
    option: str
    stock: Mapping[str, int]
    description: str


@dataclass(frozen=True, slots=True, kw_only=True)
class OrderRow:
    """
    One order of the past.

    Args:
        lines: `(product name, option value, quantity)`.
        paid: `(date, method)`, or None.
        shipment: `(carrier, tracking number, expected date)`, or None.
        events: `(date, place, what happened)`, oldest first.
    """

    customer: str
    status: str
    placed_on: str
    lines: tuple[tuple[str, str, int], ...]
    paid: tuple[str, str] | None = None
    shipment: tuple[str, str, str] | None = None
    events: tuple[tuple[str, str, str], ...] = ()


CATEGORIES = (
    ("bags", "Bags", "Backpacks, shoulder bags and travel bags."),
    ("cameras", "Cameras", "Compact, mirrorless, instant and action cameras."),
    ("headphones", "Headphones", "Over-ear and on-ear headphones, earbuds and headsets."),
    ("laptops", "Laptops", "Portable computers for school, work and games."),
    ("phones", "Phones", "Smartphones and simple phones."),
    ("watches", "Watches", "Sports watches, smartwatches and mechanical watches."),
)

CUSTOMERS = (
    (SIGNED_IN, "mira.castellan@example.com", "+351 21 555 0142", "2023-02-11"),
    ("Jonas Aldermann", "jonas@example.com", "+49 30 555 0117", "2022-07-30"),
    ("Priya Venkatesan", "priya@example.com", "+44 20 5550 0163", "2024-01-19"),
    ("Tomas Urbanek", "tomas@example.com", "+420 2 5550 0108", "2021-11-04"),
)

ADDRESSES = (
    (SIGNED_IN, "Home", "Rua das Acacias 18", "1200-047", "Lisbon", "Portugal", True),
    (SIGNED_IN, "Office", "Avenida do Cais 402", "4050-210", "Porto", "Portugal", False),
    ("Jonas Aldermann", "Home", "Lindenweg 7", "10435", "Berlin", "Germany", True),
    ("Priya Venkatesan", "Home", "23 Orchard Rise", "BS6 7QT", "Bristol", "United Kingdom", True),
    ("Tomas Urbanek", "Home", "Na Kopci 91", "602 00", "Brno", "Czechia", True),
)

CARTS = (
    ("Jonas Aldermann", "Loden Trail 45", "M-L", 1),
    ("Priya Venkatesan", "Velto One", "white", 1),
    ("Priya Venkatesan", "Calluna Buds", "white", 2),
)

ORDERS = (
    OrderRow(
        customer=SIGNED_IN,
        status="delivered",
        placed_on="2026-03-14",
        lines=(("Quillon Study 14", "blue", 1), ("Fenwick Commuter 20", "navy", 1)),
        paid=("2026-03-14", "card"),
        shipment=("Swallow Post", "SW40817735PT", "2026-03-19"),
        events=(
            ("2026-03-16", "Rotterdam", "Left the warehouse"),
            ("2026-03-18", "Lisbon", "Arrived at the delivery center"),
            ("2026-03-19", "Lisbon", "Delivered"),
        ),
    ),
    OrderRow(
        customer="Jonas Aldermann",
        status="delivered",
        placed_on="2026-05-02",
        lines=(("Merrow Pace 2", "45 mm", 1),),
        paid=("2026-05-03", "bank_transfer"),
        shipment=("Parcelbird", "PB9907112", "2026-05-07"),
        events=(
            ("2026-05-04", "Rotterdam", "Left the warehouse"),
            ("2026-05-06", "Berlin", "Delivered"),
        ),
    ),
    OrderRow(
        customer=SIGNED_IN,
        status="cancelled",
        placed_on="2026-06-30",
        lines=(("Tikka Smart 3", "44 mm", 1),),
        paid=("2026-06-30", "gift_card"),
    ),
    OrderRow(
        customer=SIGNED_IN,
        status="delivered",
        placed_on="2026-08-21",
        lines=(("Calluna Hush", "cream", 1), ("Twill Basic Buds", "blue", 2)),
        paid=("2026-08-22", "card"),
        shipment=("Parcelbird", "PB7725048", "2026-08-27"),
        events=(
            ("2026-08-24", "Rotterdam", "Left the warehouse"),
            ("2026-08-25", "Madrid", "Sorted"),
            ("2026-08-28", "Lisbon", "Delivered"),
        ),
    ),
    OrderRow(
        customer="Priya Venkatesan",
        status="awaiting_payment",
        placed_on="2026-10-24",
        lines=(("Grebe Dive 4K", "yellow", 1),),
    ),
    OrderRow(
        customer=SIGNED_IN,
        status="shipped",
        placed_on="2026-10-26",
        lines=(("Tavaro Q10", "sand", 1), ("Fenwick Lens Sling", "olive", 1)),
        paid=("2026-10-26", "card"),
        shipment=("Swallow Post", "SW51290466PT", "2026-11-04"),
        events=(
            ("2026-10-29", "Rotterdam", "Left the warehouse"),
            ("2026-11-01", "Madrid", "Sorted"),
        ),
    ),
    OrderRow(
        customer=SIGNED_IN,
        status="paid",
        placed_on="2026-10-31",
        lines=(("Merrow Splash", "aqua", 2),),
        paid=("2026-11-01", "bank_transfer"),
        shipment=("Parcelbird", "PB8160325", "2026-11-06"),
    ),
    OrderRow(
        customer=SIGNED_IN,
        status="awaiting_payment",
        placed_on="2026-11-01",
        lines=(("Loden Day 12", "red", 1), ("Pulsewing Run", "lime", 1)),
    ),
)

REVIEWERS = (
    "Jonas Aldermann",
    "Priya Venkatesan",
    "Tomas Urbanek",
    *("Aino Lehtola", "Bruno Tavares", "Celeste Marin", "Dario Bellucci", "Edda Thorsen"),
    *("Farah Mansoor", "Gwen Pritchard", "Hamid Sadri", "Ilse Vandamme", "Janek Sobol"),
    *("Keiko Arai", "Leila Haddad", "Matteo Ricci", "Nadia Petrova", "Oskar Lund"),
    *("Paula Ferreira", "Quentin Moreau", "Rosa Delgado", "Stefan Kranz", "Tara Whitfield"),
    *("Ugo Fontana", "Vera Holub", "Wim de Boer"),
)

OPINIONS: Mapping[int, tuple[tuple[str, str], ...]] = {
    5: (
        ("Could not be happier", "I use it every day and have found nothing to complain about."),
        ("Worth every cent", "Better made than I expected at this price."),
        ("My favorite purchase this year", "It does exactly what it should, and does it well."),
        ("Excellent", "Arrived quickly, easy to get used to, and it feels solid."),
        ("I bought a second one", "The first was for me, the second is for my sister."),
    ),
    4: (
        ("Very good", "A small scratch in the finish, but otherwise very good."),
        ("Nearly perfect", "I would have liked another color, the rest is great."),
        ("Good value", "Not the best there is, but more than enough for me."),
        ("Recommended", "The manual could be better; the product itself is fine."),
    ),
    3: (
        ("All right", "It works, but I expected a little more."),
        ("Mixed feelings", "Some things are clever, others are not thought through."),
        ("Average", "Fine for now and then, not for every day."),
    ),
    2: (
        ("Disappointing", "It feels cheaper than it looks in the pictures."),
        ("Not for me", "I had to get used to it and never quite did."),
    ),
    1: (
        ("Sent it back", "Mine had a fault after a week. The refund came quickly."),
        ("Does not last", "It stopped working after two months."),
    ),
}


def products() -> Iterator[ProductRow]:
    """Yield every product of `products.csv`, in file order."""
    text = files("restwright.demo").joinpath("products.csv").read_text(encoding="utf-8")
    for row in csv.DictReader(text.splitlines()):
        yield _product(row)


def _product(row: Mapping[str, str]) -> ProductRow:
    stock = (value.rsplit(" x ", 1) for value in row["values"].split("; "))
    return ProductRow(
        category=row["category"],
        brand=row["brand"],
        name=row["name"],
        price_cents=int(row["price"].replace(".", "")),
        weight_grams=int(row["weight_grams"]),
        released_on=row["released_on"],
        stars=tuple(int(count) for count in row["stars"].split("-")),
        option=row["option"],
        stock={value: int(count) for value, count in stock},
        description=row["description"],
    )
