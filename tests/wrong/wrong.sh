#!/bin/sh
# Wrong programs must end with the right exit code and say what is wrong, soon and on their own:
# mpirun is given no time limit of its own, the one here is there to end a failure.
set -u

bin=${BIN:-$PWD/bin}
tests=$PWD/tests/wrong
limit=$((300 * ${TEST_TIMEOUT_SCALE:-1}))
source=${srcdir:-.}/tests/wrong
output=$(mktemp) || exit 1
late=$output.so
trap 'rm -f "$output" "$late"' EXIT
trap 'exit 1' HUP INT TERM
failures=0
how=

complain() {
    echo "$*"
    sed 's/^/    /' "$output" | head -n 20
    failures=$((failures + 1))
}

# wrong PROGRAM RANKS CODE PATTERN...: under $how (options of mpirun), the job ends with CODE
# ("some": any but 0), and for each extended regular expression a line of its standard error
# matches, letters of either case.
wrong() {
    program=${1%% *} argument=${1#"${1%% *}"} ranks=$2 code=$3
    what="$1 on $2 ranks"
    shift 3
    # shellcheck disable=SC2086 # options, and an argument
    timeout -k 5 "$limit" "$bin/mpirun" $how -n "$ranks" "$tests/$program.t" $argument \
        >"$output" 2>&1 </dev/null
    got=$?
    if [ "$got" -eq 124 ] || [ "$got" -eq 137 ]; then
        complain "$what did not end in $limit s"
        return
    fi
    case $code in
    some) [ "$got" -ne 0 ] || complain "$what: exit code 0" ;;
    *) [ "$got" -eq "$code" ] || complain "$what: exit code $got, should be $code" ;;
    esac
    for pattern; do
        grep -qiE -- "$pattern" "$output" || complain "$what: says nothing like '$pattern'"
    done
}

wrong 'communicators bridge' 4 1 'rank 2: MPI_Intercomm_create.*waits for rank 0 ' 'MPI_Finalize'
wrong 'communicators idup' 4 1 'ranks 1-3: MPI_Wait: MPI_Comm_idup\(intercommunicator' \
    'MPI_Finalize'
wrong 'communicators group' 4 1 'MPI_Comm_create_group\(MPI_COMM_WORLD\): waits for rank 0 '
wrong 'communicators named_idup' 2 1 'MPI_Recv\(source .*, tag 7, MPI_COMM_WORLD idup #2'
wrong 'communicators named_group' 2 1 'MPI_Recv\(source .*, tag 7, group "harvest"'
wrong 'communicators nobody' 4 1 'MPI_Recv\(source 1 \(rank 3 of MPI_COMM_WORLD\), tag 7, intercomm'
wrong 'communicators remote' 4 6 'destination 2 is not in 0\.\.1, the ranks of the remote group'
wrong 'communicators session' 2 60 '1 communicator made from the session is not freed'
wrong 'windows lock' 3 1 'rank 0: MPI_Win_lock\(exclusive, rank 0, .*rank 1 holds it' \
    'rank 2: MPI_Win_lock\(shared, .*rank 1 holds it' 'rank 1: MPI_Recv'
wrong 'locks held' 3 1 'ranks 0,2: MPIX_Lock_acquire\(rank 0, MPI_COMM_WORLD lock.*1 holds it' \
    'rank 1: MPI_Recv'
how='--grace 600'
for home in 0 1 2; do
    for way in '' packet; do
        NICEMU_REMOTE=$way wrong "locks killed $home" 3 some 'acquire: aborted' 'again: aborted' \
            'try: aborted' 'rank 1 .*was killed by signal 6'
    done
done
for way in '' packet; do    # nobody else is left
    NICEMU_REMOTE=$way wrong 'locks killed 0' 2 some 'acquire: aborted' 'again: aborted' \
        'try: aborted'
done
wrong 'locks fatal 0' 3 some 'Fatal error in MPIX_Lock_acquire' 'rank 1 has ended, with the lock' \
    'rank 1 .*was killed by signal 6'
