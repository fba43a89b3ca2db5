#!/bin/sh
# mpirun --check names mistakes that do no harm yet, with the rank and the place, and says nothing
# of programs that have none: of the same ones without their mistake, and of tests and examples.
# shellcheck disable=SC1091,SC2034,SC2154 # lib.sh is sourced
[ "${SANITIZED:-}" ] && { echo 'a sanitizer wants to be loaded first'; exit 77; }
launch_limit=3600   # some hundred jobs
. "${srcdir:-.}/tests/launch/lib.sh"
[ -e "$PWD/.libs/libmpilite_check.so" ] || { echo 'no shared library was built'; exit 77; }

program=$PWD/tests/wrong/checked.t
place='at checked\.t\+0x[0-9a-f]+'
command -v addr2line >/dev/null && place='at checked\.c:[0-9]+ \(checked\.t\+0x[0-9a-f]+\)'
option=--check

# What ranks say alike is one line only if they say it within a moment.  With up to three ranks:
# expects that, however far apart they were.
told() {
    awk '
        !/^check: ranks? [-,0-9]+: / { print; next }
        {
            ranks = $3
            sub(/:$/, "", ranks)
            if (ranks == "0-2") ranks = "0,1,2"
            gsub(/-/, ",", ranks)
            text = $0
            sub(/^check: ranks? [-,0-9]+: /, "", text)
            if (!(text in said)) { said[text] = ","; order[++texts] = text }
            said[text] = said[text] ranks ","
        }
        END {
            for (t = 1; t <= texts; t++) {
                list = ""
                for (rank = 0; rank < 3; rank++)
                    if (index(said[order[t]], "," rank ",")) list = list rank
                gsub(/012/, "0-2", list); gsub(/^01$/, "0-1", list); gsub(/12/, "1-2", list)
                gsub(/02/, "0,2", list)
                printf("check: rank%s %s: %s\n", (length(list) > 1 ? "s" : ""), list, order[t])
            }
        }' "$work/err" >"$work/together"
    grep -qE -- "$1" "$work/together" || fail "standard error does not match: $1"
}

# only PATTERN...: the checks say nothing else.
only() {
    grep '^check: ' "$work/together" >"$work/said"
    for pattern; do
        grep -vE -- "$pattern" "$work/said" >"$work/rest"
        mv "$work/rest" "$work/said"
    done
    [ ! -s "$work/said" ] || fail "it also says: $(head -n 1 "$work/said")"
}

# named WHICH PATTERN...: the job ends with 1 and says this alone; the corrected one says nothing;
# and neither does the wrong one without the check.
named() {
    which=$1
    shift
    # shellcheck disable=SC2086 # an option
    run 1 $option -n 3 "$program" "$which"
    for pattern; do told "$pattern"; done
    only "$@"
    run 0 $option -n 3 "$program" "$which" right
    silent
    run 0 -n 3 "$program" "$which"
    silent
}
# The same of what MPI_Finalize finds by itself past the cores.
with_cores() {
    export NICEMU_CROWDED=no
    named "$@"
    unset NICEMU_CROWDED
}
# noted WHICH PATTERN...: the same of a note, with which the job ends well, and which can be left
# out.
noted() {
    which=$1
    shift
    run 0 --check -n 3 "$program" "$which"
    for pattern; do told "$pattern"; done
    only "$@"
    run 0 --check=errors -n 3 "$program" "$which"
    silent
    run 0 --check -n 3 "$program" "$which" right
    silent
}
# The job fails also where a shell around the ranks does not.
for script in '"$0" "$@"; true' '"$0" "$@" | cat'; do
    run 1 --check -n 3 sh -c "$script" "$program" lost
    told '^check: rank 2: a message of rank 0 of MPI_COMM_WORLD with tag 11 was never received'
    run 0 --check -n 3 sh -c "$script" "$program" lost right
done
# The same where Python closes the descriptors; and who is not checked is told.
if command -v python3 >/dev/null; then
    call='import subprocess, sys; subprocess.run(sys.argv[1:])'
    run 1 --check -n 3 python3 -c "$call" "$program" lost
    told '^check: rank 2: a message of rank 0 of MPI_COMM_WORLD with tag 11 was never received'
    run 0 --check -n 3 python3 -c "$call" "$program" lost right
    silent
