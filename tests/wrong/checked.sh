#!/bin/sh
# mpirun --check names mistakes that do no harm yet, with the rank and the place, and says nothing
# of programs that have none: of the same ones without their mistake, and of tests and examples.
# shellcheck disable=SC1091,SC2154 # lib.sh is sourced
[ "${SANITIZED:-}" ] && { echo 'a sanitizer wants to be loaded first'; exit 77; }
. "${srcdir:-.}/tests/launch/lib.sh"
[ -e "$PWD/.libs/libmpilite_check.so" ] || { echo 'no shared library was built'; exit 77; }

program=$PWD/tests/wrong/checked.t
place='at checked\.t\+0x[0-9a-f]+'
command -v addr2line >/dev/null && place='at checked\.c:[0-9]+ \(checked\.t\+0x[0-9a-f]+\)'
option=--check

# named WHICH PATTERN...: the job ends with 1 and says this; the corrected one says nothing; and
# neither does the wrong one without the check.
named() {
    which=$1
    shift
    # shellcheck disable=SC2086 # an option
    run 1 $option -n 3 "$program" "$which"
    for pattern; do told "$pattern"; done
    run 0 $option -n 3 "$program" "$which" right
    silent
    run 0 -n 3 "$program" "$which"
    silent
}
named lost '^check: rank 2: a message of rank 0 of MPI_COMM_WORLD with tag 11 was never received' \
    '8 signed integers of 4 bytes'
named lost_of_many \
    '^check: rank 0: 2 messages of rank 2 of MPI_COMM_WORLD were never received, .* tag 12$'
named mismatch "^check: rank 2: MPI_Recv $place takes the message of rank 0 of .* with tag 13 " \
    'for floating-point numbers of 4 bytes, but it was sent as signed integers of 4 bytes$'
named mismatch_any "^check: rank 2: MPI_Irecv $place takes the message .* with tag 14 "
named operation '^check: rank 2: calls .* rank 0 of it called MPI_Allreduce MPI_MAX .* MPI_SUM of'
named element '^check: rank 1: .* MPI_Bcast of floating-point .* MPI_Bcast of signed integers'
for object in 'communicator MPI_Comm_dup' 'datatype MPI_Type_vector' 'group MPI_Comm_group' \
    'window MPI_Win_create'; do
    named "${object%% *}" \
        "^check: rank 1: a ${object%% *} of ${object#* }, made $place, was never freed$"
done
for object in 'request MPI_Isend' 'persistent MPI_Recv_init' 'collective_request MPI_Ibarrier'; do
    named "${object%% *}" \
        "^check: rank 0: a request of ${object#* }, made $place, was never completed or freed$"
done
named written "^check: rank 1: the buffer of MPI_Isend $place was written before the send was"
named written_persistent "^check: rank 2: the buffer of MPI_Send_init $place was written before"
named overlap "^check: rank 0: the buffer of MPI_Irecv $place overlaps that of MPI_Irecv $place, "
named overlap_send "^check: rank 0: the buffer of MPI_Recv $place overlaps that of MPI_Isend "
option=--check=sync
named unsafe 'cannot go on' '--check=sync: a send that waits works only while it is buffered' \
    '^  rank 0: MPI_Ssend\(to rank 1 of MPI_COMM_WORLD, tag 23'
named unsafe_ring 'cannot go on' '^  rank 2: MPI_Ssend\(to rank 0 of MPI_COMM_WORLD, tag 24'

# By the variable; through a shell, which is no MPI program; not under it.
MPILITE_CHECK=1 run 1 -n 3 sh -c 'exec "$0" lost' "$program"
told '^check: rank 2: a message'
MPILITE_CHECK=0 run 0 -n 3 "$program" lost
refused "'x' is no value for --check: it must be 1 or sync" --check=x true

# No false report.  VARIANTS=check sh bootstrap check has all tests.
for example in 'ring 3' 'pi 1000' master_worker 'heat2d -n 32 -s 20'; do
    # shellcheck disable=SC2086 # with arguments
    run 0 --check -n 3 "$PWD"/examples/$example
    silent
done
for name in order persistent wait_any_some wildcards null_requests request_free send_modes \
    sendrecv; do
    [ -e "tests/mpi/$name.t" ] || continue
    run 0 --check -n 3 "$PWD/tests/mpi/$name.t"
    silent
done
exit 0