# Also where mpirun gets to know of the death long before it gets to note why the job ends.
# Where there is no shared library there may be a sanitizer's, which wants to be loaded first.
if [ -e "$PWD/.libs/libmpilite_check.so" ] &&
    ${CC:-cc} -shared -fPIC -o "$late" -x c "$source/late_wait.inc"; then
    LD_PRELOAD=$late wrong 'locks fatal 0' 3 some 'Fatal error in MPIX_Lock_acquire' \
        'rank 1 .*was killed by signal 6'
fi
wrong 'locks fatal 1' 2 some "rank 1, the lock's home, has ended"
how=
wrong 'windows fence' 3 1 'ranks 0,2: MPI_Win_fence\(MPI_COMM_WORLD window #1' 'rank 1: MPI_Recv'
of='\(MPI_COMM_WORLD window #1, made at windows.*\): waits for'
wrong "windows post" 3 1 "rank 1: MPI_Win_start$of MPI_Win_post of rank 1" \
    "ranks 0,2: MPI_Win_wait$of MPI_Win_complete of rank 0"
wrong 'windows holder' 3 some 'rank 1 .*was killed by signal 6'
wrong 'windows fencer' 3 some 'rank 1 .*was killed by signal 6'
wrong 'windows kinds01' 3 some 'ranks disagree' 'called MPI_Win_create;|called MPI_Win_create$' \
    'rank 1 called MPI_Win_allocate'
wrong 'windows kinds12' 3 some 'called MPI_Win_allocate;|called MPI_Win_allocate$' \
    'rank 1 called MPI_Win_allocate_shared'
wrong 'windows kinds23' 2 some 'rank 0 called MPI_Win_allocate_shared' \
    'rank 1 called MPI_Win_create_dynamic'
wrong 'windows kinds30' 4 some 'called MPI_Win_create_dynamic' \
    'rank 1 called MPI_Win_create(;|$)'
wrong 'windows outside' 2 50 'MPI_Put' 'no epoch is open for an access to rank 0' 'window #1'
# Where the kernel may not copy between processes whose memory it is crashes.
crashes='SIGSEGV .no permission'
wrong 'windows unreadable' 2 some \
    "copying between this rank.s buffer and the memory of rank 0 failed|$crashes" \
    "What the kernel does not copy goes with NICEMU_RDMA=staged|$crashes"
how='--model redstorm-alpu'
for mistake in unreadable unreadable_root; do
    wrong "mistakes $mistake" 2 some "invalid buffer|$crashes" \
        "valid memory\? What the kernel does not copy goes with NICEMU_RDMA=staged|$crashes"
done
how=
MPILITE_RNDV=put wrong 'mistakes unreadable_exchange' 2 some "MPI_Sendrecv: invalid buffer|$crashes"
wrong 'windows too_long' 2 39 \
    "heap, [0-9]+ bytes, has no room for 10737418240 bytes side by side: mpirun --heap makes it"
