/* Streams of a receiver (nicemu/reliable/streams.c, and who asks for them, model/flow_receive.c):
 * more senders of long packets than streams.  A packet that finds none is refused, those behind it
 * are dropped, and its sender goes back to it: all are delivered, in order, once, and no more than
 * there are streams land at the same time.  The wire keeps what it is given. */
#define NOT_RELEASED 1 /* mutant: a packet that has landed keeps its stream */
#define GAP_IS_NEXT 2 /* mutant: what follows a refused packet is taken in */
#define REFUSED_IS_ACKED 3 /* mutant: a refusal counts as an acknowledgment */
#define NO_STREAM 4 /* mutant: a packet is taken in without a stream */
#define NOT_AGAIN 5 /* mutant: a refused packet is not sent again */
#define DROPPED_IS_TAKEN 6 /* mutant: a refused packet counts as one that has come */

#define SENDERS 2
#define COUNT 3
#define STREAMS 1

int m;
byte delivered[SENDERS];
byte used, landing;
chan wire0 = [2] of { byte };
chan wire1 = [2] of { byte };
chan answers0 = [2] of { byte, bool };  /* all in front of it have come; it is refused */
chan answers1 = [2] of { byte, bool };

proctype sender(chan wire, answers)
{
    byte again, acked, a;
    bool n;
    do
    :: acked == COUNT -> break
    :: atomic { again < COUNT && nfull(wire) -> wire ! again; again++ }
    :: atomic { nempty(answers) -> answers ? a, n;
            if
            :: m == REFUSED_IS_ACKED && n -> a++
            :: else
            fi;
            if :: a > acked -> acked = a :: else fi;
            if :: n && again > a && m != NOT_AGAIN -> again = a :: else fi }
    od
}

inline takes_in(i, x, expected, answers)
{
    if
    :: x == expected || (x > expected && m == GAP_IS_NEXT) ->
        if
        :: used < STREAMS || m == NO_STREAM ->
            used++;
            landing++;
            assert(used <= STREAMS);
            assert(x == delivered[i]);
            delivered[i]++;
            expected = x + 1;
            answers ! expected, false
        :: else ->
            if :: m == DROPPED_IS_TAKEN -> expected = x + 1 :: else fi;
            answers ! x, true
        fi
    :: x < expected -> answers ! expected, false
    :: else                                     /* its sender has been told */
    fi
}

active proctype receiver()
{
    byte expected0, expected1, x;
end:
    do
    :: atomic { nempty(wire0) && nfull(answers0) -> wire0 ? x;
            takes_in(0, x, expected0, answers0) }
    :: atomic { nempty(wire1) && nfull(answers1) -> wire1 ? x;
            takes_in(1, x, expected1, answers1) }
    :: atomic { landing > 0 -> landing--;
            if :: m != NOT_RELEASED -> used-- :: else fi;
            assert(used == landing) }
    od
}

init
{
    c_code { now.m = mutant(); };
    atomic { run sender(wire0, answers0); run sender(wire1, answers1) };
    (_nr_pr == 2);
    assert(delivered[0] == COUNT && delivered[1] == COUNT)
}
