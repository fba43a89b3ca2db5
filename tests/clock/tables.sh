#!/bin/sh
# tools/clock/hashes.sh by itself, with a toy in place of mpirun: runs that differ, in whatever, are
# counted and told with their condition and build, and every condition has its turn.
# shellcheck disable=SC1091,SC2034,SC2154,SC2317 # lib.sh is sourced; until_true calls
. "${srcdir:-.}/tests/launch/lib.sh"
unset NICEMU_FAULT MPILITE_BYPASS

# A toy writes down what it is called with, and says what it always does; but where $ODD is in that,
# another thing.
for build in one two; do
    mkdir -p "$work/$build/bin" "$work/$build/tests/clock"
    : >"$work/$build/tests/clock/bypass.t"
    cat >"$work/$build/bin/mpirun" <<TEXT
#!/bin/sh
call="\${NICEMU_HEAP:-} \${NICEMU_RDMA:-} \$0 \$*"
echo "\$call" >>"$work/calls"
hash=0123456789abcdef events=77 says=done code=0
case \$call in *"\${ODD:-nothing}"*) eval "\${HOW:-}" ;; esac
echo "\$says"
echo "mpirun: model hash \$hash, \$events events, 1e-3 s" >&2
exit \$code
TEXT
    chmod +x "$work/$build/bin/mpirun" "$work/$build/tests/clock/bypass.t"
done
# table CODE ARGUMENT...: its lines in $work/out
table() {
    want=$1
    shift
    : >"$work/calls"
    sh "${srcdir:-.}/tools/clock/hashes.sh" "$@" >"$work/out" 2>"$work/err"
    code=$?
    [ "$code" -eq "$want" ] || fail "hashes.sh $*: exit code $code, not $want"
    until_true none_left
}
# What it has started to keep the machine busy has ended with it; its command line names the build.
none_left() { ! grep -qs "${work##*/}/[o]ne" /proc/[0-9]*/cmdline; }
column() { sed 1d "$work/out" | cut -f "$1" | sort -u | paste -sd ' '; }
# has NAME WANTED GOT
has() { [ "$2" = "$3" ] || fail "$1: $3, not $2"; }

# -- nothing differs; 20 runs, each condition in its turn

table 0 -p random -s 1 -r 4 "$work/one"
silent
has rows 5 "$(sed 1d "$work/out" | wc -l)"
has runs 4 "$(column 7)"
has 'different ones' 0 "$(column 8)"
has hash 0123456789abcdef "$(column 6)"
has events 77 "$(column 5)"
# one rank at a time: twice, once more in the second round, and the one that each is compared with
for pair in '--model-serial 8' '--model-log 1' /late' 1' /stopped' 1' /slow' 1' /elsewhere' 1' \
    'staged 2' 'none 1'; do
    word=${pair% *}
    has "runs with $word" "${pair#* }" "$(grep -c -e "$word" "$work/calls")"
done

# -- one condition differs, in each of what is compared: the fifth, of the fifth table

export ODD=staged HOW
for HOW in hash=0123456789abcdee events=78 says=nothing code=3; do
    table 1 -p random -s 1 -r 1 "$work/one"
    has "different ones, $HOW" '0 0 0 0 1' "$(sed 1d "$work/out" | cut -f 8 | paste -sd ' ')"
    has "those that are told, $HOW" 1 "$(grep -c '^different: ' "$work/err")"
    told '^different: no kernel copy: '
done

# -- a program that fails in the same way in each run

ODD=mpirun HOW=code=3
table 1 -p random -s 1 -r 1 "$work/one"
has 'different ones' 1 "$(column 8)"

# -- two builds: the second is compared with the first

ODD=$work/two/bin HOW=events=78
table 1 -p random -s 1 -r 1 "$work/one" "$work/two"
has runs 2 "$(column 7)"
has 'different ones' 1 "$(column 8)"
grep '^different: ' "$work/err" | grep -v ": $work/two: " && fail 'the other build is told of'

# -- benchmarks of the papers.  A unit's places are in the heap, which then must be there

ODD=nothing HOW=''
table 0 -p papers -r 3 "$work/one"
has rows 24 "$(sed 1d "$work/out" | wc -l)"
grep -q '^none ' "$work/calls" || fail 'no run without a heap'
grep '^none .*pgas-xt' "$work/calls" && fail 'a unit without its heap'

# -- what cannot be

mkdir "$work/none"
table 2 "$work/none"
told 'make check has not been built there'
table 2
exit 0
