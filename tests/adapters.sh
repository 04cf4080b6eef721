#!/bin/sh
# Tests each adapter with its framework, in an environment of its own below .adapters/: the
# frameworks cannot be installed together. With CORPUS=1 every tool of the shared documents is made
# and a sample of them called. Usage: adapters.sh UV [NAME...]
set -eu
cd "$(dirname "$0")/.."
uv=$1
shift
failed=
skipped=

packages() {
    case $1 in
        adk) echo "google-adk>=2.13,<3" ;;
        agent_framework) echo "agent-framework-core>=1.23,<2" ;;
        llama_index) echo "llama-index-core>=0.14,<0.15" ;;
        anthropic) echo "anthropic>=2,<3" ;;
        langchain) echo "langchain>=1.4,<2 langgraph>=1.2,<2" ;;
        openai_agents) echo "openai-agents>=0.24,<0.25" ;;
        pydantic_ai) echo "pydantic-ai-slim>=2.60,<3" ;;
        *) echo "no adapter is named $1" >&2; exit 2 ;;
    esac
}

[ $# -gt 0 ] || set -- adk agent_framework anthropic langchain llama_index openai_agents pydantic_ai
for name in "$@"; do
    home=.adapters/$name
    wanted=$(packages "$name")
    # shellcheck disable=SC2086  (several packages)
    if [ ! -x "$home/bin/pytest" ] && ! {
        "$uv" venv --quiet --clear --python 3.11 "$home" &&
            "$uv" pip install --quiet --python "$home" -e . pytest hypothesis httpx2 $wanted
    }; then
        skipped="$skipped $name"
        continue
    fi
    echo "adapters: $name"
    "$home/bin/python" -m pytest -q "tests/adapters/test_$name.py" tests/adapters/test_page.py || failed="$failed $name"
    [ -z "${CORPUS:-}" ] ||
        "$home/bin/python" -m pytest -q -m corpus -k "$name" tests/corpus/test_adapters.py || failed="$failed $name"
done
[ -z "$skipped" ] || echo "adapters: not tested, as they cannot be installed:$skipped"
[ -z "$failed" ] || { echo "adapters: failed:$failed"; exit 1; }
[ -n "$skipped" ] || echo "adapters: passed:$(printf ' %s' "$@")"
