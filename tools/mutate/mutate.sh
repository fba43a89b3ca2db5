#!/bin/sh
# mutate.sh: small bugs put into the sources one at a time, to see whether the tests find them.
#
#   sh tools/mutate/mutate.sh                     # all of tools/mutate/mutations: takes an hour
#   sh tools/mutate/mutate.sh -k nicemu/alpu.c coll-    # those of a file, and those named coll-...
#
# usage: mutate.sh [-fklnu] [-b FOLDER] [-j COPIES] [-m LIST] [-t SECONDS] [ID|FILE]...
#
#   -b FOLDER   where the copies of the tree and their builds stay from run to run: build-mutate
#   -j COPIES   so many copies are worked on at the same time: 1
#   -m LIST     the list of mutations: tools/mutate/mutations
#   -t SECONDS  no test gets less than that before it counts as hanging: 30
#   -f          only the tests that a mutation names: fast
#   -k          keep going: a survivor does not end the run
#   -l, -n      list the mutations; see only whether each still fits its file
#   -u          do not run the tests without a mutation first: they have just passed
#
# The tree is copied, built once, and all tests that will be needed run once without a mutation:
# they must pass, and what they take sets their time limit, ten times that.  Then each mutation is
# put in, what changed is built, and the tests named for it run, fastest first as the list has them;
# when none fails, those that the list gives for the file's folder.  A test that hangs has found it.
#
# Exit code: 0 if all that survives is in the list with a reason, 1 if something else survives, 2 if
# a mutation no longer fits its file, does not compile, or a test fails without any.
set -uf

here=$(cd "$(dirname "$0")" && pwd)
top=$(cd "$here/../.." && pwd)
folder=$top/build-mutate copies=1 list=$here/mutations least=30 fast='' keep='' untried='' only=run
usage() { sed -n 's/^# usage: //p' "$0" >&2; exit 2; }
while getopts b:j:m:t:fklnu option; do
    case $option in
    b) mkdir -p "$OPTARG" && folder=$(cd "$OPTARG" && pwd) || exit 2 ;;
    j) copies=$OPTARG ;;
    m) list=$OPTARG ;;
    t) least=$OPTARG ;;
    f) fast=yes ;;
    k) keep=yes ;;
    l) only=list ;;
    n) only=fits ;;
    u) untried=yes ;;
    *) usage ;;
    esac
done
shift $((OPTIND - 1))
mkdir -p "$folder" || exit 2
state=$(mktemp -d "$folder/run.XXXXXX") || exit 2
trap 'rm -rf "$state"' EXIT
trap 'exit 129' HUP INT TERM

fatal() { echo "mutate: $*" >&2; exit 2; }

# -- the list: paragraphs of lines "KEY VALUE"; see its head