fi
run 0 --check -n 3 sh -c 'unset LD_PRELOAD; "$0" lost; true' "$program"
told '^mpirun: warning: ranks 0-2: not checked, as the checks see programs of MPI that are linked'
run 0 --check -n 2 true
silent
run 3 --check -n 2 sh -c 'exit 3'
! grep 'not checked' "$work/err" || fail 'a rank that failed by itself is told'
# A mistake ends no other rank, and its own with the code that it has.
run 1 --check -n 3 "$program" outlived
told '^check: rank 0: a datatype of MPI_Type_contiguous, made .* was never freed$'
printed 'results'
! grep '^mpirun: ' "$work/err" || fail 'mpirun says more'
# A rank that cannot tell mpirun ends with 1 itself, unless it ends with another code; and no child.
alone='unset MPILITE_CHECK_FD; exec "$0" "$@"'
run 1 --check -n 3 sh -c "$alone" "$program" lost
told '^check: rank 2: a message of rank 0 of MPI_COMM_WORLD with tag 11 was never received'
grep -q '^mpirun: rank 2 .* exited with code 1$' "$work/err" || fail 'rank 2 does not end with 1'
run 5 --check -n 1 sh -c "$alone" "$program" datatype serialized 5
run 1 --check -n 1 sh -c "$alone" "$program" overlap_and_child
run 0 --check -n 3 sh -c "$alone" "$program" lost right
# What is no report is none, whoever writes it; a late one is told like the first.
say='say() { echo "$1" >"/proc/self/fd/${MPILITE_CHECK_FD%%@*}"; }'
run 1 --check -n 1 sh -c "$say"'
    for line in "1 ! nobody" "99999 ! nobody" "0 ? no mark" "0 !no blank" "! no rank" ""; do
        say "$line"
    done
    say "0 ! first"; sleep 1; say "0 ! second"'
said 'check: rank 0: first' 'check: rank 0: second'
# Nor do the others wait for one that is not, where communicators are made and in the end.
part_of() {
    script='unset LD_PRELOAD; exec "$0" "$@"'
    run "$1" --check -n 2 "$program" "$2" $3 : -n 1 sh -c "$script" "$program" "$2" $3
    grep -q '^mpirun: warning: rank 2: not checked' "$work/err" || fail 'rank 2 is checked'
}
part_of 1 part ''
told '^check: rank 0: a communicator of MPI_Comm_split, made .* was never freed$'
for which in lost_on_dup lost_across operation_on_part overlap; do part_of 0 $which right; done
MPILITE_STATS=1 part_of 0 lost_across right
grep -q 'what the NICs of 3 ranks did' "$work/err" || fail 'nobody shows the figures'
named lost '^check: rank 2: a message of rank 0 of MPI_COMM_WORLD with tag 11 was never received' \
    '8 signed integers of 4 bytes'
named lost_of_many \
    '^check: rank 0: 2 messages of rank 2 of MPI_COMM_WORLD were never received, .* tag 12$'
named lost_two_tags '^check: rank 0: 2 messages of rank 2 of .* received, the first with tag 54$'
named lost_behind '^check: rank 2: a message of rank 0 of .* with tag 59 was never received'
named lost_bytes '^check: rank 2: a message of rank 0 of .* with tag 55 was never received$'
named lost_nothing '^check: rank 2: a message of rank 0 of .* with tag 56 was never received$'
named mismatch "^check: rank 2: MPI_Recv $place takes the message of rank 0 of .* with tag 13 " \
    'for floating-point numbers of 4 bytes, but it was sent as signed integers of 4 bytes$'
named mismatch_second "^check: rank 2: MPI_Recv $place takes the message .* with tag 16 " \
    'for signed integers of 4 bytes, but it was sent as floating-point numbers of 4 bytes$'
named mismatch_any "^check: rank 2: MPI_Irecv $place takes the message .* with tag 14 "
named operation '^check: ranks 1-2: .* rank 0 of it called MPI_Allreduce MPI_MAX .* MPI_SUM of'
named element '^check: ranks 1-2: .* MPI_Bcast of floating-point .* MPI_Bcast of signed integers'
for object in 'communicator MPI_Comm_dup' 'datatype MPI_Type_vector' 'group MPI_Comm_group' \
    'window MPI_Win_create'; do
    named "${object%% *}" \
        "^check: ranks 0-2: a ${object%% *} of ${object#* }, made $place, was never freed$"
