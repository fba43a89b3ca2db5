#!/bin/sh
# What people type who come from other launchers, Hydra and orterun: each option works, or is taken
# with a line that says why it does nothing, or is refused with the reason; a near miss is told the
# nearest name, and what is no program why it was taken for one.
# shellcheck disable=SC1091,SC2016,SC2154 # lib.sh; scripts for ranks
. "${srcdir:-.}/tests/launch/lib.sh"
. "$srcdir/tests/launch/peers.inc"

host=$(uname -n) source=$(cd "$srcdir" && pwd)
cd "$work" || exit 1
unset A B

# -- what works: `works OUTPUT ARGUMENT...`, its lines in any order, and nothing else
show='echo "${A-} ${B-}"'
A=1 B=2 works '1 2' -genvall -n 1 sh -c "$show"
A=1 B=2 works '1 2' -envall -n 1 sh -c "$show"
A=1 B=2 works ' ' -genvnone -n 1 /bin/sh -c "$show"
A=1 B=2 works ' 2' -envnone -x B -n 1 /bin/sh -c "$show"
A=1 B=2 works '1 ' -genvlist PATH,A -n 1 sh -c "$show"
A=1 B=2 works ' 2' -genvnone -envlist PATH,B -n 1 sh -c "$show"
A=1 B=2 works ' 2' -genvlist PATH,AB,B,C -n 1 sh -c "$show"
A=1 B=2 works "1 2$line " -n 1 sh -c "$show" : -envnone -n 1 /bin/sh -c "$show"
A=1 B=2 works '1 ' -genvexcl B,AB -n 1 sh -c "$show"
A=1 B=2 works ' x' -genvexcl A -envexcl A,B -env B x -n 1 sh -c "$show"
works 'x y' -genv A=x -env B=y -n 1 sh -c "$show"
works 'x=z y' -genv A x=z -env B y -n 1 sh -c "$show"
works "[0] x${line}[1] x" -prepend-rank -n 2 echo x
works "$host/0% x$line$host/1% x" -prepend-pattern '%h/%r%% ' -n 2 echo x
works "x${line}x" -ppn 2 echo x
works "x${line}x" -N 2 echo x
works "x${line}x" -c 2 echo x
works "x${line}x" -npernode 2 echo x
works "x${line}x" -perhost 2 echo x
works x -pernode echo x
works x -rr echo x
works "x${line}x" -grr 2 echo x
works "x${line}x" -s all -n 2 echo x
works "x${line}x" -n2 echo x
works "x${line}x" -np2 echo x
works "x${line}x" --np2 echo x
works "x${line}x" -ppn2 echo x
works "x${line}x" -H localhost -n 2 echo x
works "x${line}x" -launcher fork -n 2 echo x
works "x${line}x" -bootstrap fork -n 2 echo x
works "x${line}x" --use-hwthread-cpus -n 2 echo x
works "x${line}x" --bind-to-core --bycore -n 2 echo x
works "x${line}x" --bind-to-none --bynode -n 2 echo x
works "x${line}x" --bind-to-socket --bysocket -n 2 echo x
works "x${line}x" --byslot -n 2 echo x
works "($host:0-1)${line}x${line}x" -print-rank-map -n 2 echo x
works "($host:0)${line}x" -print-rank-map -n 1 echo x
works "out${line}err" --merge-stderr-to-stdout -n 1 sh -c 'echo out; echo err >&2'
works "[0] out${line}[0] err" --output tag,merge -n 1 sh -c 'echo out; echo err >&2'
works x --report-state-on-timeout -n 1 echo x
works x --oversubscribe --allow-run-as-root -n 1 echo x
works "x${line}x${line}x" -H localhost:3 --nooversubscribe -n 3 echo x

works '[0] p x' -l -prepend-pattern 'p ' -n 1 echo x
works '[0] x' --output rank -n 1 echo x

# The time is that of the line.
run 0 --timestamp-output -l -n 1 echo x
grep -qE '^[0-2][0-9]:[0-5][0-9]:[0-6][0-9]\.[0-9]{6} \[0\] x$' "$work/out" || fail "no time"
# Its last digits are microseconds: one line of many hundreds has none before them.
for try in 1 2 3; do
    run 0 --timestamp-output -n 1 echo x
    grep -q '\.000' "$work/out" || break
    [ $try -lt 3 ] || fail "three times within a millisecond of the second"