wrong 'windows range' 2 48 'MPI_Get' '8 bytes at displacement 8 .*the 64 bytes of rank 0'
# SHMEM
wrong 'shmem before' 2 1 'shmem_barrier_all was called before shmem_init'
wrong 'shmem after' 2 1 'shmem_barrier_all was called after shmem_finalize'
wrong 'shmem pe' 3 1 'shmem_long_p: PE 3 is not in 0\.\.2'
wrong 'shmem address' 2 1 'shmem_long_put: 0x[0-9a-f]* is not symmetric'
wrong 'shmem end' 2 1 'shmem_long_get: 800 bytes .* beyond the end of the symmetric heap'
wrong 'shmem free' 2 1 'shmem_free: no block of the symmetric heap begins at'
wrong 'shmem freed' 2 1 'shmem_long_atomic_inc: 0x[0-9a-f]* is not symmetric'
wrong 'shmem context' 2 1 'shmem_ctx_long_p: 0x[0-9a-f]* is no context'
wrong 'shmem sizes' 3 1 'shmem_malloc: PEs ask for different sizes, of 64 to 66 bytes'
wrong 'shmem many' 2 1 'shmem_long_alltoall: [0-9]* elements are more than there can be'
wrong 'shmem many_of_all' 3 1 'shmem_fcollectmem: [0-9]* elements are more than there can be'
wrong 'shmem stride_to' 2 1 'shmem_long_alltoalls: the strides are 0 and 1'
wrong 'shmem stride_from' 2 1 'shmem_long_alltoalls: the strides are 1 and 0'
wrong 'shmem put_stride' 2 1 'shmem_long_iput: the strides are 1 and 0'
wrong 'shmem get_stride' 2 1 'shmem_long_iget: the strides are 0 and 1'
wrong 'shmem signal' 2 1 'shmem_long_put_signal: 0 is no operation on a signal'
wrong 'shmem unaligned' 2 1 'shmem_long_atomic_inc: 0x[0-9a-f]*4 is not aligned .* of 8 bytes'
wrong 'shmem comparison' 2 1 'shmem_long_test: 7 is no comparison'
wrong 'shmem root' 3 1 'shmem_long_broadcast: the root is 3, and not in 0\.\.2'
wrong 'shmem team' 2 1 'shmem_team_sync: 0x[0-9a-f]* is no team'
wrong 'shmem team_pe' 2 1 'shmem_ctx_long_p: PE 2 is not in 0\.\.1, those of the context.s team'
wrong 'shmem team_context' 2 1 'shmem_ctx_quiet: 0x[0-9a-f]* is no context'
wrong 'shmem world' 2 1 'shmem_team_destroy: SHMEM_TEAM_WORLD can.t be destroyed'
wrong 'shmem default' 2 1 'shmem_ctx_destroy: SHMEM_CTX_DEFAULT can.t be destroyed'
wrong 'shmem destroyed' 2 1 'shmem_ctx_destroy: 0x[0-9a-f]* is no context'
wrong 'shmem set' 2 1 'shmem_barrier: this PE is not in the active set \(1 from 0 on'
wrong 'shmem sets' 2 1 'shmem_barrier: there are no 3 PEs from 0 on'
wrong 'shmem half' 2 1 'shmem_set_lock: the lock at 0x[0-9a-f]*[4c] is not aligned'
wrong 'shmem again' 2 1 'shmem_set_lock: this PE has the lock at 0x[0-9a-f]* already'
wrong 'shmem queued' 2 1 'shmem_set_lock: this PE has the lock at 0x[0-9a-f]* already'
wrong 'shmem turn' 2 1 'shmem_set_lock: this PE has the lock at 0x[0-9a-f]* already'
wrong 'shmem other' 2 1 'shmem_clear_lock: this PE does not have the lock at 0x[0-9a-f]*'
wrong 'shmem unlock' 2 1 'shmem_clear_lock: the lock at .* is not set'
wrong 'shmem garbage' 2 1 'the lock at 0x[0-9a-f]* was written over, or not 0 at first'
wrong 'shmem exit' 2 9 'shmem_global_exit\(9\) was called by PE'
wrong 'shmem child' 2 1 'Fatal error: shmem_barrier_all was called in a child of PE [01]$'
wrong 'shmem child_put' 2 1 'Fatal error: shmem_long_p was called in a child of PE [01]$'
wrong 'shmem child_init' 2 1 'Fatal error: shmem_init was called in a child of PE [01]$'
wrong 'shmem wait' 3 1 'rank 0: shmem_barrier_all\(SHMEM_TEAM_WORLD\)' \
    'ranks? 1(-2)?: shmem_long_wait_until: 0x[0-9a-f]* is 0, and shall be > 41'