done
for object in 'request MPI_Isend' 'persistent MPI_Recv_init' 'collective_request MPI_Ibarrier'; do
    named "${object%% *}" \
        "^check: ranks 0-2: a request of ${object#* }, made $place, was never completed or freed$"
done
named datatypes \
    "^check: ranks 0-2: 3 datatypes of MPI_Type_contiguous, made $place, were never freed$"
named written "^check: ranks 0-2: the buffer of MPI_Isend $place was written before the send was"
named written_persistent "^check: ranks 0-2: the buffer of MPI_Send_init $place was written before"
named overlap \
    "^check: ranks 0-2: the buffer of MPI_Irecv $place overlaps that of MPI_Irecv $place, "
# Each place is its own.
if command -v addr2line >/dev/null; then
    run 1 $option -n 1 "$program" overlap
    [ "$(grep -oE 'checked\.c:[0-9]+' "$work/err" | sort -u | wc -l)" -eq 2 ] ||
        fail "two calls are not at two places"
fi
for how in back started; do
    named overlap_$how "^check: ranks 0-2: the buffer of MPI_.* $place overlaps that of MPI_.*, wh"
done
named overlap_send "^check: ranks 0-2: the buffer of MPI_Recv $place overlaps that of MPI_Isend "
named overlap_exchange \
    "^check: ranks 0-2: the receive buffer of MPI_Sendrecv $place overlaps its send buffer$"
# of_three TEXT TIMES: of three ranks all together, in whatever lines.
of_three() {
    times=$(awk -v text="$1" 'index($0, ": " text) {
            ranks = $3
            sub(/:$/, "", ranks)
            n += ranks == "0-2" ? 3 : split(ranks, each, /[-,]/)
        }
        END { print n + 0 }' "$work/err")
    [ "$times" -eq "$2" ] || fail "'$1' is said $times times, not $2"
}
# What a rank says twice is not what two say; no more than three times the same, which leaves room
# for others; and no more than 20 things of each.
run 1 $option -n 3 "$program" overlap_twice
of_three 'the receive buffer of MPI_Sendrecv' 6
run 1 $option -n 3 "$program" overlap_often
of_three 'the receive buffer of MPI_Sendrecv' 12
of_three 'more than three times: the receive buffer of MPI_Sendrecv' 3
of_three 'and more' 0
run 1 $option -n 3 "$program" mismatch_often
of_three 'MPI_Sendrecv' 60
of_three 'and more' 3
run 1 $option -n 3 "$program" overlap_elsewhere
of_three 'the receive buffer of MPI_Sendrecv' 3
named overlap_and_child "^check: ranks 0-2: the receive buffer of MPI_Sendrecv $place overlaps its"
named overlap_later \
    "^check: ranks 0-2: the receive buffer of MPI_Isendrecv $place overlaps its send buffer$"
named overlap_replaced \
    "^check: ranks 0-2: the buffer of MPI_Isendrecv_replace $place overlaps that of MPI_Isend "
named lost_exchanged '^check: rank 2: a message of rank 0 of MPI_COMM_WORLD with tag 51 was never'
for how in 'received_early MPI_Irecv' 'received_persistent MPI_Recv_init' \
    'received_exchanged MPI_Isendrecv'; do
    named "${how% *}" \
        "^check: ranks 0-2: the buffer of ${how#* } $place was written before the receive was"
done
named lost_on_dup '^check: rank 2: a message of rank 1 of MPI_COMM_WORLD dup #1 with tag 31 was' \
    'never received \(1 signed integer of 4 bytes\)$'
named lost_on_named '^check: rank 2: a message of rank 1 of -{124}end with tag 52 was never'
named mismatch_on_split "^check: rank 0: MPI_Recv $place .* rank 0 of MPI_COMM_WORLD split #1, " \
    'with tag 32 for signed integers of 4 bytes, .* as floating-point numbers of 8 bytes$'
named operation_on_part \
    '^check: rank 2: calls .* workers differ: rank 0 of it .* MPI_SUM .* this rank .* MPI_PROD of'