done

# Files of output: instead of mpirun's own where they have patterns, besides where they have a
# folder.
both='echo "out $NICEMU_RANK"; echo "err $NICEMU_RANK" >&2'
works '' -outfile-pattern 'o.%r' -errfile-pattern 'e.%r' -n 2 sh -c "$both"
has o.0 'out 0' && has o.1 'out 1' && has e.0 'err 0' && has e.1 'err 1'
works "out 0${line}out 1" -errfile-pattern 'f.%r' -n 2 sh -c "$both"
has f.0 'err 0' && has f.1 'err 1'
# One after the other in the same file: the second when the first is there.
later='echo "out 0"; until test -s "$0"; do sleep 0.02; done; echo "err 0" >&2'
works '' -outfile every -errfile every -n 1 sh -c "$later" every
has every "out 0${line}err 0"
works 'out 0' --output-directory some -merge-stderr-to-stdout -n 1 echo 'out 0'
has some/1/rank.0/stdout 'out 0'
works '' -outfile-pattern all -errfile-pattern all -n 1 sh -c "$later" all
has all "out 0${line}err 0"
run 0 --output-filename there/here -n 2 sh -c "$both"
printed 'out 0' 'out 1'
for rank in 0 1; do
    has "there/here/1/rank.$rank/stdout" "out $rank"
    has "there/here/1/rank.$rank/stderr" "err $rank"
done
works '' --output 'plain:nocopy' -n 10 sh -c "$both"
has plain/1/rank.09/stdout 'out 9' && has plain/1/rank.00/stderr 'err 0'
run 0 --output merge,dir=one -n 1 sh -c "$both"
printed 'out 0' 'err 0'
has one/1/rank.0/stdout "out 0${line}err 0"
[ ! -e one/1/rank.0/stderr ] || fail "a file for what is merged"
run 0 --output merge-stderr-to-stdout,directory=two:copy -n 1 sh -c "$both"
printed 'out 0' 'err 0'
has two/1/rank.0/stdout "out 0${line}err 0"
works '' --output 'with:colon:nocopy' -n 1 echo x
has with:colon/1/rank.0/stdout x
works '' --output file=named:nocopy -n 1 sh -c "$both"
has named.0.out 'out 0' && has named.0.err 'err 0'
works 'no end' --output dir=end -n 1 printf 'no end'
has end/1/rank.0/stdout 'no end'
run 1 -outfile-pattern none/o.%r -n 2 true
said "mpirun: cannot write none/o.0: there is no folder none"
run 1 -outfile-pattern /dev/full -n 1 echo x
told "^mpirun: output was lost: the file of rank 0's standard output: No space left on device$"

run 1 -errfile-pattern /dev/full -n 2 sh -c 'test "$NICEMU_RANK" = 0 || echo x >&2'
told "^mpirun: output was lost: the file of rank 1's standard error: No space left on device$"
# What is too long is no name, and no prefix.
far=$(head -c 4200 /dev/zero | tr '\0' /)
run 1 -outfile-pattern "$far" -n 1 echo x
told '^mpirun: cannot write //.*: File name too long$'
run 0 -prepend-pattern "$(echo "$far" | tr / y)" -n 1 echo x
[ "$(wc -c <"$work/out")" -eq 4097 ] || fail "a prefix of $(wc -c <"$work/out") bytes"

# Files of programs.
cat >programs <<'TEXT'
# two of one program, and another
-n 2 -env A "x 'y'" sh -c 'echo "$A $NICEMU_RANK"'

   echo a\ b "c"	'd#'   # behind a comment
TEXT
for option in --app -configfile; do
    works "x 'y' 0${line}x 'y' 1${line}a b c d#" $option programs
    works "[0] x 'y' 0${line}[1] x 'y' 1${line}[2] a b c d#" -l $option programs
