#!/bin/sh
# Builds the wheel and tries it in empty environments, as a user would: the core alone first, then
# with the extras of the main job. Usage: sh tests/wheel.sh UV
set -eu
uv=$1
case $uv in */*) uv=$(cd "$(dirname "$uv")" && pwd)/$(basename "$uv") ;; esac
work=$(mktemp -d)
server=
trap '[ -z "$server" ] || kill "$server" 2>/dev/null || true; rm -rf "$work"' EXIT INT TERM

"$uv" build --quiet --wheel --out-dir "$work/dist"
wheel=$(ls "$work"/dist/*.whl)
echo "wheel: $(basename "$wheel")"
cd "$work"

# A home of its own: neither a model nor a setting of this machine is found.
mkdir home
restwright="env -u RESTWRIGHT_MODEL -u RESTWRIGHT_MODEL_URL HOME=$work/home XDG_CACHE_HOME=$work/home
    XDG_DATA_HOME=$work/home XDG_STATE_HOME=$work/home $work/venv/bin/restwright"

# expect STATUS TEXT COMMAND...: it must end with STATUS and print TEXT.
expect() {
    wanted=$1 text=$2
    shift 2
    status=0
    $restwright "$@" >out.txt 2>&1 </dev/null || status=$?
    if [ "$status" != "$wanted" ] || ! grep -qF -- "$text" out.txt || grep -q Traceback out.txt; then
        echo "wheel: restwright $*: status $status (wanted $wanted and: $text)" >&2
        cat out.txt >&2
        exit 1
    fi
    echo "ok: restwright $*"
}

# wait_for FILE PATTERN: print the first match in FILE once a server in the background wrote it.
wait_for() {
    for _ in $(seq 100); do
        found=$(grep -oE "$2" "$1" | head -n 1) || true
        [ -z "$found" ] || { echo "$found"; return; }
        sleep 0.2
    done
    echo "wheel: no $2 in $1" >&2
    cat "$1" >&2
    return 1
}

cat >things.yaml <<'DOCUMENT'
openapi: 3.1.0
info: {title: Things, version: "1"}
paths:
  /things/{id}.json:
    get:
      operationId: get_thing
      summary: One thing.
      parameters:
        - {name: id, in: path, required: true, schema: {type: integer}}
      responses:
        "200": {description: It., content: {application/json: {schema: {type: object}}}}
DOCUMENT
mkdir -p served/things
echo '{"id": 7, "colour": "teal"}' >served/things/7.json

"$uv" venv --quiet --python 3.11 venv
if venv/bin/python -m zipfile --list "$wheel" |
    grep -vE '^(File Name|restwright/|restwright-[^/]*\.dist-info/)'; then
    echo "wheel: the files above are not restwright's" >&2
    exit 1
fi
echo "ok: restwright alone"
"$uv" pip install --quiet --python venv "$wheel"
venv/bin/python -u -m http.server --bind 127.0.0.1 --directory served 0 >served.txt 2>&1 &
server=$!
things=$(wait_for served.txt 'http://127\.0\.0\.1:[0-9]+')

expect 0 restwright --version
# Type checkers read the annotations of a package only beside this file.
venv/bin/python -c 'from importlib.resources import files; files("restwright").joinpath("py.typed").read_bytes()'
echo "ok: py.typed"
expect 0 'things__get_thing' tools things.yaml
expect 0 '"read_only": true' tools things.yaml --json
expect 0 'GET /things/{id}.json' show things.yaml get_thing
expect 0 '"id": 7' check things.yaml get_thing '{"id": 7}'
expect 1 '/id' check things.yaml get_thing '{"id": "seven"}'
expect 0 "GET $things/things/7.json" call things.yaml get_thing '{"id": 7}' --server "$things" --dry-run
expect 0 'teal' call things.yaml get_thing '{"id": 7}' --server "$things"
expect 1 '404' call things.yaml get_thing '{"id": 8}' --server "$things"
expect 1 "pip install 'restwright[" ask 'Which colour has thing 7?' -a things.yaml
expect 1 "pip install 'restwright[demo]'" demo --serve
expect 1 "pip install 'restwright[mcp]'" mcp serve things.yaml
expect 0 'mcpServers' mcp config things.yaml --for cursor
expect 0 "pip install 'restwright[local]'" doctor
kill "$server"

"$uv" pip install --quiet --python venv "restwright[agent,local,demo,mcp] @ file://$wheel"
expect 0 'sandbox' doctor
# Standard input has ended, and so does the server.
expect 0 '1 tool' mcp serve things.yaml
$restwright demo --serve >shop.txt 2>&1 </dev/null &
server=$!
shop=$(wait_for shop.txt 'http://127\.0\.0\.1:[0-9]+')
expect 0 'GET' tools "$shop/openapi.json"
expect 1 'restwright model pull' ask 'Which camera is the best?' -a "$shop/openapi.json"
expect 1 'restwright model pull' demo
echo "wheel: passed"