# Each mutation becomes a folder with a file per key.  Nothing here starts a process for each.
read_list() {
    mkdir "$state/mutant"
    awk -v out="$state" '
        function bad(what) { printf "mutate: %s:%d: %s\n", FILENAME, FNR, what; failed = 1; exit 2 }
        $1 == "mutant" {
            if ($2 in seen) bad($2 " stands here twice")
            if (NF != 2 || $2 ~ /\//) bad("this is no name")
            seen[$2] = 1
            print $2 >(out "/ids")
        }
    ' "$list" >&2 || exit 2
    (cd "$state/mutant" && xargs mkdir <../ids) || exit 2
    awk -v out="$state" '
        function bad(what) { printf "mutate: %s:%d: %s\n", FILENAME, FNR, what; failed = 1; exit 2 }
        /^[ \t]*(#|$)/ { next }
        { key = $1; value = $0; sub(/^[ \t]*[a-z]+[ \t]+/, "", value) }
        key == "covers" { print value >(out "/covers"); next }
        key == "mutant" { id = value; place = out "/mutant/" id; next }
        key !~ /^(file|after|was|now|by|why)$/ || id == "" { bad("what is \"" key "\"?") }
        key == "file" { print id, value >(out "/files") }
        { print value >(place "/" key); close(place "/" key) }
    ' "$list" >&2 || exit 2
}

field() { cat "$state/mutant/$1/$2" 2>/dev/null; }

# A file that has moved to another folder of its library is found by its name, if only one has it.
find_files() {
    while read -r id file; do
        [ -f "$top/$file" ] && continue
        moved=$(cd "$top" && find "${file%%/*}" -name "${file##*/}")
        [ -f "$top/$moved" ] && echo "$moved" >"$state/mutant/$id/file"
    done <"$state/files"
}

# The mutations that the arguments choose: by name, the beginning of a name, or file.
chosen() {
    while read -r id; do
        [ $# -gt 0 ] || { echo "$id"; continue; }
        file=$(field "$id" file)
        for word; do
            case $file in "$word" | "$word"*/*) echo "$id"; break ;; esac
            case $id in "$word" | "$word"*) echo "$id"; break ;; esac
        done
    done <"$state/ids"
}

# For awk: where in a text a mutation begins, 0 if it does not fit exactly once.
place_of='
    function count(text, what,    n, at) {
        for (n = 0; at = index(text, what); n++)
            text = substr(text, at + length(what))
        return n
    }
    function place_of(text, was, now, after,    start, at) {
        if (was == "" || was == now) return 0
        if (after == "") return count(text, was) == 1 ? index(text, was) : 0
        if (count(text, after) != 1) return 0
        start = index(text, after) + length(after)
        at = index(substr(text, start), was)
        return at ? start + at - 1 : 0
    }
'

# mutated ID FILE: prints the file with the mutation in it.
mutated() {
    WAS=$(field "$1" was) NOW=$(field "$1" now) AFTER=$(field "$1" after) awk "$place_of"'
        { text = text $0 "\n" }
        END {
            was = ENVIRON["WAS"]
            at = place_of(text, was, ENVIRON["NOW"], ENVIRON["AFTER"])
            if (!at) exit 3
            printf "%s%s%s", substr(text, 1, at - 1), ENVIRON["NOW"],
                   substr(text, at + length(was))
        }' "$2"
}

# Sees to it that all fit, and leaves the line of each for the report.
check_list() {
    awk -v top="$top" -v state="$state" "$place_of"'
        function first_line(path,    text) {
            if ((getline text <path) <= 0) text = ""
            close(path)
            return text
        }
        function whole(path,    text, line) {
            while ((getline line <path) > 0) text = text line "\n"
            close(path)
            return text
        }
        {
            place = state "/mutant/" $1
            file = first_line(place "/file")
            if (!(file in texts)) texts[file] = whole(top "/" file)
            at = place_of(texts[file], first_line(place "/was"), first_line(place "/now"),
                          first_line(place "/after"))
            if (!at) { print $1 ": does not fit " file " any more"; stale = 1; next }
            head = substr(texts[file], 1, at - 1)
            print gsub(/\n/, "", head) + 1 >(place "/line")
            close(place "/line")
        }
        END { exit stale }' "$state/chosen" >&2
}

# -- tests: their names are those of the build folder

# Names below tests/; those with a star become all that there are.
expand() {
    for word; do
        word=tests/$word
        case $word in
        *\**.t) files "${word%.t}.[cf]*" | sed 's/[.][^.]*$/.t/' ;;
        *\**.sh) files "$word" ;;
        *\**) files "$word.c" | sed 's/[.]c$//' ;;
        *) echo "$word" ;;
        esac
    done
}

# The files of a pattern.
files() {
    (
        set +f
        cd "$top" || exit
        # shellcheck disable=SC2086
        ls -d $1
    )
}

# The tests of a mutation's folder: the first line "covers PREFIX TEST..." that fits.
covering() {
    while read -r prefix tests; do
        case $(field "$1" file) in "$prefix"*) echo "$tests" && return ;; esac
    done <"$state/covers"
}

# shellcheck disable=SC2046
tests_of() { expand $(field "$1" by); }
# shellcheck disable=SC2046
more_tests_of() { [ "$fast" ] || expand $(covering "$1"); }

# What make has to bring up to date before the test may run.  MPI programs find the library when
# they start: they are built once only, but for those in Fortran, which are built of its modules.
target_of() {
    case $1 in
    tests/fortran/*.t) echo libmpi_fortran.la bin/mpirun "$1" ;;
    tests/shmem/*.t) echo libshmem.la libmpi_abi.la bin/mpirun; [ -x "$1" ] || echo "$1" ;;
    *.t) echo libmpi_abi.la bin/mpirun; [ -x "$1" ] || echo "$1" ;;
    tests/fuzz/run.sh) sed -n 's|^for target in \(.*\); do$|\1|p' "../$1" |
            tr ' ' '\n' | sed 's|^|tests/fuzz/fuzz_|' ;;
    tests/clock/mpi.sh)
        echo libmpi_abi.la bin/mpirun
        for f in $(files 'tests/mpi/*.c'); do built_once "${f%.c}"; done ;;
    tests/launch/*.sh | tests/wrong/*.sh | tests/clock/*.sh | tests/shmem/clock.sh)
        echo libmpi_abi.la libshmem.la libmpilite_check.la libmpilite_trace.la \
            bin/mpirun bin/nicinfo
        for f in $(files "${1%/*}/*.c") $(files 'tests/launch/*.c'); do
            built_once "${f%.c}"
        done
        grep -o 'tests/[a-z]*/[a-z_]*[.]t' "../$1" | while read -r f; do
            built_once "${f%.t}"
        done ;;
    tests/no_heap.sh) echo libmpi_abi.la bin/mpirun; built_once tests/mpi/rma_passive ;;
    tests/singleton.sh)
        echo libmpi_abi.la
        for name in init self coll_allreduce persistent; do built_once "tests/mpi/$name"; done ;;
    *.sh)
        echo all
        for f in $(files "${1%.sh}/*.c" 2>/dev/null); do built_once "${f%.c}"; done
        for f in $(files 'tests/mpi/*.c') $(files 'tests/stress/*.c'); do
            name=${f##*/}
            grep -qw "${name%.c}" "../$1" && built_once "${f%.c}"
        done
        for name in $(grep -o 'machines/[a-z]*' "../$1" | sort -u); do
            [ -e "../tests/$name.c" ] && built_once "tests/$name"
        done ;;
    *) echo "$1" ;;
    esac
}