wrong 'shmem lock' 3 1 'shmem_set_lock\(0x[0-9a-f]*\): it waits behind PE' 'shmem_barrier_all'
wrong 'shmem collective' 2 some 'shmem_long_sum_reduce|shmem_barrier_all' 'the ranks disagree'
for ranks in 2 4; do
    wrong bad_rank "$ranks" some 'MPI_Send' 'rank' "$((ranks + 3))"
    wrong before_init "$ranks" some 'MPI_Comm_rank' 'MPI_Init'
    wrong after_finalize "$ranks" some 'MPI_Send' 'MPI_Finalize'
    wrong 'after_finalize session' "$ranks" 1 'Fatal error: MPI_Send was called after'
    wrong 'after_finalize returned' "$ranks" some 'Fatal error in MPI_Info_create'
    wrong init_again "$ranks" some 'MPI_Init' 'after MPI_Finalize'
    wrong no_finalize "$ranks" some 'MPI_Finalize'
    wrong deadlock "$ranks" 1 'cannot go on' '(MPI_Recv|receive)\(' '42'
    wrong deadlock_send "$ranks" 1 'cannot go on' '(MPI_Ssend|send)\('
    wrong missing_collective "$ranks" 1 'cannot go on' '(MPI_Recv|receive)\(' 'MPI_Barrier'
    wrong early_exit "$ranks" 3 'rank 1\b.*\b3\b'
    wrong crash "$ranks" 139 'rank 1\b.*(signal 11|segmentation)' \
        '^rank 1 is still there$'
    wrong abort "$ranks" 7 'rank 1\b.*\b7\b'
    wrong truncation "$ranks" 15 'MPI_Recv' \
        'message from rank 0 with tag 0 has 40 bytes, the receive buffer only 20'
    wrong freed_comm "$ranks" some 'MPI_Barrier' 'communicator'
    wrong coll_count "$ranks" some 'ranks disagree' \
        'MPI_Allreduce' \
        "rank $((ranks - 1)) called MPI_Allreduce with 8 bytes"
    wrong coll_kind "$ranks" some 'ranks disagree' \
        'called MPI_Barrier' \
        'called MPI_Allreduce with 4 bytes'
    wrong bad_op "$ranks" some 'MPI_Allreduce' 'operation|MPI_BOR'
done
# by a level at which a rank's threads share the NIC, and by one at which they do not
inside='inside the function of a reduction.s operation .MPI_Op_create., which may not'
for ranks in 2 4; do
    for how in '' '--offload none' '--model ideal'; do
        wrong 'op_calls recv 0' "$ranks" 1 \
            "rank [0-3]: MPI_Recv.source [0-3], tag 5, MPI_COMM_WORLD., $inside"
        wrong 'op_calls ssend 2' "$ranks" 1 "rank [0-3]: MPI_Ssend.to rank .*, $inside"
    done
    how=
    for call in barrier recv ssend; do
        wrong "op_calls $call 3" "$ranks" 1 "rank [0-3]: a call of MPI that communicates, $inside"
    done
    for level in 0 3; do wrong "op_calls abort $level" "$ranks" 7 'MPI_Abort'; done
done
# of an exit code the lowest 8 bits count, but a failure stays one; by mpirun, and by the rank alone
for codes in '256 1' '512 1' '263 7' '-1 255' '1 1'; do
    wrong "abort code ${codes% *}" 2 "${codes#* }" 'MPI_Abort'
    "$tests/abort.t" code "${codes% *}" >"$output" 2>&1 </dev/null
    got=$?
    [ "$got" -eq "${codes#* }" ] || complain "abort code ${codes% *} without mpirun: $got"
done
wrong coll_root 4 some 'ranks disagree' 'called MPI_Bcast with 4 bytes, root 3' 'root 1'
# more ranks than each of them looks at
wrong coll_root 80 some 'ranks disagree' 'called MPI_Bcast with 4 bytes, root 79' 'root 1'
wrong deadlock 1 1 'cannot go on' '(MPI_Recv|receive)\('
# Where nobody waits for anybody in the collective itself, what comes later shows it.
NICEMU_MACHINES=2 wrong 'disagree gatherv bcast 0' 4 some 'ranks disagree|have disagreed on one'
while read -r one other who; do
    NICEMU_CROWDED=yes wrong "disagree $one $other $who" 8 some 'the ranks disagree: rank [0-7] ca'
