-- Money is in cents, dates are ISO 8601 text.
PRAGMA foreign_keys = ON;
CREATE TABLE categories (id TEXT PRIMARY KEY, name TEXT NOT NULL, description TEXT NOT NULL);
CREATE TABLE products (
    id TEXT PRIMARY KEY,
    category TEXT NOT NULL REFERENCES categories,
    brand TEXT NOT NULL,
    name TEXT NOT NULL UNIQUE,
    price_cents INTEGER NOT NULL,
    weight_grams INTEGER NOT NULL,
    released_on TEXT NOT NULL,
    description TEXT NOT NULL
);
CREATE TABLE options (
    id TEXT PRIMARY KEY,
    product_id TEXT NOT NULL REFERENCES products,
    position INTEGER NOT NULL,
    name TEXT NOT NULL,
    value TEXT NOT NULL,
    stock INTEGER NOT NULL CHECK (stock >= 0)
);
CREATE INDEX options_of_product ON options (product_id, position);
CREATE TABLE customers (
    id TEXT PRIMARY KEY,
    name TEXT NOT NULL,
    email TEXT NOT NULL,
    phone TEXT NOT NULL,
    joined_on TEXT NOT NULL
);
CREATE TABLE addresses (
    id TEXT PRIMARY KEY,
    customer_id TEXT NOT NULL REFERENCES customers,
    label TEXT NOT NULL,
    recipient TEXT NOT NULL,
    street TEXT NOT NULL,
    postal_code TEXT NOT NULL,
    city TEXT NOT NULL,
    country TEXT NOT NULL,
    is_default INTEGER NOT NULL
);
CREATE TABLE reviews (
    id TEXT PRIMARY KEY,
    product_id TEXT NOT NULL REFERENCES products,
    author TEXT NOT NULL,
    rating INTEGER NOT NULL,
    title TEXT NOT NULL,
    text TEXT NOT NULL,
    created_on TEXT NOT NULL,
    UNIQUE (product_id, author)
);
CREATE TABLE cart_items (
    id TEXT PRIMARY KEY,
    customer_id TEXT NOT NULL REFERENCES customers,
    option_id TEXT NOT NULL REFERENCES options,
    quantity INTEGER NOT NULL,
    UNIQUE (customer_id, option_id)
);
CREATE TABLE orders (
    id TEXT PRIMARY KEY,
    customer_id TEXT NOT NULL REFERENCES customers,
    status TEXT NOT NULL,
    placed_on TEXT NOT NULL,
    recipient TEXT NOT NULL,
    street TEXT NOT NULL,
    postal_code TEXT NOT NULL,
    city TEXT NOT NULL,
    country TEXT NOT NULL
);
-- Prices are those of the day of the order.
CREATE TABLE order_items (
    order_id TEXT NOT NULL REFERENCES orders,
    option_id TEXT NOT NULL REFERENCES options,
    unit_price_cents INTEGER NOT NULL,
    quantity INTEGER NOT NULL,
    PRIMARY KEY (order_id, option_id)
);
CREATE TABLE payments (
    id TEXT PRIMARY KEY,
    order_id TEXT NOT NULL UNIQUE REFERENCES orders,
    method TEXT NOT NULL,
    amount_cents INTEGER NOT NULL,
    status TEXT NOT NULL,
    paid_on TEXT NOT NULL
);
CREATE TABLE shipments (
    id TEXT PRIMARY KEY,
    order_id TEXT NOT NULL UNIQUE REFERENCES orders,
    carrier TEXT NOT NULL,
    tracking_number TEXT NOT NULL,
    status TEXT NOT NULL,
    shipped_on TEXT,
    expected_on TEXT NOT NULL,
    delivered_on TEXT
);
CREATE TABLE shipment_events (
    shipment_id TEXT NOT NULL REFERENCES shipments,
    position INTEGER NOT NULL,
    occurred_on TEXT NOT NULL,
    place TEXT NOT NULL,
    description TEXT NOT NULL,
    PRIMARY KEY (shipment_id, position)
);
-- Ids of what is made while the shop runs are derived from this counter.
CREATE TABLE counter (last INTEGER NOT NULL);
INSERT INTO counter VALUES (0);
-- Names sort and compare in any letter case; ratings are rounded as they are shown.
CREATE VIEW catalogue AS
SELECT
    products.*,
    (SELECT ROUND(AVG(rating), 1) FROM reviews WHERE product_id = products.id) AS rating,
    (SELECT COUNT(*) FROM reviews WHERE product_id = products.id) AS review_count,
    (SELECT SUM(stock) FROM options WHERE product_id = products.id) AS stock
FROM products;