named lost_across '^check: rank 2: a message of rank 0 of .* with tag 34 was never received'
named element_gathered '^check: rank 2: .* rank 0 .* MPI_Gather of signed .* MPI_Gather of floating'
whole='signed integers of 4 bytes' real='floating-point numbers of 4 bytes'
differs() {
    echo "^check: rank 2: calls .* on $1 differ: .* called $2 where this rank called $3 $place$"
}
named element_of_vectors "$(differs gatherv "MPI_Gatherv of $whole" "MPI_Gatherv of $real")" \
    "$(differs scatterv "MPI_Scatterv of $whole" "MPI_Scatterv of $real")" \
    "$(differs allgatherv "MPI_Allgatherv of $whole" "MPI_Allgatherv of $real")" \
    "$(differs gatherv_c "MPI_Gatherv of $whole" "MPI_Gatherv of $real")"
named operation_of_forms \
    "$(differs reduce_scatter 'MPI_Reduce_scatter MPI_SUM .*' 'MPI_Reduce_scatter MPI_MAX .*')" \
    "$(differs iscan 'MPI_Iscan MPI_SUM .*' 'MPI_Iscan MPI_MAX .*')" \
    "$(differs ialltoall "MPI_Ialltoall of $whole" "MPI_Ialltoall of $real")" \
    "$(differs gather_init "MPI_Gather_init of $whole" "MPI_Gather_init of $real")"
named blocks_or_not "$(differs bcast "MPI_Bcast of $whole" "MPI_Ibcast of $whole")"
with_cores no_root \
    '^check: ranks 1-2: .* rank 0 of it called MPI_Reduce with root 1 MPI_SUM of signed' \
    'this rank called MPI_Reduce with root 0 '
export NICEMU_CROWDED=yes
run 1 --check -n 3 "$program" no_root
told '^check: ranks 1-2: .* rank 0 of it called MPI_Reduce with root 1 MPI_SUM of signed'
run 8 -n 3 "$program" no_root
unset NICEMU_CROWDED
named part "^check: ranks 0,2: a communicator of MPI_Comm_split, made $place, was never freed"
named kept "^check: ranks 0-2: a communicator of MPI_Comm_dup, made $place, was never freed"
named requests "^check: ranks 0-2: 3 requests of MPI_Isend, made $place, were never completed or"
named written_first "^check: ranks 0-2: the buffer of MPI_Isend $place was written before the send"
named half_waited "^check: ranks 0-2: a request of MPI_Irecv, made $place, was never completed"
for how in early persistent; do
    named "ready_$how" 'of MPI_COMM_WORLD with tag 4[12] had come, but that was sent as ready ' \
        "^check: ranks? [-0-2]+: MPI_Recv.* $place was posted when the message of rank [0-2] "
done
noted freed_receive \
    "^check: ranks 0-2: note: MPI_Irecv $place is freed, $place, before it is complete: "
for how in send buffer; do
    noted freed_$how \
        "^check: ranks 0-2: note: the buffer of MPI_Isend $place, whose request was freed, was "
done
noted freed_two \
    "^check: ranks 0-2: note: the buffer of MPI_Issend $place, whose request was freed, was "
noted freed_into \
    "^check: ranks 0-2: note: the buffer of MPI_Recv $place overlaps that of MPI_Isend $place, "
# A rank that fails by itself keeps its code.
run 5 --check -n 3 "$program" datatype serialized 5
told '^check: ranks 0-2: a datatype of MPI_Type_vector, made'
# The place is the line of the call, wherever the program was found; without addr2line an address.
if command -v addr2line >/dev/null; then
    line=$(grep -n 'MPI_Type_vector(2,' "$srcdir/tests/wrong/checked.c")
    PATH=$PWD/tests/wrong:$PATH run 1 --check --wdir "$work" -n 3 checked.t datatype
    told "^check: ranks 0-2: a datatype .*, made at checked\.c:${line%%:*} \(checked\.t\+0x"
fi
mkdir "$work/none"
PATH=$work/none run 1 --check -n 3 "$program" datatype
told '^check: ranks 0-2: a datatype of MPI_Type_vector, made at checked\.t\+0x[0-9a-f]+, was never'