done <<END
barrier gatherv 2
barrier gatherv:100 1
gatherv barrier 0
gatherv:100 bcast 0
reduce bcast 0
barrier reduce 2
END
NICEMU_MACHINES=2 wrong 'disagree ibarrier barrier 0' 4 some 'ranks disagree.*non-blocking'
# That they disagree is said in whatever way it is found, on one machine, on two, on either clock.
while read -r one other who; do
    for how in '' '--model redstorm-alpu'; do
        wrong "disagree $one $other $who" 4 some 'the ranks disagree'
    done
    how=
    NICEMU_MACHINES=2 wrong "disagree $one $other $who" 4 some 'the ranks disagree'
done <<END
barrier bcast 2
bcast barrier 0
bcast@0 bcast@1 0
bcast:1000@0 bcast:1000@1 0
scatter@0 scatter@1 0
gatherv@0 gatherv@2 2
scatterv@0 scatterv@2 0
reduce:2 allreduce:2 3
allreduce:1000 alltoall:1000 1
ibarrier ibcast 2
dup barrier 3
dup idup 2
split allreduce 1
window barrier 2
END

# mistake WHICH CODE PATTERN...: on three ranks, on either clock
mistake() {
    which=$1
    shift
    for how in '' '--model ideal' '--model fpga-scratchpad'; do wrong "mistakes $which" 3 "$@"; done
    how=
}

# What waits, and for what.
stands='cannot go on'
mistake wrong_tag 1 "$stands" \
    'rank 1: MPI_Recv.source 0, tag 6, MPI_COMM_WORLD.; not received: source 0, tag 5, 3 bytes' \
    'ranks 0,2: MPI_Finalize: waits for the other ranks'
mistake wrong_communicator 1 "$stands" \
    'ranks 0-2: MPI_Recv.source 0 .rank 2 of MPI_COMM_WORLD., tag 7, backwards'
mistake returned_error 1 "$stands" 'rank 0: MPI_Recv.source 1.*, tag 30, [^;]*$' \
    'rank 1: MPI_.*; MPI_Send has returned an error before: the count is -1 .and 1 more.$'
mistake long_sends 1 "$stands" \
    'rank 0: MPI_Send.to rank 1 of MPI_COMM_WORLD, tag 10, 1048576 bytes\)$' \
    'rank 1: MPI_Send.to rank 0 '
both='synchronous send.to rank 1 of MPI_COMM_WORLD, tag 33, 1 byte, mine., send.to rank 1 of '
mistake unmatched_sends 1 "$stands" \
    "rank 0: MPI_Waitall: ${both}MPI_COMM_WORLD, tag 33, 1048576 bytes, mine\)\$"
mistake wrong_tags 1 "$stands" \
    'rank 1: MPI_Waitall: .* tag 37, .* tag 38, .*; not received: source 0, tag 36, 3 bytes$'
mistake partition_missing 1 "$stands" \
    'rank 0: .*partitioned send.destination 1, tag 39, 2 of 3 partitions ready, MPI_COMM_WORLD' \
    'rank 1: .*partitioned receive.source 0, tag 39, 2 of 3 partitions there, MPI_COMM_WORLD'
first='receive.source 0, tag 20, MPI_COMM_WORLD.'
mistake waits_all 1 "$stands" \
    "ranks 0-2: MPI_Waitall: $first, receive.source any, tag 21, .* and 2 more\$"
wrong 'mistakes waits_in_the_middle' 3 1 "$stands" \
    'ranks 0-2: MPI_Waitall: receive.source 0, tag 32, MPI_COMM_WORLD.$'
mistake waits_some 1 "$stands" \
    'ranks 0-2: MPI_Waitsome: persistent receive.source any, tag any, MPI_COMM_WORLD'
mistake ibarrier 1 "$stands" \
    'rank 0: MPI_Recv.source 1, tag 50' \
    'ranks 1-2: MPI_Wait: MPI_Ibarrier.MPI_COMM_WORLD'