done
echo "echo 'x" >open
echo '# nothing' >empty
echo '-configfile programs' >again
printf '# \\\n-n 1 echo "a  b" \\\n  c\\\n\td\n-n 1 echo e\n' >long
works "a  b c d${line}e" -configfile long
printf ' \t# \\\n-n 1 echo f\n' >remark
works f -configfile remark
printf '%s\r\n' "-n 1 echo 'a\\b'" '-n 1 echo "a\"b" c#' >quoted
printf '%s' '-n 1 echo \"e' >>quoted
works "a\\b${line}a\"b c#${line}\"e" -configfile quoted
printf '%s\n' '-n 1 true \' "'x" >open
refused 'open, line 2: a quote '"'"' has no end' --app open
printf '%s\n' "-n 1 'true" >open
refused 'open, line 1: a quote '"'"' has no end' --app open
refused 'empty has no program in it' --app empty
printf -- '-n 1 echo f\n\0-n 1 echo g\n' >binary
refused 'binary is no text: a byte of it is 0' --app binary
refused 'true: nothing can follow a file of programs' --app programs true
refused 'programs: one file of programs is all there can be' --app again
refused 'cannot read missing: No such file or directory' -configfile missing

# What is told besides.
run 3 -q -print-all-exitcodes -n 1 sh -c 'exit 3' : -n 2 sleep 600
said 'mpirun: exit codes: 3 (0), signal 15 (1-2)'
run 0 --print-all-exitcodes -n 2 true
said 'mpirun: exit codes: 0 (0-1)'
run 0 --display-allocation -n 1 true
told "^mpirun: allocation: $host: [0-9]+ processors? \([0-9,-]+\), [0-9]+ slots?$"
run 0 --display bind,allocation -n 1 true
told "^mpirun: allocation: $host: "
told '^mpirun: rank 0: '
refused "'maps' is no value for --display: it must be of allocation, map, bind" \
    --display map,maps true
for option in --display-map --display-devel-map '--display map' --display=map-devel; do
    # shellcheck disable=SC2086 # words
    run 0 $option -n 1 true
    told '^mpirun: rank 0: '
done
# What each of these is drawn as.
for row in 'bind-to-core bound to core' 'bind-to-socket bound to socket' 'bind-to-none not bound' \
    'bycore mapped by core, bound to core' 'byslot mapped by slot, bound to core' \
    'bysocket mapped by socket, bound to core' 'bynode mapped by slot, bound to core' \
    'use-hwthread-cpus mapped by hwthread, bound to hwthread'; do
    run 0 "--${row%% *}" --topology 'socket:2 core:2 pu:2' -n 3
    told "^mpirun: 3 ranks on 8 of 8 processors, .*${row#* }$"
done
for option in cpus-per-proc cpus-per-rank; do
    run 0 --$option 2 --topology 'socket:2 core:4 pu:1' -n 2
    told '^mpirun: rank 1: cores 2-3 '
done
run 0 --display-diffable-map -n 1 true
told '^mpirun: rank 0: '
run 0 --display bindings -n 1 true
told '^mpirun: rank 0: '
run 0 --display-devel-allocation -n 1 true
told "^mpirun: allocation: $host: "
run 0 --print-all-exitcode -n 1 true
said 'mpirun: exit codes: 0 (0)'
echo 'localhost slots=1000' >default
refused '1001 ranks are too many: there are 1000 slots, and --nooversubscribe' \
    --default-hostfile default --nooversubscribe -n 1001 true
run 0 --npersocket 1 --dry-run
told 'mapped 1 on each socket'
run 0 --cpus-per-proc 1 -n 1 --do-not-launch
told '^mpirun: rank 0: core '
run 0 --use-hwthread-cpus -n 1 --topology 'socket:1 core:2 pu:2'
told 'mapped by hwthread, bound to hwthread'
refused '1001 ranks are too many: there are 1000 slots, and --nooversubscribe' \
    -H localhost:1000 --nooversubscribe -n 1001 true
refused '1001 ranks are too many: there are 1000 slots, and --nooversubscribe' \
    -H localhost:1000 --no-oversubscribe -n 1001 true
refused '1001 ranks are too many: there are 1000 slots, and --nooversubscribe' \
    -H localhost:1000 --map-by core:nooversubscribe -n 1001 true