# Types of messages, and what collectives are called with.
checked=$program checked_place=$place
program=$PWD/tests/wrong/signatures.t
place=$(echo "$place" | sed 's/checked/signatures/g')
# takes TAG AS FOR: the message of that tag
takes() {
    echo "^check: rank 2: MPI_Recv $place takes the message .* with tag $1 for $3, but it was" \
        "sent as $2$"
}
# kind i4: signed integers of 4 bytes
kind() {
    case $1 in
    i*) echo "signed integers of ${1#?} bytes" ;;
    u*) echo "unsigned integers of ${1#?} bytes" ;;
    f*) echo "floating-point numbers of ${1#?} bytes" ;;
    z*) echo "complex numbers of ${1#?} bytes" ;;
    esac
}
# types WHICH AS:FOR...: messages with tags from 60 on
types() {
    which=$1 tag=60
    shift
    for pair; do
        set -- "$@" "$(takes $tag "$(kind "${pair%:*}")" "$(kind "${pair#*:}")")"
        shift
        tag=$((tag + 1))
    done
    named "$which" "$@"
}
types mismatch_signed i1:u1 i1:u1 i1:u1 i2:u2 i4:u4 i8:u8 i8:u8 i1:u1 i2:u2 i4:u4 i8:u8 i8:u8 \
    i8:u8 i8:u8 i4:u4
types mismatch_fortran i4:u4 i1:u1 i2:u2 i4:u4 i8:u8 f4:i4 f8:i8 f4:i4 f8:i8 f16:z16 z8:i8 z8:i8 \
    z16:f16 z16:f16
types mismatch_numbers u1:i1 u2:i2 u4:i4 u8:i8 u8:i8 u1:i1 u2:i2 u4:i4 u8:i8 f4:i4 f8:i8 z8:i8 \
    z8:i8 z16:f16 z16:f16
set --
for tag in 60 61 62 63 64 65 66 67 68 69 70; do
    set -- "$@" "$(takes $tag 'a sequence of types' 'a sequence of types')"