mistake mprobe 1 "$stands" 'ranks 0-2: MPI_Mprobe.source any, tag 51, MPI_COMM_WORLD'
both='send.to rank 1 of .*, tag 52, .*receive.source 1, tag 53,.*not received: source 2, tag 52'
mistake sendrecv 1 "$stands" \
    "rank 0: MPI_Sendrecv: $both"
mistake never_received 1 "$stands" \
    'rank 0: MPI_Finalize .*send.to rank 1 of MPI_COMM_WORLD, tag 54, 1048576 bytes' \
    'ranks 1-2: MPI_Finalize: waits'
# They wait for nobody, and one may have ended before the other.
over='(MPI_Finalize: waits|ha(s|ve) left MPI_Finalize|ha(s|ve) ended)'
mistake started_alone 1 "$stands" \
    'rank 0: MPI_Finalize .*: MPI_Ibarrier.MPI_COMM_WORLD dup #1' \
    "ranks? 1(-2)?: $over" "ranks? (1-)?2: $over"
mistake two_dups 1 "$stands" \
    'rank 0: MPI_Barrier.MPI_COMM_WORLD dup #2, made at mistakes.*\+0x[0-9a-f]+.+$' \
    'ranks 1-2: MPI_Barrier.MPI_COMM_WORLD dup #1, made at mistakes.*\+0x[0-9a-f]+.+$'
receive='MPI_Recv.source 0 .*, tag 70, MPI_COMM_WORLD split #1'
mistake grandchild 1 "$stands" \
    "ranks 0,2: $receive, color 5 create #1, first rank 0, made at " \
    "rank 1: $receive, color 6 create #1, first rank 1, made at "
receive='MPI_Recv.source 1 .*, tag 91, MPI_COMM_WORLD cart #1 sub #1'
wrong 'mistakes row_of_grid' 4 1 "$stands" \
    "rank 0: $receive, first rank 0, made at " "rank 2: $receive, first rank 2, made at "
wrong "mistakes waits_far_behind" 3 1 "$stands" \
    'ranks 0-2: MPI_Waitany: receive.source 0, tag 80, MPI_COMM_WORLD. or more$'
wrong "mistakes evil_name" 3 1 "$stands" \
    'ranks 0-2: MPI_Recv.source 0, tag 71, a\\x0d\\x1b.2Kb\\x0ac'

wrong "mistakes long_name" 2 1 "$stands" \
    'rank 0: MPI_Wait: receive.source 0, tag 71, the ranks that have something\.\.\.\)'

# Arguments.
wrong "mistakes evil_name_in_error" 3 some \
    'the ranks of a\\x0d\\x1b.2Kb\\x0ac' \
    'reported by rank(s [0-2,-]* of MPI_COMM_WORLD, in| . of) a\\x0d\\x1b.2Kb\\x0ac'
wrong "mistakes evil_key" 3 some \
    "there is no key 'a\\\\x0d\\\\x1b.2Kb\\\\x0ac'" \
    'reported by rank(s [0-2,-]* of MPI_COMM_WORLD, in| 0 of) MPI_COMM_SELF'
mistake outside some 'MPI_Recv: invalid rank' 'source 3 is not in 0..2'
mistake null_buffer some 'MPI_Send: invalid buffer' 'the buffer is NULL and the count is 4'
mistake null_type some 'MPI_Send: invalid datatype' 'MPI_DATATYPE_NULL'
mistake null_comm some 'MPI_Barrier: invalid communicator' 'MPI_COMM_NULL'
mistake no_contexts some \
    'MPI_Comm_dup: ' \
    'all 8192 contexts for communicators of one rank are in use'
mistake sum_of_vectors some 'MPI_SUM is not defined on a datatype of MPI_Type_vector$'
mistake negative_tag some 'MPI_Send: invalid tag' '-7'
wrong 'mistakes partitions_longer' 3 15 'MPI_Wait: message longer' \
    'the partitions that come have 12 bytes, those of the receive 8$'
