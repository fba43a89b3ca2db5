# Sourced by tests that compare lists: a folder $dir for them, and what they differ in, from which
# comes the exit $status.
# shellcheck shell=sh disable=SC2034
dir=$(mktemp -d) || exit 1
trap 'rm -rf "$dir"' EXIT
trap 'exit 1' HUP INT TERM
status=0

# report WHAT FILE: fails if the file has lines
report()
{
    if [ -s "$2" ]; then
        echo "$1:"
        sed 's/^/    /' "$2"
        status=1
    fi
}