# Rank files: cores of the machine and of its sockets, whoever else has them.
cat >ranks <<TEXT
# of 2 sockets with 2 cores each
rank 1=localhost slot=0,3
rank 0=$host slot=1:1
rank 2 = +n0 slots = 0:0-1
rank 3=localhost slot=1:*   # all of it
rank 4=localhost slot=0:1,1:0
TEXT
run 0 --rankfile ranks --topology 'socket:2 core:2 pu:2'
for line in '5 ranks on 8 of 8 processors, placed by a list, bound to core' \
    'rank 0: core 3     cpu 6-7      NIC 6-7      [../..][../BB]' \
    'rank 1: cores 0,3' '[BB/..][../BB]' 'rank 2: cores 0-1' '[BB/BB][../..]' \
    'rank 3: cores 2-3' '[../..][BB/BB]' 'rank 4: cores 1-2' '[../BB][BB/..]'; do
    grep -qF "$line" "$work/err" || fail "the map has no '$line'"
done
refused '--rankfile: rank 5 of 6 has no line' -rf ranks -n 6 --topology 'socket:2 core:2 pu:2'
refused '--rankfile: rank 0 has slot=1:1, which are no cores that may be used' \
    -rf ranks --topology 'socket:2 core:1 pu:2'
# A socket holds for what follows.
echo 'rank 0=localhost slot=1:0,1' >whole
run 0 -rf whole --topology 'socket:2 core:2 pu:2'
told '^mpirun: rank 0: cores 2-3 '
echo 'rank 0=localhost slot=*' >whole
works x -rf whole --bind-to core echo x
run 0 -rf whole --report-bindings -n 1 sed -n 's/^Cpus_allowed_list:[[:space:]]*//p' \
    /proc/self/status
printed "$(sed -n 's/^Cpus_allowed_list:[[:space:]]*//p' /proc/self/status)"
for line in 'rank 0=localhost' 'rank x=localhost slot=0' 'rank 0=localhost slot=0 1' 'nothing' \
    'rank -1=localhost slot=0' 'rank 4294967296=localhost slot=0'; do
    echo "$line" >wrong
    refused "wrong: '$line' is no line of a rank file: rank 3=HOST slot=0-1" -rf wrong true
done
for slots in x 0: 0:x 0-x 9999 '0,' 99999999999999999999; do
    echo "rank 0=localhost slot=$slots" >wrong
    refused "--rankfile: rank 0 has slot=$slots, which are no cores that may be used" -rf wrong true
done
printf 'rank 0=localhost slot=0\nrank 0=localhost slot=0\n' >wrong
refused '--rankfile: rank 0 has two lines' -rf wrong true
: >wrong
refused 'the rank file wrong has no ranks' -rf wrong true
refused 'cannot read the rank file missing: No such file or directory' -rf missing true

# -- what is taken and does nothing, with the reason: `idle OPTION... WHY`
idle --mca btl self ''
for option in --gmca --omca --prtemca --pmixmca --gpmixmca; do
    idle $option btl self ': there are no components to choose'
done
idle --tune FILE ': there are no components to choose'
for option in '--launcher ssh' '-rmk slurm' '-launcher-exec ssh' '-iface eth0' '--prefix /usr' \
    --hetero-nodes --preload-binary; do
    # shellcheck disable=SC2086 # with its value
    idle $option ': ranks are started by mpirun itself, on this machine'
done
run 0 -bootstrap ssh -n 1 true
told '^mpirun: warning: --launcher ssh has no meaning here and is ignored: ranks are started by '
idle -topolib hwloc ': hwloc tells the machine'
idle --disable-recovery ': there is none'

# -- what is refused
for option in --enable-recovery --continuous -disable-auto-cleanup; do
    refused "$option: a rank that fails ends the job, and there is nothing to recover" $option true
done
refused '--xml: output is passed on as it is, or with --tag-output' --xml true
refused '-ckpointlib: there are no checkpoints' -ckpointlib blcr true
refused '--nolocal: there is no other machine than this one' --nolocal true
refused "-gtool: --wrapper 'COMMAND' starts each rank's program by a command, which finds the rank \
in NICEMU_RANK" -gtool 'strace:0' true
refused '--dvm=x: there is no server that could be reached' --dvm=x true
refused "'=1' is not the name of an environment variable" -genv =1 true
refused '-genvlist needs a value' -genvlist
refused "--prepend-pattern: '%q' in 'a%q' is none of %r (rank), %h (host), %t (time), %g and %p \
(0), %%" -prepend-pattern a%q true
for word in xml tag-detailed raw; do
    refused "'$word' is no value for --output: it must be of tag, timestamp, merge, dir=DIR and \
file=NAME, or a folder" --output "tag,$word" true
done
refused "'dur=x' is no value for --output: it must be of tag, timestamp, merge, dir=DIR and \
file=NAME, or a folder" --output dur=x true