wrong 'mistakes own_code' 3 1 'Fatal error in MPI_Comm_call_errhandler: a\\x0d\\x1b.2Kb$'

# Collectives.
mistake missing some 'ranks disagree' 'called MPI_Barrier' 'rank 2 called MPI_Finalize'
mistake order some 'ranks disagree' \
    'called MPI_Barrier' \
    'rank 0 called MPI_Bcast with 4 bytes, root 0'
mistake long_count some 'ranks disagree' \
    'rank 0 called MPI_Bcast with 524288 bytes, root 0' \
    'rank [12] called MPI_Bcast with 1048576 bytes, root 0'
mistake short_or_long some 'ranks disagree' \
    'rank 0 called MPI_Bcast with 1048576 bytes' \
    'rank [12] called MPI_Bcast with 8 bytes'
mistake long_root some 'ranks disagree' \
    'called MPI_Reduce with 1048576 bytes, root 1' \
    'rank 2 called MPI_Reduce with 1048576 bytes, root 0'
mistake gather_count some 'ranks disagree' \
    'rank 0 called MPI_Gather with 4 bytes, root 0' \
    'rank 2 called MPI_Gather with 8 bytes, root 0'
wrong "mistakes gather_or_scatter" 3 some 'ranks disagree' \
    'rank 0 called MPI_Scatter with 4 bytes, root 1' \
    'rank [12] called MPI_Gather with 4 bytes, root 1'
for how in '--model ideal' '--model fpga-scratchpad'; do
    wrong "mistakes gather_or_scatter" 3 1 "$stands" \
        'rank 0: MPI_Scatter.4 bytes, root 1' \
        'rank 1: MPI_Gather.4 bytes, root 1'
done
how=
mistake gather_or_gatherv some 'ranks disagree' \
    'rank 0 called MPI_Gatherv with root 0' \
    'rank [12] called MPI_Gather with 4 bytes, root 0'
mistake scatterv_or_scatter some 'ranks disagree' \
    'rank [12] called MPI_Scatterv with root 0' \
    'rank 0 called MPI_Scatter with 4 bytes, root 0'
mistake alltoall_or_alltoallv some 'ranks disagree' \
    'rank 0 called MPI_Alltoall with 4 bytes' \
    'rank [12] called MPI_Alltoallv\b'
mistake scan_count some 'ranks disagree' \
    'rank 1 called MPI_Scan with 8 bytes' \
    'rank 0 called MPI_Scan with 4 bytes'
mistake scan_or_barrier some 'ranks disagree' \
    'rank [01] called MPI_Scan with 4 bytes' \
    'rank 2 called MPI_Barrier'
mistake started some 'ranks disagree' \
    'called (MPI_Allreduce or )?MPI_Iallreduce with 4 bytes' \
    'called (MPI_Barrier or )?MPI_Ibarrier'
mistake started_any some 'ranks disagree' \
    'MPI_Waitany' \
    'rank 0 called MPI_Bcast or MPI_Ibcast with 300 bytes, root 0' \
    'rank [12] called MPI_Ibcast with 200 bytes, root 0'
mistake started_gather some 'ranks disagree' \
    'rank 0 called MPI_Igather with 4 bytes, root 0' \
    'rank 2 called (MPI_Gather or )?MPI_Igather with 8 bytes, root 0'
mistake started_again some 'ranks disagree' \
    'rank 0 called MPI_Bcast_init with 4 bytes, root 1' 'rank [12] called MPI_Barrier_init'
wrong "mistakes alltoall_counts" 3 some \
    'the counts disagree: rank [012] sent 4 bytes, rank [012] expects 8'
for blocks in long_blocks started_blocks; do
    wrong "mistakes $blocks" 3 some \
        'the counts disagree: rank 2 sent 65536 bytes, rank [012] expects 131072'
done
mistake started_long some 'ranks disagree' \
    'rank 0 called (MPI_Bcast or )?MPI_Ibcast with 1048576 bytes, root 0' \
    'rank 2 called (MPI_Bcast or )?MPI_Ibcast with 524288 bytes, root 0'
