# Common to the tests of the launcher, which source it.  They run in the build folder.
# shellcheck shell=sh disable=SC2034
set -u

# A test that hangs is ended, with all it has started in its process group; after $launch_limit
# seconds if it has said so.
if [ -z "${LAUNCH_TIMED:-}" ]; then
    LAUNCH_TIMED=yes
    export LAUNCH_TIMED
    exec timeout -k 5 $((${launch_limit:-1800} * ${TEST_TIMEOUT_SCALE:-1})) sh "$0" "$@"
fi

mpirun=$PWD/bin/mpirun
tools=$PWD/tests/launch
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
trap 'exit 1' HUP INT TERM
unset MPILITE_DEADLOCK MPILITE_FINALIZE MPILITE_CC MPILITE_CXX MPILITE_SEATS
unset MPILITE_INITIAL_ERRHANDLER
unset MPILITE_BIND_TO MPILITE_MAP_BY MPILITE_RANK_BY MPILITE_CPU_SET MPILITE_REPORT_BINDINGS

fail() {
    echo "${0##*/}: $*"
    for file in out err; do
        [ -s "$work/$file" ] && { echo "-- $file:"; head -c 2000 "$work/$file"; }
    done
    exit 1
}

# run CODE ARGUMENT...: mpirun with these arguments ends with CODE; its output is in $work/out and
# $work/err.
run() {
    expected=$1
    shift
    "$mpirun" "$@" >"$work/out" 2>"$work/err"
    code=$?
    [ "$code" -eq "$expected" ] || fail "mpirun $*: exit code $code, not $expected"
}

# refused TEXT ARGUMENT...: as a wrong command line.
refused() {
    text=$1
    shift
    run 2 "$@"
    said "mpirun: $text" "Try 'mpirun --help'."
    [ ! -s "$work/out" ] || fail "standard output is not empty"
}

# said TEXT...: standard error is exactly these lines; silent: it is empty.
said() { printf '%s\n' "$@" | cmp -s - "$work/err" || fail "standard error is not: $*"; }
silent() { [ ! -s "$work/err" ] || fail "standard error is not empty"; }
# calm: it is empty, but for the line with the time of a job on the model clock.
calm() {
    [ "$(grep -vcE "^mpirun: [0-9.e+]+ [mun]?s $virtual_time" "$work/err")" -eq 0 ] ||
        fail "standard error has more than the time"
    [ "$(wc -l <"$work/err")" -le 1 ] || fail "standard error has more than a line"
}
virtual_time='of virtual time on [^ ]+; --explain says where it went$'
# told PATTERN: some line of standard error matches the extended regular expression.
told() { grep -qE -- "$1" "$work/err" || fail "standard error does not match: $1"; }
# printed TEXT...: standard output is these lines, in any order.
printed() {
    printf '%s\n' "$@" | LC_ALL=C sort >"$work/expected"
    LC_ALL=C sort "$work/out" | cmp -s - "$work/expected" || fail "standard output is not: $*"
}

# nothing_said: what is in these files from now on is of who is started behind this: a job in the
# background may open them late.
nothing_said() {
    : >"$work/out"
    : >"$work/err"
}

# until_true COMMAND...: waits for it, however long; the time-out above is for what never comes.
until_true() { until "$@"; do sleep 0.02; done; }

# state PID: letter of the process state, or nothing if there is no such process.
state() { sed 's/.*) //; s/ .*//' "/proc/$1/stat" 2>/dev/null; }
in_state() { [ "$(state "$1")" = "$2" ]; }
gone() { case $(state "$1") in '' | Z | X) true ;; *) false ;; esac; }
# has_lines FILE COUNT
has_lines() { [ -f "$1" ] && [ "$(wc -l <"$1")" -ge "$2" ]; }