# Programs that a script starts; again where the copy has another test by now.
built_once() {
    case $1 in
    tests/launch/*_test) ;;
    tests/launch/* | tests/machines/*) [ "$build/$1" -nt "../$1.c" ] || echo "$1" ;;
    *) [ "$build/$1.t" -nt "../$1.c" ] || echo "$1.t" ;;
    esac
}

# limited SECONDS COMMAND...: in a session of its own, of which nothing is left behind.
limited() {
    seconds=$1
    shift
    setsid timeout -k 2 "$seconds" "$@" >"$work/log" 2>&1 </dev/null &
    session=$!
    wait "$session" 2>/dev/null
    code=$?
    for signal in TERM KILL; do
        left=$(ps -o pid= -s "$session" 2>/dev/null)
        [ -z "$left" ] && break
        # shellcheck disable=SC2086
        kill -s "$signal" $left 2>/dev/null
        sleep 0.2
    done
    return "$code"
}

run_test() {
    case $2 in
    *.t) limited "$1" sh ../tests/run-mpi.sh "$2" ;;
    *.sh) limited "$1" sh "../$2" ;;
    *) limited "$1" "./$2" ;;
    esac
}

# Where the time stands that a test takes; it is there once the test has passed without a mutation.
took() { echo "$folder/took/$(echo "$1" | tr / _)"; }

limit_of() {
    took=$(cat "$(took "$1")" 2>/dev/null || echo 0)
    echo $((took * 10 > least ? took * 10 : least))
}

# -- a copy of the tree: $work, built in $build

make_quiet() { make "$@" >"$work/make.log" 2>&1; }

# shellcheck disable=SC2046
make_for() { make_quiet $(target_of "$1"); }

# Enters copy number $1, which is made once in a run: what is changed in the tree meanwhile waits.
copy_tree() {
    work=$folder/copy.$1 build=$folder/copy.$1/build
    export TMPDIR="$work/tmp" srcdir=.. CC="${CC:-cc}" NM="${NM:-nm}" MAKE="${MAKE:-make}"
    mkdir -p "$build" "$TMPDIR" || exit 2
    if [ ! -e "$state/copied.$1" ]; then
        fresh_files || exit 2
        (cd "$work/fresh" && find . -type f) | update_tree
    fi
    cd "$build" || exit 2
    [ -e "$state/copied.$1" ] && return
    [ -f Makefile ] || ../configure -q --disable-static >configure.log 2>&1 ||
        fatal "configure: $build/configure.log"
    make_quiet all || fatal "the tree does not build: $work/make.log"
    : >"$state/copied.$1"
}

# Puts the tree's files beside the copy's, but for this folder, which may be in the tree.
fresh_files() {
    (cd "$top" && find . -mindepth 1 -maxdepth 1 ! -name .git ! -name 'build*') >"$work/names"
    echo ./build-aux >>"$work/names"
    rm -rf "$work/fresh"
    mkdir "$work/fresh"
    tar -cf - -C "$top" --exclude="./${work#"$top"/}" -T "$work/names" |
        tar -xf - -C "$work/fresh"
}

# Only files that differ are written, so that an earlier build is used again; what was there before
# gets a new time then, since it may have been built with a mutation in it.  All tests must pass
# again, and programs that are built once only are built of what they are now.
update_tree() {
    while read -r f; do
        if [ ! -e "$work/$f" ]; then
            mkdir -p "$work/${f%/*}"
            cp -p "$work/fresh/$f" "$work/$f"
        elif ! cmp -s "$work/fresh/$f" "$work/$f"; then
            cp "$work/fresh/$f" "$work/$f"
        else
            continue
        fi
        case $f in
        ./tests/*.h | ./include/*) find "$build" -name '*.t' -exec rm -f {} + ;;
        ./tests/*) rm -f "$build/${f%.*}.t" ;;
        esac
        case $work in *.1) rm -rf "$folder/took" ;; esac
    done
    rm -rf "$work/fresh"
}

# -- one mutation

say() {
    printf '%-22s %-9s %s\n' "$1" "$2" "$3"
    printf '%s\t%s\t%s\n' "$1" "$2" "$3" >>"$state/results"
}

# fails_anyway TEST FILE: a test that nobody has run without a mutation so far fails without this
# one, too.  It is said, and the test finds nothing.
fails_anyway() {
    [ -f "$(took "$1")" ] && return 1
    cp -p "../$2" "$work/mutated" && cp "$work/original" "../$2"
    begin=$(date +%s)
    make_for "$1" && run_test $((least * 20)) "$1"
    code=$?
    cp "$work/mutated" "../$2"
    if [ "$code" -eq 0 ] || [ "$code" -eq 77 ]; then
        echo $(($(date +%s) - begin + 1)) >"$(took "$1")"
        return 1
    fi
    echo "mutate: $1 fails without any mutation:" >&2
    tail -n 20 "$work/log" >&2
}

# What happened to it: killed, hung or lived.
verdict() {
    id=$1
    shift
    for test; do
        make_for "$test" || { say "$id" broken "$work/make.log"; return 0; }
        run_test "$(limit_of "$test")" "$test"
        code=$?
        case $code in 0 | 77) continue ;; esac
        fails_anyway "$test" "$(field "$id" file)" && continue
        case $code in
        124 | 137) say "$id" found "by $test, which hangs" ;;
        *) say "$id" found "by $test" ;;
        esac
        return 0
    done
    return 1
}

try() {
    id=$1 file=$(field "$1" file)
    cp -p "../$file" "$work/original"
    mutated "$id" "$work/original" >"../$file" 2>/dev/null
    # shellcheck disable=SC2046
    if ! verdict "$id" $(tests_of "$id") && ! verdict "$id" $(more_tests_of "$id"); then
        place=$file:$(field "$id" line)
        if [ -f "$state/mutant/$id/why" ]; then
            say "$id" accepted "$place: $(field "$id" why)"
        else
            say "$id" SURVIVED "$place: $(field "$id" was)  ->  $(field "$id" now)"
            [ "$keep" ] || : >"$state/stop"
        fi
    fi
    cp "$work/original" "../$file"
}

work_off() {
    copy_tree "$1"
    while read -r id; do
        [ -e "$state/stop" ] && break
        mkdir "$state/mutant/$id/taken" 2>/dev/null && try "$id"
    done <"$state/chosen"
}

# -- before: all tests without a mutation

needed_tests() {
    while read -r id; do
        tests_of "$id"
    done <"$state/chosen" | sort -u
}

check_tests() {
    mkdir -p "$folder/took"
    [ "$untried" ] && return
    for test in $(needed_tests); do
        [ -f "$(took "$test")" ] && continue
        make_for "$test" || fatal "$test does not build: $work/make.log"
        begin=$(date +%s)
        run_test $((least * 20)) "$test"
        case $? in
        0) ;;
        77) echo "mutate: $test is skipped here" >&2 ;;
        *) cat "$work/log" >&2; fatal "$test fails without any mutation" ;;
        esac
        echo $(($(date +%s) - begin + 1)) >"$(took "$test")"
    done
}

# -- after

count() { awk -F '\t' -v v="$1" '$2 == v' "$state/results" | wc -l; }

report() {
    survived=$(count SURVIVED) broken=$(count broken)
    echo "$(wc -l <"$state/results") of $(wc -l <"$state/chosen") mutations:" \
        "$(count found) found, $(count accepted) accepted, $survived survived," \
        "$broken do not compile"
    awk -F '\t' '$2 == "SURVIVED" { print "survived: " $1 "  " $3 }' "$state/results"
    [ "$broken" -eq 0 ] || return 2
    [ "$survived" -eq 0 ]
}

read_list
find_files
chosen "$@" >"$state/chosen"
[ -s "$state/chosen" ] || fatal "no mutation is called so: $*"
if [ "$only" = list ]; then
    while read -r id; do printf '%-22s %s\n' "$id" "$(field "$id" file)"; done <"$state/chosen"
    exit 0
fi
check_list || exit 2
[ "$only" = fits ] && exit 0
: >"$state/results"
(copy_tree 1 && check_tests) || exit 2
copy=1
while [ "$copy" -le "$copies" ]; do
    work_off "$copy" &
    workers="${workers:-} $!"
    copy=$((copy + 1))
done
for worker in $workers; do wait "$worker"; done
report
