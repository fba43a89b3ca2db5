#!/bin/sh
# The command line: wrong ones are answered in one line and a hint; help and version; what peers
# have is accepted.
# shellcheck disable=SC1091,SC2015,SC2016,SC2094,SC2154,SC2317,SC3045 # lib.sh; scripts for ranks
. "${srcdir:-.}/tests/launch/lib.sh"

refused 'there is no program to start'
refused 'there is no program to start' -n 4
refused "there is no program before the ':'" -n 4 : true
refused "there is no program after a ':'" true :
refused "'0' is not a number of ranks: it must be 1 or more" -n 0 true
refused "'-3' is not a number of ranks: it must be 1 or more" -np -3 true
refused "'abc' is not a number of ranks: it must be 1 or more" -n abc true
refused "'2x' is not a number of ranks: it must be 1 or more" --np=2x true
refused '65536 ranks are too many: at most 65535' -n 65536 true
refused '65536 ranks are too many: at most 65535' -n 65535 true : true
refused 'unknown option --frobnicate' --frobnicate true
refused 'unknown option -4' -4 true
refused '--quiet takes no value: --quiet=1' --quiet=1 true
refused '-n needs a value' -n
refused '-env needs two values' -env A
refused "'-1' is not a time-out: it must be a number of seconds above 0" --timeout -1 true
refused "'0' is not a time of grace: it must be a number of seconds above 0" --grace 0 true
refused "'x' is no value for --stdin: it must be a rank, 'all' or 'none'" --stdin x true
refused "'-1' is no value for --stdin: it must be a rank, 'all' or 'none'" --stdin -1 true
refused "'1x' is no value for --stdin: it must be a rank, 'all' or 'none'" --stdin 1x true
for value in 0 -1 x 3x 1e3 99999999999999999999; do
    run 2 --model ideal --explain="$value" true
    told "^mpirun: '$value' is no value for --explain: it must be a number of messages from 1 to "
done
must='it must be none, forward, match or all'
refused "'some' is no value for --offload: $must" --offload some true
refused "'0,2': there is no rank 2, the last one is 1" --attach 0,2 -n 2 true
refused "'1-7': there is no rank 7, the last one is 1" --gdb=1-7 -n 2 true
refused '--stdin 2: there is no such rank, the last one is 1' --stdin 2 -n 2 true
refused "'=1' is not the name of an environment variable" -x =1 true
refused "--scratchpad: '3k' is out of range: 4k to 1T" --scratchpad 3k true
size='is not a size: it must be a number of bytes, or a number with k, M, G or T'
refused "--scratchpad: 'none' $size" --scratchpad=none true
refused "--heap: '1' is out of range: 64k to 1T, or none" --heap 1 true
NICEMU_HEAP=x refused "NICEMU_HEAP: 'x' $size" true

for option in -h --help -help; do
    run 0 $option
    grep -q '^usage: mpirun ' "$work/out" || fail "$option prints no usage"
    silent
done
# Every option of the help text exists.
for option in $("$mpirun" --help | grep -oE '(^|[ ,])--?[a-z][a-z-]*' | tr -d ' ,' | sort -u); do
    "$mpirun" "$option" 2>&1 </dev/null | grep -q 'unknown option' &&
        fail "$option of the help text is unknown"
done
run 0 -V
grep -q '^mpirun (libmpi-lite) [0-9]' "$work/out" || fail "no version"
cp "$work/out" "$work/version"
run 0 --version
cmp -s "$work/out" "$work/version" || fail "-V and --version differ"

# What a report of a problem should have.
for option in --info -info; do
    MPILITE_EAGER=77 run 0 $option
    for line in "mpirun (libmpi-lite) " '  program      /' '  configured   ' '  compiler     ' \
        '  system       Linux ' '  machine      ' '  memory       ' '  limits       -n ' \
        '  /dev/shm     ' '  kernel copy  process_vm_readv '; do
        grep -qF -- "$line" "$work/out" || fail "no '$line' in $option"
    done
    grep -q '^ .* MPILITE_EAGER=77$' "$work/out" || fail "no variables in $option"
    silent
done
first=$(sed -n 's/^Cpus_allowed_list:[[:space:]]*\([0-9]*\).*/\1/p' /proc/self/status)
# has LINE: --info has printed it.
has() { grep -qxF -- "  $1" "$work/out" || fail "no '$1'"; }
if [ "$first" -lt 256 ]; then
    HWLOC_SYNTHETIC='socket:2 core:64 pu:2' taskset -c "$first" "$mpirun" --info >"$work/out"
    sed -i 's/; control group: .*//' "$work/out"
    has "machine      2 sockets, 128 cores, 256 processors, of which 1 may be used ($first)"
