#!/bin/sh
# Placement: the map that is drawn, on described machines and on this one; what is wrong; who is
# told what.
# shellcheck disable=SC1091,SC2015,SC2016,SC2086,SC2094,SC2154,SC2317,SC3045 # scripts for ranks
. "${srcdir:-.}/tests/launch/lib.sh"

key='mpirun: B: the rank, n: its NIC'"'"'s thread alone, .: free to use, -: not allowed'
big='socket:2 l3:2 core:2 pu:2'
unset NICEMU_PROGRESS

# -- maps in full
run 0 --topology "$big" -n 5 --map-by socket
said 'mpirun: 5 ranks on 16 of 16 processors, mapped by socket, bound to core' "$key" \
    'mpirun: rank 0: core 0  cpu 0-1    NIC 0-1    [BB/..|../..][../..|../..]' \
    'mpirun: rank 1: core 4  cpu 8-9    NIC 8-9    [../..|../..][BB/..|../..]' \
    'mpirun: rank 2: core 1  cpu 2-3    NIC 2-3    [../BB|../..][../..|../..]' \
    'mpirun: rank 3: core 5  cpu 10-11  NIC 10-11  [../..|../..][../BB|../..]' \
    'mpirun: rank 4: core 2  cpu 4-5    NIC 4-7    [../..|BB/nn][../..|../..]'
run 0 --topology "$big" -n 2 --map-by socket --cpu-set 0-9
said 'mpirun: 2 ranks on 10 of 16 processors, mapped by socket, bound to core' "$key" \
    'mpirun: rank 0: core 0  cpu 0-1  NIC 0-3  [BB/nn|../..][../--|--/--]' \
    'mpirun: rank 1: core 4  cpu 8-9  NIC 8-9  [../..|../..][BB/--|--/--]'
run 0 --topology "$big" --map-by ppr:1:l3cache --bind-to socket
said 'mpirun: 4 ranks on 16 of 16 processors, mapped 1 on each l3cache, bound to socket' "$key" \
    'mpirun: rank 0: socket 0  cpu 0-7   NIC 0-7   [BB/BB|BB/BB][../..|../..]' \
    'mpirun: rank 1: socket 0  cpu 0-7   NIC 0-7   [BB/BB|BB/BB][../..|../..]' \
    'mpirun: rank 2: socket 1  cpu 8-15  NIC 8-15  [../..|../..][BB/BB|BB/BB]' \
    'mpirun: rank 3: socket 1  cpu 8-15  NIC 8-15  [../..|../..][BB/BB|BB/BB]'
NICEMU_PROGRESS=thread run 0 --topology "$big" --bind-to core -n 2
said 'mpirun: 2 ranks on 16 of 16 processors, mapped by slot, bound to core' "$key" \
    'mpirun: rank 0: core 0  cpu 0-1  NIC 2-3  [BB/nn|../..][../..|../..]' \
    'mpirun: rank 1: core 2  cpu 4-5  NIC 6-7  [../..|BB/nn][../..|../..]'
run 0 --topology 'core:4 pu:1' -n 1 -genv NICEMU_PROGRESS host
said 'mpirun: 1 rank on 4 of 4 processors, mapped by slot, not bound' \
    'mpirun: B: the rank, .: free to use, -: not allowed' \
    'mpirun: rank 0: not bound  cpu 0-3  [B/B/B/B]'
run 0 --topology 'core:2 pu:1' --bind-to l2cache -n 1
told '^mpirun: warning: this machine does not tell its l2cache: core is taken$'
run 0 --topology 'core:2 pu:1' --map-by socket -n 1
told '^mpirun: warning: this machine does not tell its socket: machine is taken$'
run 0 -q --topology 'core:2 pu:1' --bind-to socket -n 1
said 'mpirun: 1 rank on 2 of 2 processors, mapped by slot, bound to socket' "$key" \
    'mpirun: rank 0: socket 0  cpu 0-1  NIC 0-1  [B/B]'

