"""Tasks for the five steps of shopping; the later ones follow calls that were made before."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product
from random import Random

from restwright.calls.mismatch import Mismatch
from restwright.jsontypes import Json, JsonObject
from restwright_bench.calling.criteria import Unordered, is_id_of, meant
from restwright_bench.calling.library import FIRST, LAST
from restwright_bench.calling.task import Earlier, Task, new_id

TITLES = ("Heron city bicycle", "Otter cargo bicycle", "Lynx racing bicycle", "Badger trike")
SECTIONS = ("bicycles", "bags", "lights", "clothes", "parts")
ORDERS = {
    "the cheapest first": "+price",
    "the dearest first": "-price",
    "the newest first": "-opened_at",
    "the best rated first": "-rating",
}
COLOURS, SIZES = ("red", "olive", "silver"), ("small", "medium", "large")
WORDS = ("Swift", "Old Friend", "Rust Bucket", "Number Nine")
COUNTERS = ("north-gate", "harbour", "old-mill")
STREETS = ("Tanner Lane", "Mill Street", "Quay Road")
CITIES = (("Uusimaa", "Espoo", "FI"), ("Jutland", "Aarhus", "DK"), ("Tyrol", "Innsbruck", "AT"))
FIND: JsonObject = {"page": None, "limit": None, "search": None, "sort": []}


@dataclass(frozen=True, slots=True, kw_only=True)
class Sale:
    """One sale as `getSale` returns it, with what the user wants of it."""

    listed: list[Json]
    detail: JsonObject
    colour: str
    size: str

    @property
    def unit(self) -> JsonObject:
        """The one unit that the sale has."""
        return self.detail["units"][0]


def page(draw: Random) -> Task:
    """A page of sales under a few conditions."""
    section, limit = draw.choice(SECTIONS), draw.randrange(5, 60, 5)
    highest = draw.randrange(20, 900, 10)
    words, order = draw.choice(list(ORDERS.items()))
    search = {"sections": [section], "price": {"maximum": highest}, "in_stock": True}
    wanted = {"page": None, "limit": limit, "search": search, "sort": [order]}
    text = (
        f"Show me {limit} {section} that can be delivered now and cost at most {highest} euros, "
        f"{words}."
    )
    price = {"minimum": (None, 0), "maximum": highest}
    means = meant({**wanted, "page": (None, 1), "search": {**search, "price": price}})
    return Task(text=text, reference=wanted, means=means)


def detail(draw: Random) -> Task:
    """The details of one of the sales that were listed."""
    sale = _sale(draw)
    wanted = sale.detail["id"]
    text = f"Tell me more about the {sale.detail['title']}."
    return Task(
        text=text,
        earlier=(_found(sale),),
        reference={"sale_id": wanted},
        fits=lambda given: is_id_of("/sale_id", [wanted], "the sale", given["sale_id"]),
        means=meant({"sale_id": wanted}),
    )


def cart(draw: Random) -> Task:
    """One variant of a sale into the cart, with a text to engrave."""
    sale, engraved, volume = _sale(draw), draw.choice(WORDS), draw.randrange(1, 4)
    wanted = _commodity(sale, engraved, volume)
    text = (
        f"I take {volume} of them, {sale.size}, in {sale.colour}, "
        f'with "{engraved}" engraved. Put that into the cart.'
    )
    [chosen] = wanted["stocks"]
    means = meant({**wanted, "stocks": [{**chosen, "choices": Unordered(chosen["choices"])}]})
    return Task(
        text=text,
        earlier=(_found(sale), _looked_at(sale)),
        reference=wanted,
        fits=lambda given: _is_of_sale(sale, given),
        means=means,
    )


def _is_of_sale(sale: Sale, given: JsonObject) -> Iterator[Mismatch]:
    yield from is_id_of("/sale_id", [sale.detail["id"]], "the sale", given["sale_id"])
    stocks = [each["id"] for each in sale.unit["stocks"]]
    for place, each in enumerate(given["stocks"]):
        at = f"/stocks/{place}"
        yield from is_id_of(f"{at}/unit_id", [sale.unit["id"]], "a unit of it", each["unit_id"])
        yield from is_id_of(f"{at}/stock_id", stocks, "a stock of the unit", each["stock_id"])


def order(draw: Random) -> Task:
    """An order of what lies in the cart."""
    sale, volume = _sale(draw), draw.randrange(1, 4)
    commodity = new_id(draw)
    wanted = {"name": None, "goods": [{"commodity_id": commodity, "volume": volume}]}
    return Task(
        text="That is all. Make an order of it, without a name.",
        earlier=(_added(draw, sale, commodity, volume),),
        reference=wanted,
        fits=lambda given: is_id_of(
            "/goods/0/commodity_id",
            [commodity],
            "the commodity in the cart",
            given["goods"][0]["commodity_id"],
        ),
        means=meant(wanted),
    )


def publish(draw: Random) -> Task:
    """Payment in cash, and an address of several lines."""
    order_id, amount = new_id(draw), draw.randrange(200, 2000)
    counter, receipt = draw.choice(COUNTERS), f"R-{draw.randrange(10**5, 10**6)}"
    region, city, country = draw.choice(CITIES)
    address = {
        "name": f"{draw.choice(FIRST)} {draw.choice(LAST)}",
        "mobile": f"0{draw.randrange(10**8, 10**9)}",
        "country": country,
        "region": region,
        "city": city,
        "street": f"{draw.choice(STREETS)} {draw.randrange(1, 90)}",
        "postcode": str(draw.randrange(10**4, 10**5)),
        "note": draw.choice((None, "Ring twice", "Leave it with the neighbour")),
    }
    cash = {"type": "cash", "amount": amount, "vendor": counter, "receipt": receipt}
    wanted = {"order_id": order_id, "payments": [cash], "address": address}
    return Task(
        text=_publish_words(cash, address),
        earlier=(_ordered(draw, order_id, amount),),
        reference=wanted,
        fits=lambda given: is_id_of("/order_id", [order_id], "the order", given["order_id"]),
        means=meant(wanted),
    )


def _publish_words(cash: JsonObject, address: JsonObject) -> str:
    note = address["note"]
    return (
        f"I paid all {cash['amount']} euros in cash at the counter {cash['vendor']}; the receipt "
        f"is {cash['receipt']}. Publish the order and send it to:\n{address['name']}, mobile "
        f"{address['mobile']}\n{address['street']}\n{address['postcode']} {address['city']}, "
        f"{address['region']}\nCountry: {address['country']}\n"
        f"{f'For who delivers it: {note}' if note else 'There is nothing to note.'}"
    )


def _sale(draw: Random) -> Sale:
    """Four sales, and the one of them that is looked at, with a stock for each variant."""
    listed: list[Json] = [
        {"id": new_id(draw), "title": title, "price": draw.randrange(200, 3000)}
        for title in draw.sample(TITLES, len(TITLES))
    ]
    chosen = draw.choice(listed)
    colours, sizes = draw.sample(COLOURS, 2), draw.sample(SIZES, 2)
    options = [_option(draw, "colour", colours), _option(draw, "size", sizes)]
    text = {"id": new_id(draw), "name": "engraving", "type": "string"}
    stocks: list[Json] = [
        {"id": new_id(draw), "colour": colour, "size": size}
        for colour, size in product(colours, sizes)
    ]
    unit = {"id": new_id(draw), "name": "Bicycle", "options": [*options, text], "stocks": stocks}
    return Sale(
        listed=listed,
        detail={**chosen, "units": [unit]},
        colour=draw.choice(colours),
        size=draw.choice(sizes),
    )


def _option(draw: Random, name: str, words: list[str]) -> JsonObject:
    candidates = [{"id": new_id(draw), "name": each} for each in words]
    return {"id": new_id(draw), "name": name, "type": "select", "candidates": candidates}


def _commodity(sale: Sale, engraved: str, volume: int) -> JsonObject:
    """The right arguments of `addToCart`."""
    wanted = {"colour": sale.colour, "size": sale.size}
    stock = next(each for each in sale.unit["stocks"] if {**each, **wanted} == each)
    *selects, text = sale.unit["options"]
    choices: list[Json] = [
        {"option_id": option["id"], "candidate_id": candidate["id"], "value": None}
        for option in selects
        for candidate in option["candidates"]
        if candidate["name"] == wanted[option["name"]]
    ]
    choices.append({"option_id": text["id"], "candidate_id": None, "value": engraved})
    picked = {"unit_id": sale.unit["id"], "stock_id": stock["id"], "choices": choices}
    return {
        "sale_id": sale.detail["id"],
        "stocks": [{**picked, "quantity": 1}],
        "volume": volume,
    }


def _found(sale: Sale) -> Earlier:
    return Earlier(
        said="What do you sell?",
        tool="findSales",
        arguments=FIND,
        returned={"page": 1, "sales": sale.listed},
    )


def _looked_at(sale: Sale) -> Earlier:
    return Earlier(
        said=f"Tell me more about the {sale.detail['title']}.",
        tool="getSale",
        arguments={"sale_id": sale.detail["id"]},
        returned=sale.detail,
    )


def _added(draw: Random, sale: Sale, commodity: str, volume: int) -> Earlier:
    returned = {
        "id": commodity,
        "sale": {"id": sale.detail["id"], "title": sale.detail["title"]},
        "volume": volume,
        "price": sale.detail["price"] * volume,
    }
    return Earlier(
        said=f"I take {volume} of the {sale.detail['title']}.",
        tool="addToCart",
        arguments=_commodity(sale, draw.choice(WORDS), volume),
        returned=returned,
    )


def _ordered(draw: Random, order_id: str, amount: int) -> Earlier:
    commodity = new_id(draw)
    goods = [{"commodity_id": commodity, "volume": 1}]
    returned = {
        "id": order_id,
        "goods": [{"id": new_id(draw), "commodity_id": commodity, "volume": 1}],
        "price": amount,
        "paid_at": None,
    }
    return Earlier(
        said="Make an order of what is in the cart.",
        tool="createOrder",
        arguments={"name": None, "goods": goods},
        returned=returned,
    )