fi
# shellcheck disable=SC3045 # these limits are everywhere
(ulimit -n 77 && ulimit -c 1 && ulimit -f 40000 && ulimit -v 50000000 && "$mpirun" --info) \
    >"$work/out" || fail "--info with limits"
grep -qE '^  limits       -n 77 .* -v 51200000000 .* -f 20480000 -c 512(, .*)?$' "$work/out" ||
    grep -qE '^  limits       -n 77 .* -v 51200000000 .* -f 40960000 -c 1024(, .*)?$' "$work/out" ||
    fail "no limits: $(grep limits "$work/out")"
# Variables that tell something, each below the other.
for names in 'NICEMU_A SHMEM_A' 'PMI_A PMIX_A' 'LD_A OMPI_A' 'MPICH_A FI_A' 'OMP_A MPILITE_A'; do
    env -i "${names% *}=1" "${names#* }=2" "A_${names% *}=3" "$mpirun" --info >"$work/out"
    has "variables    ${names% *}=1"
    has "             ${names#* }=2"
    grep -q 'A_' "$work/out" && fail 'variables that tell nothing'
done
env -i "$mpirun" --info >"$work/out"
has 'variables    none'

# Sizes of memory; a heap that does not fit is made smaller, and that is said if it was asked for.
run 0 --scratchpad 4k --heap none -n 2 true
silent
run 0 --scratchpad 16M --heap 64M -n 2 true
silent
# limited ARGUMENT...: mpirun with a limit of file sizes.
limited() { (ulimit -f 40000; "$mpirun" "$@" >"$work/out" 2>"$work/err"); }
limited -n 2 true || fail "no job with a limit of file sizes"
silent
NICEMU_HEAP=1G limited --heap none -n 2 true || fail "no job without a heap"
silent
NICEMU_HEAP=1G limited -n 2 true || fail "no job with a heap of the environment"
told '^mpirun: warning: there is room for a heap of [0-9]+ bytes per rank only'
limited --heap 1G -n 2 true || fail "no job with a heap beyond the limit of file sizes"
told '^mpirun: warning: there is room for a heap of [0-9]+ bytes per rank only'

# mpiexec is the same program.
[ "$(bin/mpiexec --version)" = "$(cat "$work/version")" ] || fail "mpiexec is another program"

# Accepted for compatibility, without a word.
run 0 --oversubscribe --allow-run-as-root --map-by core:oversubscribe --rank-by slot \
    --bind-to none -n 2 echo x
printed x x
silent
run 0 -genvall --use-hwthread-cpus -prepend-rank -n 1 echo x
printed '[0] x'
silent
for option in -ppn -N -npernode; do
    run 0 $option 2 echo x
    printed x x
    run 0 $option 2 -n 1 echo x
    printed x
    run 0 -n 1 $option 2 echo x
    printed x
    refused "'0' is not a number of ranks: it must be 1 or more" $option 0 true
done
"$mpirun" --help | awk 'length > 79 { bad = 1 } END { exit bad }' ||
    fail "long lines in the help text"
run 0 --mca btl self -n 1 true
said 'mpirun: warning: --mca btl self has no meaning here and is ignored'
run 0 --mca btl=self -n 1 true
said 'mpirun: warning: --mca btl=self has no meaning here and is ignored'
run 0 --gmca btl=self -n 1 true
told '^mpirun: warning: --gmca btl=self has no meaning here and is ignored: '
run 0 --launcher ssh --gmca a b --mca btl self -x NOT_THERE_AT_ALL -q -n 1 true
silent
run 2 --mca btl true
said 'mpirun: warning: --mca btl true has no meaning here and is ignored' \
    'mpirun: there is no program to start' "Try 'mpirun --help'."
run 0 -q --mca btl self -n 1 true
silent
run 0 --offload match -n 1 sh -c 'echo $NICEMU_OFFLOAD'
printed match

# A time longer than any clock runs is as good as none.
for time in 1e12 1e300; do
    run 0 --timeout $time --grace $time -n 1 true
    silent
done

# The default number of ranks is that of the allowed cores.
first=$(sed -n 's/^Cpus_allowed_list:[[:space:]]*\([0-9]*\).*/\1/p' /proc/self/status)
[ "$(taskset -c "$first" "$mpirun" echo x | wc -l)" -eq 1 ] || fail "not one rank on one core"
exit 0