# So many on each object are as many as there are with processors that may be used.
run 0 --topology "$big" --map-by ppr:1:socket --cpu-set 0-7
told '^mpirun: 1 rank on 8 of 16 processors, mapped 1 on each socket, '
# Of two memories that serve the same processors the first counts.
run 0 --topology 'socket:2 [numa] [numa] core:2 pu:1' --bind-to numa -n 2 --map-by socket
told '^mpirun: rank 0: numa 0 '
told '^mpirun: rank 1: numa 2 '

# -- processors by their numbers, and numbers in turns
key='mpirun: B: the rank, .: free to use, -: not allowed'
NICEMU_PROGRESS=host run 0 --topology "$big" -n 3 -bind-to user:0+9,4-5
said 'mpirun: 3 ranks on 16 of 16 processors, placed by a list, bound to core' "$key" \
    'mpirun: rank 0: cores 0,4  cpu 0,9  [B./..|../..][.B/..|../..]' \
    'mpirun: rank 1: core 2     cpu 4-5  [../..|BB/..][../..|../..]' \
    'mpirun: rank 2: cores 0,4  cpu 0,9  [B./..|../..][.B/..|../..]'
NICEMU_PROGRESS=host run 0 --topology 'core:4 pu:1' -n 4 --cpu-set 0,2-3 --bind-to rr
said 'mpirun: 4 ranks on 3 of 4 processors, placed by a list, bound to core' "$key" \
    'mpirun: rank 0: core 0  cpu 0  [B/-/./.]' 'mpirun: rank 1: core 2  cpu 2  [./-/B/.]' \
    'mpirun: rank 2: core 3  cpu 3  [./-/./B]' 'mpirun: rank 3: core 0  cpu 0  [B/-/./.]'
run 0 --topology 'socket:2 core:1 pu:1' -n 2 --bind-to machine
told '^mpirun: rank 1: .* cpu 0-1 .*\[B\]\[B\]$'
# The NIC's thread has what its rank was given, and no more.
run 0 --topology 'l3:1 core:4 pu:1' -n 2 --bind-to user:0,2
told '^mpirun: rank 0: core 0  cpu 0  NIC 0  \[B/\./\./\.\]$'
told '^mpirun: rank 1: core 2  cpu 2  NIC 2  \[\./\./B/\.\]$'
# Numbers of ranks stand below each other.
run 0 --topology 'core:16 pu:1' -n 10
told '^mpirun: rank 9: core 9 '
run 0 --topology 'core:16 pu:1' -n 11
told '^mpirun: rank  9: core 9 '
told '^mpirun: rank 10: core 10 '
run 0 --topology "$big" -n 4 --bind-to rr --bind-to none
told 'mapped by slot, not bound'
run 0 --topology "$big" --map-by ppr:2:socket --rank-by Socket
told ' processors, mapped 2 on each socket and numbered by socket, bound to core$'
told '^mpirun: rank 1: core 4 '

# -- words of other launchers' for what is always so
for words in '--map-by :OVERSUBSCRIBE' '--map-by slot:OVERSUBSCRIBE,SPAN' \
    '--bind-to core:overload-allowed,if-supported' '--map-by slot --map-by :oversubscribe:span' \
    '--bind-to core:overload-allowed' '--bind-to core:if-supported:overload-allowed'; do
    run 0 --topology 'core:2 pu:1' -n 3 --bind-to core $words
    told '^mpirun: 3 ranks on 2 of 2 processors, mapped by slot, bound to core$'
done
run 0 --topology 'core:4 pu:1' -n 2 --bind-to core:2:overload-allowed
told '^mpirun: rank 1: cores 2-3 '
run 0 --topology "$big" -n 2 --map-by ppr:1:socket --map-by :oversubscribe
told 'mapped 1 on each socket'
run 0 --topology "$big" -n 3 --map-by ppr:1:socket --map-by core
told 'mapped by core, bound to core'
run 0 --topology "$big" -n 2 --map-by :PE=2
told '^mpirun: rank 1: cores 2-3 '
refused '3 ranks are too many: there are 2 slots, and --nooversubscribe' \
    --topology 'core:2 pu:1' -n 3 --map-by :nooversubscribe

