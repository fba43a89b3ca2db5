# Common to the tests of the examples, which source it.  They run in the build folder.
# shellcheck shell=sh disable=SC2034
set -u

bin=${BIN:-$PWD/bin}
limit=$((300 * ${TEST_TIMEOUT_SCALE:-1}))
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
trap 'exit 1' HUP INT TERM

fail() {
    echo "$*"
    cat "$work/out"
    exit 1
}