# Every line of the table does what its kind says, in either spelling.
grep -oE '\{ "[a-z-]+", [0-2], COMPAT_[A-Z]+' "$source/lib/launch/command/compat.c" |
    tr -d '{",' >table
[ "$(wc -l <table)" -gt 40 ] || fail 'no table'
echo localhost >./1
while read -r name values kind; do
    words=$name
    [ "$values" -lt 1 ] || words="$words 1"
    [ "$values" -lt 2 ] || words="$words 1"
    for dashes in - --; do
        # shellcheck disable=SC2086 # words
        case $kind in
        COMPAT_AS)
            run 0 $dashes$words --dry-run -n 1 true </dev/null ;;
        COMPAT_NOTHING)
            run 0 $dashes$words -n 1 true </dev/null
            told "^mpirun: warning: $dashes$words has no meaning here and is ignored: ." ;;
        COMPAT_REFUSED)
            run 2 $dashes$words -n 1 true </dev/null
            told "^mpirun: $dashes$name: ." ;;
        *) fail "$name is $kind" ;;
        esac
    done
done <table

# -- near misses
refused 'unknown option --bindto: did you mean --bind-to?' --bindto core true
refused 'unknown option --mapby: did you mean --map-by?' --mapby core true
refused 'unknown option --bind_to=core: did you mean --bind-to?' --bind_to=core true
refused 'unknown option -prepend-rnk: did you mean -prepend-rank?' -prepend-rnk true
refused 'unknown option --oversubscibe: did you mean --oversubscribe?' --oversubscibe true
refused 'unknown option --rankfil: did you mean --rankfile?' --rankfil x true
refused 'unknown option --report-bind: did you mean --report-bindings?' --report-bind true
refused 'unknown option -k' -k true
refused '--quiet takes no value: --quiet=1' --quiet=1 true
refused '--bycore takes no value: --bycore=1' --bycore=1 true

# -- programs that are none
echo 'int main(void) { return 0; }' >hello.c
echo 'int main() { return 0; }' >other.cc
run 126 -n 2 hello.c
said 'mpirun: cannot start hello.c: Permission denied' \
    'mpirun: it is the text of a program, to be compiled first: mpicc -o hello hello.c'
run 127 -n 2 hello
said "mpirun: cannot start hello: not found in PATH nor in $work" \
    'mpirun: it is to be compiled first: mpicc -o hello hello.c'
run 127 -n 2 ./other
said "mpirun: cannot start ./other: there is no such file in $work" \
    'mpirun: it is to be compiled first: mpicxx -o ./other ./other.cc'
echo '      end' >solver.F90
run 126 -n 2 solver.F90
said 'mpirun: cannot start solver.F90: Permission denied' \
    'mpirun: it is the text of a program, to be compiled first: mpifort -o solver solver.F90'
run 127 -n 2 missing.c
said "mpirun: cannot start missing.c: not found in PATH nor in $work"
mkdir below
run 127 -wd below -n 2 ./hello
said "mpirun: cannot start ./hello: there is no such file in $work/below"
run 127 -wd /usr -n 2 no-such-program
said 'mpirun: cannot start no-such-program: not found in PATH nor in /usr'
run 127 --model redstorm-alpu --explain 3 ./hello
said "mpirun: cannot start 3: not found in PATH nor in $work" \
    "mpirun: '3' was taken for the program: a number of messages is given as in --explain=3"
run 127 -l 4 true
told "^mpirun: '4' was taken for the program: -l takes no value$"
for words in '-l -n 1' '-l --' '-n 1'; do
    # shellcheck disable=SC2086 # words
    run 127 $words 4
    said "mpirun: cannot start 4: not found in PATH nor in $work"
done
exit 0
