#!/bin/sh
# The variables of the environment: all that the sources read are in one table, of which the
# manual's section is made, and a name or value that would have no effect is told, once per job.
#
# `environment.sh --manual`, in the build folder, prints the section for doc/man/mpirun.1.
# shellcheck disable=SC1091,SC2154 # lib.sh is sourced
manual() {
    bin/mpirun --help-environment | sed 's/\\/\\e/g; s/-/\\-/g' | awk '
        /^    / { sub(/^ +/, ""); print (/^[.\047]/ ? "\\&" : "") $0; next }
        /:$/    { print ".PP"; print; next }
        /./     { print ".TP"; print ".B " $0 }'
}
[ "${1:-}" != --manual ] || { manual; exit; }
. "${srcdir:-.}/tests/launch/lib.sh"

# The manual has what the table says.
manual >"$work/wanted"
sed -n '/^\.\\" environment$/,/^\.\\" end of environment$/p' "$srcdir/doc/man/mpirun.1" |
    sed '/^\.\\"/d' >"$work/has"
diff "$work/wanted" "$work/has" >"$work/out" ||
    fail "mpirun.1 is not what environment.sh --manual prints"

# What the sources read is in the table.
"$mpirun" --help-environment | grep -E '^[A-Z_]+$' | sort >"$work/known"
{
    grep -rhoE '"(MPILITE|NICEMU)_[A-Z_]+"' "$srcdir/lib" "$srcdir/nicemu" "$srcdir/include" |
        tr -d '"'
    sed -nE 's/.* kind=([A-Z]+) .*/MPILITE_\1/p' "$srcdir/lib/launch/local.mk"  # of the wrappers
} | grep -vE '_$' | sort -u >"$work/read"
comm -13 "$work/known" "$work/read" >"$work/out"
[ ! -s "$work/out" ] || fail "not in the table"

# What mpirun reads itself it reads on its command line, too, in each way to say it; an option goes
# before that.
for option in '-x NICEMU_HEAP=64T' '-env NICEMU_HEAP 64T' '-genv NICEMU_HEAP=64T' \
    '-n 1 true : -x NICEMU_HEAP=64T'; do
    # shellcheck disable=SC2086 # words
    refused "NICEMU_HEAP: '64T' is out of range: 64k to 1T, or none" $option -n 1 true
done
NICEMU_HEAP=64T run 0 -x NICEMU_HEAP=1M -n 1 true
silent
run 0 -x MPILITE_FINALIZE=off -n 2 "$tools/mpi_ends" leave_all
silent
run 0 -x MPILITE_DEADLOCK=off --timeout 1000 true
silent
# each of them, whoever says it
for row in 'MPILITE_MAP_BY=socket mapped by socket' 'MPILITE_BIND_TO=socket bound to socket' \
    'MPILITE_RANK_BY=fill numbered one after the other' 'MPILITE_CPU_SET=1-2 on 2 of 8 processors' \
    'NICEMU_PROGRESS=host B: the rank, .: free to use'; do
    for option in -x -env -genv; do
        run 0 "--topology=socket:2 core:2 pu:2" -n 2 $option "${row%% *}" true
        told "${row#* }"
    done
done
for wrong in MPILITE_MODEL=x MPILITE_SEATS=x; do
    run 2 -x $wrong -n 1 true
done
run 0 -x MPILITE_MODEL=ideal -n 2 "$tools/mpi_ends" finalize
calm
for wrong in MPILITE_COMPUTE=x MPILITE_MODEL_SERIAL=x; do
    run 2 --model ideal -x $wrong -n 1 true
    told "'x' is no value for "
done
# An option goes before, whatever stands there.
MPILITE_COMPUTE=x run 0 --model ideal --compute none -n 1 true
MPILITE_MODEL=x run 0 --model ideal -n 1 true
NICEMU_MACHINES=1 run 0 --model ideal -n 1 true
# Of two programs the one whose NICs have busy threads decides, else the first that is not the
# host's.
progress() { # TEXT OF-FIRST OF-SECOND
    run 0 "--topology=core:4 pu:1" --bind-to core -n 1 -x "NICEMU_PROGRESS=$2" true \
        : -n 1 -x "NICEMU_PROGRESS=$3" true
    told "$1"
}
progress 'B: the rank, n: its' host auto
progress 'B: the rank, n: its' auto host
progress 'B: the rank, \.:' host host
progress '^mpirun: rank 1: core 2 ' auto thread
progress '^mpirun: rank 1: core 2 ' thread host
NICEMU_PROGRESS=thread run 0 "--topology=core:4 pu:1" --bind-to core -n 2 -genv NICEMU_PROGRESS \
    auto -x NICEMU_PROGRESS=host true
told 'B: the rank, \.:'
run 0 -x MPILITE_REPORT_BINDINGS=1 -genv MPILITE_BIND_TO=core -n 1 true
told 'mapped by slot, bound to core$'
# What is said of one program goes before what is said of all.
run 0 -x MPILITE_REPORT_BINDINGS=1 -x MPILITE_BIND_TO=core -genv MPILITE_BIND_TO none -n 1 true
told 'mapped by slot, bound to core$'
run 0 -x MPILITE_REPORT_BINDINGS=1 -x MPILITE_BIND_TO=core --bind-to none -n 1 true
told 'mapped by slot, not bound$'