# -- each name of a part of a machine, to bind to and to map by
NICEMU_PROGRESS=host
export NICEMU_PROGRESS
for row in 'hwthread hwthread 0' 'core core 0-1' 'l1cache core 0-1' 'L2Cache l2cache 0-3' \
    'l3cache l3cache 0-7' 'numa numa 0-15' 'socket socket 0-15' 'package socket 0-15' \
    'board machine 0-31' 'machine machine 0-31'; do
    read -r name shown cpus <<TEXT
$row
TEXT
    run 0 --topology 'socket:2 numa:1 l3:2 l2:2 core:2 pu:2' -n 1 --bind-to "$name"
    told "bound to $shown\$"
    told "^mpirun: rank 0: .* cpu $cpus "
done
for row in 'slot slot 1' 'node slot 1' 'board slot 1' 'hwthread hwthread 0' 'core core 1' \
    'l1cache core 1' 'l2cache l2cache 2' 'l3cache l3cache 4' 'numa numa 8' 'socket socket 8' \
    'package socket 8'; do
    read -r name shown core <<TEXT
$row
TEXT
    run 0 --topology 'socket:2 numa:1 l3:2 l2:2 core:2 pu:2' -n 2 --bind-to core --map-by "$name"
    told "mapped by $shown, bound to core\$"
    told "^mpirun: rank 1: core $core "
done
unset NICEMU_PROGRESS

# -- variables say what options leave open
MPILITE_BIND_TO=none run 0 --topology "$big" -n 8
told 'mapped by slot, not bound'
MPILITE_BIND_TO=none run 0 --topology "$big" -n 8 --bind-to numa
told 'mapped by slot, bound to numa'
MPILITE_MAP_BY=socket MPILITE_RANK_BY=fill run 0 --topology "$big" -n 4
told 'mapped by socket and numbered one after the other, bound to core'
MPILITE_CPU_SET=1,3 run 0 --topology "$big"
told '^mpirun: 2 ranks on 2 of 16 processors'
MPILITE_REPORT_BINDINGS=1 run 0 -n 1 true
told '^mpirun: rank 0: '
MPILITE_REPORT_BINDINGS=0 run 0 -n 1 true
silent
MPILITE_BIND_TO='' MPILITE_MAP_BY='' MPILITE_RANK_BY='' MPILITE_CPU_SET='' \
    MPILITE_REPORT_BINDINGS='' NICEMU_PROGRESS='' run 0 -n 1 true
silent

# -- what is wrong
levels='hwthread, core, l2cache, l3cache, numa, socket, package'
bind="it must be one of none, $levels; a number may follow, as in core:2; or rr, user:0+1,2+3"
map="it must be one of slot, $levels, node, each with :pe=N or :span behind it, or ppr:N:OBJECT"
for value in '' board:2 core:0 core:8193 core:x core:2:3 core:overload-allowed:2 socket:2 none:1 \
    slot; do
    refused "'$value' is no value for --bind-to: $bind" --bind-to "$value" true
done
for value in '' : none rack core:pe core:pe= core:pe=0 core:pe=x socket:sp \
    ppr ppr:2 ppr:0:core ppr:x:core ppr:2:rack; do
    refused "'$value' is no value for --map-by: $map" --map-by "$value" true
done
order="it must be one of slot, node, span, fill, $levels"
for value in '' x core:x socket:2; do
    refused "'$value' is no value for --rank-by: $order" --rank-by "$value" true
done
for value in user: user:0,,1 user:x user:0+ rr:2 user:0:overload-allowed; do
    refused "'$value' is no value for --bind-to: $bind" --bind-to "$value" true
done
refused '--bind-to user: processor 16 is none of those that may be used, 0-15' \
    --topology "$big" -n 2 --bind-to user:0,16