wrong "mistakes sends_less" 3 some \
    'MPI_Alltoallv: invalid count' \
    'the counts disagree: rank 1 sent 8 bytes, rank 0 expects 12'
wrong "mistakes sends_less_of_much" 3 some \
    'MPI_Alltoallv: invalid count' \
    'the counts disagree: rank 1 sent 261144 bytes, rank 0 expects 262144'
wrong "mistakes expects_less" 3 some \
    'MPI_Alltoallv: message longer' \
    'the counts disagree: rank 0 sent 12 bytes, rank 1 expects 8'
wrong 'mistakes scatter_total' 4 some 'MPI_Scatter: message longer' \
    'rank 0 sent 64 bytes, rank 0 expects 16: the send count is that of one rank, not of all'
mistake allgather_total some 'MPI_Allgather: invalid count' \
    'rank [012] sent 16 bytes, rank [012] expects 48: the receive count is that of one rank'
mistake allgatherv_own some 'MPI_Allgatherv: invalid count' \
    'the counts disagree: rank 1 sent 4 bytes, rank 1 expects 8'
mistake allgatherv_longer some 'MPI_Allgatherv: ' \
    'disagree.*: rank [0-2] (called MPI_Allgatherv.*MPI_Allgatherv with another|sent .* expects)'
wrong 'mistakes shifted_blocks' 2 some 'MPI_Alltoall: invalid buffer' \
    'overlap: the block that goes to rank 1, and the one that comes from rank 0$'
wrong 'mistakes from_child' 2 1 'Fatal error: MPI_Sendrecv was called in a child of rank [01]$'
wrong 'mistakes session_from_child' 2 1 \
    'Fatal error: MPI_Session_init was called in a child of rank [01]$'
wrong 'mistakes wrong_index' 2 some 'MPI_Waitall' 'entry 2 of the array, 0x[0-9a-f]*, is no request'
for how in '' '--model ideal'; do
    wrong 'mistakes block_counts' 3 some 'MPI_Reduce_scatter_block: invalid count' \
        'called MPI_Reduce_scatter_block.* rank [012] called MPI_Reduce_scatter_block'
    wrong 'mistakes block_or_not' 3 some 'ranks disagree' \
        'rank [12] called MPI_Reduce_scatter_block' \
        'rank 0 called MPI_Reduce_scatter\b'
done
how=
wrong "mistakes dup_or_create" 3 some 'ranks disagree' \
    'rank [12] called MPI_Comm_dup' \
    'rank 0 called MPI_Comm_create'
wrong "mistakes graph_or_dist_graph" 3 some 'ranks disagree' \
    'rank [12] called MPI_Graph_create' \
    'rank 0 called MPI_Dist_graph_create'
mistake split some 'ranks disagree' 'rank [12] called MPI_Comm_split' 'rank 0 called MPI_Comm_dup'
mistake dup_or_barrier some 'MPI_Comm_dup' 'MPI_Barrier'

# The same mistakes by slots, lines and messages.
for how in '--model ideal' '--model redstorm-alpu --offload match' '--offload none'; do
    for ranks in 2 5; do
        wrong coll_count "$ranks" some 'ranks disagree' \
            'MPI_Allreduce' \
            "rank $((ranks - 1)) called MPI_Allreduce with 8 bytes"
        wrong coll_kind "$ranks" some 'ranks disagree' \
            'called MPI_Barrier' \
            'called MPI_Allreduce with 4 bytes'
    done
    wrong coll_root 4 some 'ranks disagree' 'called MPI_Bcast with 4 bytes, root 3' 'root 1'
done
how=
MPILITE_COLL=packets
export MPILITE_COLL
wrong coll_count 5 some 'ranks disagree' 'rank 4 called MPI_Allreduce with 8 bytes'
wrong coll_kind 5 some 'ranks disagree' 'rank 4 called MPI_Barrier'
wrong coll_root 4 some 'ranks disagree' 'root 3' 'root 1'
[ "$failures" -eq 0 ]