# warned TEXT NAME=VALUE: mpirun says so once, of a job of three, and so does a program without it;
# a quiet one does not.
ring=$PWD/examples/ring
counted() { [ "$(grep -cF "$1" "$work/err")" -eq "$2" ] || fail "'$1' is said not $2 times"; }
warned() {
    run 0 -n 3 -x "$2" "$ring" 2
    counted "mpirun: warning: $1" 1
    env "$2" "$mpirun" -n 3 "$ring" 2 >"$work/out" 2>"$work/err" || fail "the job fails with $2"
    counted "mpirun: warning: $1" 1
    counted "Warning" 0
    run 0 -q -n 3 -x "$2" "$ring" 2
    counted "$1" 0
    env "$2" "$ring" 2 >"$work/out" 2>"$work/err" || fail "the program fails with $2"
    counted "Warning: $1" 1
}
warned 'MPILITE_EAGRE is no variable of this library: did you mean MPILITE_EAGER?' MPILITE_EAGRE=10
warned 'NICEMU_SMD is no variable of this library: did you mean NICEMU_SIMD?' NICEMU_SMD=none
warned 'NICEMU_RDNA is no variable of this library: did you mean NICEMU_RDMA?' NICEMU_RDNA=read
warned 'MPILITE_COLOUR_OF_THE_SKY is no variable of this library' MPILITE_COLOUR_OF_THE_SKY=blue
counted 'did you mean' 0
warned 'MPILITE_RNDV=foo has no effect: the value must be get|put|both|staged' MPILITE_RNDV=foo
warned 'MPILITE_RNDV=getter has no effect: the value must be get|put|both|staged' \
    MPILITE_RNDV=getter
warned 'MPILITE_RND is no variable of this library: did you mean MPILITE_RNDV?' MPILITE_RND=get
warned 'MPILITE_BARRIER=gather: has no effect: the value must be pairwise|gather:N' \
    MPILITE_BARRIER=gather:
warned 'NICEMU_SIMD=foo has no effect: the value must be none|avx2' NICEMU_SIMD=foo
warned 'MPILITE_BARRIER=gather:x has no effect: the value must be pairwise|gather:N' \
    MPILITE_BARRIER=gather:x
warned 'MPILITE_EAGER=8k has no effect: the value must be N' MPILITE_EAGER=8k
# What is for the model clock only, on the live one.
for wrong in NICEMU_BOOT=0@0-5 MPILITE_COMPUTE=none MPILITE_MODEL_SERIAL=1; do
    warned "${wrong%%=*} has no effect on the live clock: it goes with mpirun --model" "$wrong"
    counted 'has no effect' 1
    env "$wrong" "$mpirun" --model ideal -n 3 "$ring" 2 >"$work/out" 2>"$work/err" ||
        fail "the job fails with --model and $wrong"
    counted 'has no effect' 0
done

# What is right is not told, nor what is nobody's.
for right in MPILITE_RNDV=both MPILITE_RNDV= MPILITE_EAGER=0 MPILITE_BARRIER=gather:2 \
    NICEMU_CROWDED=no NICEMU_SCRATCHPAD=64k \
             MPILITE_STATS=off MPICH_EAGER=x NICEMUX=1; do
    run 0 -n 2 -x "$right" "$ring" 2
    silent
    env "$right" "$ring" 2 >"$work/out" 2>"$work/err" || fail "the program fails with $right"
    [ ! -s "$work/err" ] || fail "told of $right"
done

# A value that cannot be taken is refused, not warned of.
refused "'foo' is no value for NICEMU_PROGRESS: it must be one of auto, thread, host" \
    -n 1 -x NICEMU_PROGRESS=foo "$ring" 2
# once, before any rank has begun, whoever sets it
sizes='it must be a number of bytes, or a number with k, M, G or T'
boots='is not RANK@FROM-UNTIL,... in microseconds, of ranks that there are, in order'
faults='drop=, dup=, reorder=, corrupt= and seed= are'
refused "NICEMU_FAULT: 'foo' is no fault: $faults" -n 2 -x NICEMU_FAULT=foo "$ring" 2
refused "NICEMU_BOOT: 'foo' $boots" -n 2 --model ideal -genv NICEMU_BOOT foo "$ring" 2
refused "NICEMU_BOOT: '2@0-5' $boots" -n 2 --model ideal -x NICEMU_BOOT=2@0-5 "$ring" 2
refused "NICEMU_HEAP: 'foo' is not a size: $sizes" -n 2 -x NICEMU_HEAP=foo "$ring" 2
refused "NICEMU_SCRATCHPAD: 'foo' is not a size: $sizes" -n 2 -x NICEMU_SCRATCHPAD=foo "$ring" 2
refused "NICEMU_MACHINES: 'foo' is no number of machines: it must be a whole number" \
    -n 1 "$ring" 2 : -n 1 -x NICEMU_MACHINES=foo "$ring" 2
refused 'NICEMU_MACHINES does not go with --model' \
    -n 2 --model ideal -x NICEMU_MACHINES=2 "$ring" 2
export NICEMU_OFFLOAD=foo
refused "'foo' is no value for NICEMU_OFFLOAD: it must be none, forward, match or all" \
    -n 2 "$ring" 2
unset NICEMU_OFFLOAD
counted warning 0