MPILITE_BIND_TO=x refused "'x' is no value for MPILITE_BIND_TO: $bind" true
MPILITE_REPORT_BINDINGS=yes \
    refused "'yes' is no value for MPILITE_REPORT_BINDINGS: it must be 0 or 1" true
list='it must be a list of processors, as in 0,4-7'
for value in '' a 1- 2-1 0,,1 8192; do
    refused "'$value' is no value for --cpu-set: $list" --cpu-set "$value" true
done
allowed=$(sed -n 's/^Cpus_allowed_list:[[:space:]]*//p' /proc/self/status)
refused '--cpu-set: processor 16 is none of those that may be used, 0-15' \
    --topology "$big" --cpu-set 3,16
refused "--cpu-set: processor 8191 is none of those that may be used, $allowed" \
    --cpu-list 8191 true
machine="it must be a description as in 'socket:2 core:8 pu:2', or an XML file of lstopo's"
for value in '' nonsense "$work/none.xml" core:2000000000; do
    refused "'$value' is no value for --topology: $machine" --topology "$value"
done
run 2 --topology "$big" -n 5 --map-by ppr:2:socket
said 'mpirun: --map-by: with 2 on each socket there is room for 4 ranks, and 5 are to be started'
run 2 --topology "$big" -n 3 --map-by slot:pe=3
said 'mpirun: 3 cores for each rank: there is room for 2 ranks, and 3 are to be started'
progress='it must be one of auto, thread, host'
NICEMU_PROGRESS=fast refused "'fast' is no value for NICEMU_PROGRESS: $progress" true
refused "'fast' is no value for NICEMU_PROGRESS: $progress" true : -x NICEMU_PROGRESS=fast true
NICEMU_PROGRESS=fast "$tools/nic_thread" >"$work/out" 2>"$work/err" &&
    fail "a wrong value of NICEMU_PROGRESS is taken"
said 'Fatal error in MPI_Init: NICEMU_PROGRESS=fast: the value must be one of auto, thread, host' \
    '  reported by rank 0 of MPI_COMM_WORLD'

# -- a machine that tells of less than there is is none, and what asks it leaves nothing behind
if [ "$(nproc)" -gt 1 ]; then
    HWLOC_SYNTHETIC='core:1 pu:1' run 0 --bind-to core --report-bindings -n 1 true
    told "^mpirun: 1 rank on $(nproc) of $(nproc) processors, mapped by slot, bound to core$"
fi
shown='echo "${HWLOC_PLUGINS_PATH-none} ${HWLOC_HIDE_ERRORS-none}"'
run 0 --bind-to core -n 1 sh -c "$shown"
printed 'none none'
HWLOC_HIDE_ERRORS=1 HWLOC_PLUGINS_PATH=/ run 0 --bind-to core -n 1 sh -c "$shown"
printed '/ 1'

# -- on this machine: rank and thread are where the map says, and inside of the allowed set
first=${allowed%%[-,]*}
NICEMU_PROGRESS=thread
export NICEMU_PROGRESS
run 0 --cpu-set "$first" --bind-to core -n 2 "$tools/nic_thread"
printed "rank 0 on $first, NIC on $first" "rank 1 on $first, NIC on $first"
run 0 --bind-to core --report-bindings -n 1 "$tools/nic_thread"
host=$(sed -n 's/^mpirun: rank 0: .* cpu \([0-9,-]*\)  NIC .*/\1/p' "$work/err")
nic=$(sed -n 's/^mpirun: rank 0: .*  NIC \([0-9,-]*\)  .*/\1/p' "$work/err")
printed "rank 0 on $host, NIC on $nic"
# A job that is not bound: the thread runs wherever the job may, and what a launcher around it has
# said is not for it.
NICEMU_THREAD_CPUS=$first run 0 --bind-to none -n 1 "$tools/nic_thread" "$allowed"
printed "rank 0 on $allowed, NIC on $allowed"
exit 0