done
named mismatch_made "$@"
# by CALL TAG: a message that the call takes for another kind
by() {
    echo "^check: rank 2: $1 $place takes the message .* with tag $2 for $(kind f4), but it was" \
        "sent as $(kind i4)$"
}
for which in 'sent 12' 'started 12' 'prepared 8'; do
    set --
    tag=60
    while [ $tag -lt $((60 + ${which#* })) ]; do
        set -- "$@" "$(by MPI_Irecv $tag)"
        tag=$((tag + 1))
    done
    named "mismatch_${which% *}" "$@"
done
set --
tag=60
for call in Recv Sendrecv Sendrecv_replace Irecv Isendrecv Isendrecv_replace Recv_init; do
    set -- "$@" "$(by MPI_$call $tag)" "$(by MPI_$call $((tag + 1)))"
    tag=$((tag + 2))
done
named mismatch_taken "$@"
set --
for tag in 60 61 62 63 64 65; do
    set -- "$@" "^check: rank 2: MPI_Irecv $place was posted when the message of rank 0 of .*\
 with tag $tag had come, but that was sent as ready "
done
named ready_each "$@"
set --
for call in Isend Issend Irsend Ibsend Isendrecv Isendrecv_replace Send_init Ssend_init \
    Rsend_init Bsend_init Imrecv; do
    set -- "$@" "^check: ranks 0-2: a request of MPI_$call, made $place, was never completed or"
done
named left_each "$@"
named left_each_c "$@"
# differ THEIRS OURS: what rank 0 calls, and the others
differ() {
    echo "^check: ranks 1-2: calls .* differ: rank 0 of it called $1 where this rank called $2" \
        "$place$"
}
int='of signed integers of 4 bytes' float='of floating-point numbers of 4 bytes'
set --
before=LXOR
for op in SUM MIN MAX PROD BAND BOR BXOR LAND LOR LXOR; do
    set -- "$@" "$(differ "MPI_Allreduce MPI_$op $int" "MPI_Allreduce MPI_$before $int")"
    before=$op
done
named operations "$@"
for which in calls calls_c calls_started; do
    names='MPI_Reduce MPI_Allreduce MPI_Scan MPI_Exscan MPI_Reduce_scatter_block'
    moves='MPI_Bcast MPI_Gather MPI_Scatter MPI_Allgather MPI_Alltoall'
    [ $which != calls_started ] || names='MPI_Ireduce MPI_Iallreduce' moves=MPI_Ibcast
    set --
    for name in $names; do
        set -- "$@" "$(differ "$name MPI_MAX $int" "$name MPI_SUM $int")"
    done
    for name in $moves; do set -- "$@" "$(differ "$name $float" "$name $int")"; done
    named $which "$@"
done
named again_operation "$(differ "MPI_Allreduce MPI_MAX $int" "MPI_Allreduce MPI_SUM $int")"
named again_type "$(differ "MPI_Allreduce MPI_SUM $float" "MPI_Allreduce MPI_SUM $int")"
with_cores again_root \
    "$(differ "MPI_Reduce with root 1 MPI_SUM $int" "MPI_Reduce with root 0 MPI_SUM $int")"
named unrolled "$(differ "MPI_Allreduce MPI_BAND $int" "MPI_Allreduce MPI_BXOR $int")"
program=$checked place=$checked_place

# What might be taken for a mistake, or come out otherwise.
for which in idle received asked several errors clocks thread operation shuffled beside nested \
    refused started failed_collective many_collectives kept outlived many_communicators left \
    taken second_thread withdrawn in_part; do
    for how in '' --check; do
        # shellcheck disable=SC2086 # an option
        run 0 $how -n 2 "$PWD/tests/wrong/harmless.t" $which
        silent
    done
done
# What a rank starts says for itself what is wrong.
run 0 --check -n 2 "$PWD/tests/wrong/harmless.t" child "'$program' overlap"
told '^check: checked\.t: the buffer of MPI_Irecv .* overlaps that of MPI_Irecv'
! grep -q '^check: rank' "$work/err" || fail 'a rank says what its child has done'
# Loops that end by something else than the call that is found to wait.
for which in turns_first turns_second until_put; do
    run 0 --check -n 2 "$PWD/tests/wrong/harmless.t" $which
    silent
done

checked=$program checked_place=$place
# What stands, or dies, also without the check.
ends() {
    which=$1 code=$2
    shift 2
    run "$code" --check -n 3 "$program" "$which"
    for pattern; do told "$pattern"; done
    run 0 --check -n 3 "$program" "$which" right
    silent
}
if [ "$(uname -m)" = x86_64 ]; then     # elsewhere nothing is proved
    program=$PWD/tests/wrong/endless.t place=$(echo "$place" | sed 's/checked/endless/g')
    ends test 1 'cannot go on' \
        "^  rank 0: MPI_Test again and again $place: receive\(source 1, tag 27, .*tag 28"
    status="MPI_Request_get_status"
    ends status 1 "^  rank 0: ${status}_all again and again $place" \
        "^  rank 1: ${status}_any again and again $place" \
        "^  rank 2: ${status}_some again and again $place"
    ends part 1 'cannot go on' "^  rank 0: MPI_Parrived again and again $place" \
        '^  ranks 1-2: MPI_Barrier'
    ends probe 1 'cannot go on' "^  rank 0: MPI_Iprobe again and again $place" \
        '^  ranks 1-2: MPI_Barrier'
    ends improbe 1 'cannot go on' "^  rank 0: MPI_Improbe again and again $place" \
        '^  ranks 1-2: MPI_Barrier'
fi
# One-sided calls.
program=$PWD/tests/wrong/accesses.t
place='at accesses\.t\+0x[0-9a-f]+'
command -v addr2line >/dev/null && place='at accesses\.c:[0-9]+ \(accesses\.t\+0x[0-9a-f]+\)'
part="of rank 0's part of the window"
put="^check: rank [0-2]: MPI_Put $place writes bytes"
own="of rank [0-2]'s part of the window, which MPI_Put $place writes in the same epoch"
named across "^check: rank 0: MPI_Put $place writes bytes 12 to 15 of rank 1's part of the window, \
which rank 1 writes in the same epoch$" \
    '^check: ranks 1-2: .*, which rank 0 writes in the same epoch$'
named read_across "^check: rank 1: MPI_Put $place writes bytes 28 to 31 $part, which rank 2 reads" \
    "^check: rank 2: MPI_Get $place reads bytes 28 to 31 $part, which rank 1 writes in the same"
named combined_across '^check: rank 0: MPI_Put .* writes .*, which rank 1 updates in the same' \
    "^check: ranks 1-2: MPI_Accumulate $place updates bytes 20 to 23 $part, which rank 0 writes"
named columns "^check: rank 0: MPI_Put $place writes bytes 0 to 3 $part, which rank 1 writes" \
    "^check: rank 1: MPI_Put $place writes bytes 0 to 3 $part, which rank 0 writes"
for which in twice twice_late unlocked_others; do named $which "$put 16 to 19 $own$"; done
named put_and_get "^check: rank [0-2]: MPI_Get $place reads bytes .*, which MPI_Put $place writes"
named with_request "^check: rank [0-2]: MPI_Put $place writes .*, which MPI_Rput $place writes in"
named in_part \
    "^check: rank 0: MPI_Put $place writes bytes 84 to 87 of rank 1's .*, which rank 1 writes" \
    "^check: rank 1: MPI_Put $place writes bytes 84 to 87 of rank 1's .*, which rank 0 writes" \
    "^check: rank 2: MPI_Put $place writes bytes 88 to 91 of rank 1's .*, which rank 1 writes"
named twice_in_part "$put 20 to 23 $own$"
for which in others here all_here; do named flushed_$which "$put 16 to 19 $own$"; done
# behind CALL WHAT CELL: an access to that cell behind a put to it
behind() {
    echo "^check: rank [0-2]: $1 $place $2 bytes $(($3 * 4)) to $(($3 * 4 + 3)) $own$"
}
set -- "$(behind MPI_Accumulate updates 30)" "$(behind MPI_Get_accumulate updates 31)" \
    "$(behind MPI_Raccumulate updates 32)" "$(behind MPI_Put writes 33)" \
    "$(behind MPI_Get reads 34)" "$(behind MPI_Rput writes 35)"
named behind_put_c "$@"
named behind_put "$@" "$(behind MPI_Fetch_and_op updates 36)" \
    "$(behind MPI_Compare_and_swap updates 37)" "$(behind MPI_Fetch_and_op reads 38)"
reads='Accumulate Get_accumulate Fetch_and_op Compare_and_swap'
set --
for call in $reads; do
    set -- "$@" "^check: ranks 0-2: the buffer of MPI_$call $place was written or freed before it"
done
named all_written "$@"
set --
for call in ${reads#* }; do
    set -- "$@" "^check: ranks 0-2: the buffer of MPI_Put $place overlaps that of MPI_$call $place,"
done
named all_used_early "$@"
noted twice_alike \
    "^check: rank [0-2]: note: MPI_Put $place writes bytes 16 to 19 $own, with the same data$"
for which in written freed; do
    named $which "^check: ranks 0-2: the buffer of MPI_Put $place was written or freed before it"
done
named used_early \
    "^check: ranks 0-2: the buffer of MPI_Put $place overlaps that of MPI_Get $place, which is not"
named got_early \
    "^check: ranks 0-2: the buffer of MPI_Get $place overlaps that of MPI_Put $place, which is not"
noted same_across "^check: rank 0: note: MPI_Put $place writes bytes 36 .*, with the same data$" \
    "^check: ranks 1-2: note: MPI_Put $place .*, which rank 0 writes .*, with the same data$"
noted got_twice \
    "^check: ranks 0-2: note: the buffer of MPI_Get $place overlaps that of MPI_Get $place, which"
run 0 --check -n 3 "$program" fine
silent
# One rank has several threads, or is not checked: the others do not wait for it.
run 0 --check -n 2 "$program" fine : -n 1 "$program" fine threads
silent
run 1 --check -n 2 "$program" across : -n 1 "$program" across threads
told '^check: rank 0: MPI_Put'
run 0 --check -n 2 "$program" across right : -n 1 sh -c 'unset LD_PRELOAD; exec "$0" across right' \
    "$program"
program=$checked place=$checked_place

ends other_thread 1 'but MPI_Init has provided MPI_THREAD_SINGLE$' \
    "^check: ranks 0-2: MPI_Iprobe $place is called by a thread other than the main one, "
ends at_once 1 \
    "^check: rank 0: MPI_Comm_size $place is called while another thread is in MPI_Reduce_local"
# What other levels forbid, and what they do not.
run 1 --check -n 3 "$program" other_thread funneled
told '^check: ranks 0-2: MPI_Iprobe .* has provided MPI_THREAD_FUNNELED$'
run 1 --check -n 3 "$program" at_once serialized
told '^check: rank 0: MPI_Comm_size .* but MPI_Init_thread has provided MPI_THREAD_SERIALIZED$'
[ "$(grep -oE 'checked\.t\+0x[0-9a-f]+' "$work/err" | sort -u | wc -l)" -eq 2 ] ||
    fail 'two calls at once are not at two places'
for how in 'other_thread serialized' 'other_thread multiple' 'at_once multiple'; do
    # shellcheck disable=SC2086 # words
    run 0 --check -n 3 "$program" $how
    silent
done
# Of many programs one thread calls, whatever level they have asked for.
for which in lost mismatch operation overlap written; do
    run 1 --check -n 3 "$program" $which multiple
    told '^check: ranks? '
done
run 1 --check -n 3 "$program" mismatch multiple
told "^check: rank [0-9]: MPI_[A-Za-z]* $place takes the message of rank"
run 1 --check -n 2 "$PWD/tests/wrong/accesses.t" across multiple
told '^check: rank 0: MPI_Put'
run 0 --check -n 2 "$PWD/tests/wrong/accesses.t" across threads
silent
# Wrappers of the program go past the checks, which would take it for wrong.
run 0 --check -n 2 "$PWD/tests/wrong/wrapped.t"
told '^check: ranks? .*: nothing is checked, as .* has its own MPI_'
[ "$(sort -u "$work/out")" = '1 1 1' ] || fail 'the wrappers are not called'
if ${CC:-cc} -shared -fPIC -I"$srcdir/include" -o "$work/libprofile.so" \
    "$srcdir/tests/wrong/wrapped.c"; then
    run 0 --check -x LD_PRELOAD="$work/libprofile.so" -n 2 "$program" part right
    told '^check: ranks? .*: MPI_[A-Za-z_]* of libprofile.so is not called, as the checks'
fi
# Communicators are called as without it.
run 1 --check -n 3 "$PWD/tests/wrong/mistakes.t" two_dups
told '^  rank 0: MPI_Barrier\(MPI_COMM_WORLD dup #2, made at mistakes'

MPILITE_CHECK=errors run 1 -n 3 "$program" lost

option=--check=sync,errors
named unsafe_ring 'cannot go on' '--check=sync: a send that waits works only while it is buffered'
option=--check=sync
named unsafe 'cannot go on' '--check=sync: a send that waits works only while it is buffered' \
    '^  rank 0: MPI_Ssend\(to rank 1 of MPI_COMM_WORLD, tag 23'
named unsafe_c 'cannot go on' '^  rank 0: MPI_Ssend_c\(to rank 1 of MPI_COMM_WORLD, tag 23'
for how in wait wait_c; do
    named unsafe_$how 'cannot go on' '^  rank 0: MPI_Wait: synchronous send\(to rank 1 .*, tag 23'
done
named unsafe_ring 'cannot go on' '^  rank 2: MPI_Ssend\(to rank 0 of MPI_COMM_WORLD, tag 24'

# Those who say the same within a moment are one line: mpirun stands still until all have said it.
cat >"$work/one" <<'TEXT'
echo $PPID >>"$1/parents"
while [ ! -e "$1/go" ]; do sleep 0.02; done
"$2" half_waited
code=$?
echo "$code" >>"$1/ended"
exit "$code"
TEXT
"$mpirun" --check -n 3 sh "$work/one" "$work" "$program" >"$work/out" 2>"$work/err" &
until_true has_lines "$work/parents" 3
parent=$(head -n 1 "$work/parents")
kill -STOP "$parent"
until_true in_state "$parent" T
: >"$work/go"
until_true has_lines "$work/ended" 3
kill -CONT "$parent"
wait $!
[ "$(grep -c '^check: ' "$work/err")" -eq 1 ] || fail 'three ranks do not say it together'
grep -qE '^check: ranks 0-2: a request of MPI_Irecv' "$work/err" || fail 'not all ranks say it'

# By the variable; through a shell, which is no MPI program; not under it.
MPILITE_CHECK=1 run 1 -n 3 sh -c 'exec "$0" lost' "$program"
told '^check: rank 2: a message'
for value in 0 off ''; do MPILITE_CHECK=$value run 0 -n 3 "$program" lost; done
refused "'x' is no value for --check: it must be 1, sync, errors, or sync,errors" --check=x true

# No false report.  VARIANTS=check sh bootstrap check has all tests.
for example in 'ring 3' 'pi 1000' master_worker 'heat2d -n 32 -s 20'; do
    # shellcheck disable=SC2086 # with arguments
    run 0 --check -n 3 "$PWD"/examples/$example
    silent
done
# It frees receives on purpose.
run 0 --check=errors -n 3 "$PWD/tests/mpi/request_free.t"
silent
for name in order persistent wait_any_some wildcards null_requests send_modes \
    sendrecv coll_gather coll_reduce comm_dup comm_split comm_create intercomm iprobe isend_all \
    cancel_receive request_edges type_contents status; do
    [ -e "tests/mpi/$name.t" ] || continue
    run 0 --check -n 3 "$PWD/tests/mpi/$name.t"
    silent
done
exit 0
