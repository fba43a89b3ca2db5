/* How far eager messages run ahead of their receives (lib/fw/ahead.c).
 *
 * Two ranks send each other, one of them only a message now and then.  Each NIC takes in messages
 * and what it is told whenever they come; its host sends, one message after the other, each when
 * the one before is done, or all at once; and receives, in any order.  What a host sends and
 * receives it does in any order, as two threads of a program would; where both are one thread
 * (EXCHANGE), it sends, then receives.
 *
 * Holds: nobody keeps more than the limit and what is held; all is sent, received and done; nobody
 * is told of more than it has sent.
 *
 * MOST is the limit, QUARTER what is told at a time: a quarter of 8, but all that counts is that
 * two of them do not exceed the limit. */
#define NEVER_ASKS 1     /* mutant: messages do not ask */
#define ASKS_LATE 2      /* mutant: who has sent a quarter behind the last that asks does not ask */
#define NOT_HELD 3       /* mutant: no send is held */
#define TOLD_TWICE 4     /* mutant: what a message tells is told by the next one again */
#define FORGETS 5        /* mutant: who is asked before it has a quarter to tell forgets it */
#define ONE_GOES_ON 6    /* mutant: who is told lets one send go on, whatever a quarter is */
#define BLIND 7          /* mutant: it is told at each message that asks, matched or not */
#define EXCHANGE 10      /* variant: each sends one, then receives one */
#define AT_ONCE 11       /* variant: rank 0 does not wait for its sends one by one */
#define BOTH 12          /* variant: rank 1 sends more of them */

#define MOST 5
#define QUARTER 2
#define LEAST_TO_ASK 4
#define MESSAGES 9
#define TO_ASK(n) (n >= LEAST_TO_ASK && !(m == ASKS_LATE && n > LEAST_TO_ASK))

#define BLOCKING (m != AT_ONCE && m != ONE_GOES_ON)
#define SENDS(rank) ((rank) == 0 || m == EXCHANGE -> MESSAGES : (m == BOTH -> 3 : 2))

mtype = { AHEAD, ASKS, TELLS, MATCHED };
chan wire[2] = [12] of { mtype, byte };         /* to that rank: type, tag */

byte m;
byte sent[2], since[2], held[2], matched[2], asked[2];
byte begun[2], received[2];
/* unexpected messages at a rank, by tag: plain ones, and those that ask */
byte plain[4], asking[4];
#define KEPT(rank) (plain[2 * (rank)] + asking[2 * (rank)] \
                    + plain[2 * (rank) + 1] + asking[2 * (rank) + 1])

inline told(rank)
{
    assert(sent[rank] >= QUARTER);
    sent[rank] = sent[rank] - QUARTER;
    excess = (sent[rank] > MOST -> sent[rank] - MOST : 0);
    if
    :: m == ONE_GOES_ON && held[rank] -> held[rank]--
    :: m != ONE_GOES_ON && held[rank] > excess -> held[rank] = excess
    :: else
    fi
}

/* mpi_fw_ahead_matched */
inline is_matched(rank, asks)
{
    matched[rank]++;
    asked[rank] = asked[rank] + asks;
    if
    :: m == BLIND && asks -> wire[1 - rank]!MATCHED, 0
    :: m != BLIND && asked[rank] && matched[rank] >= QUARTER ->
        asked[rank]--; matched[rank] = matched[rank] - QUARTER; wire[1 - rank]!MATCHED, 0
    :: m == FORGETS && matched[rank] < QUARTER -> asked[rank] = 0
    :: else
    fi
}

/* mpi_fw_ahead_count */
inline send(rank, tag)
{
    begun[rank]++;
    sent[rank]++;
    since[rank]++;
    if :: sent[rank] > MOST && m != NOT_HELD -> held[rank]++ :: else fi;
    if
    :: m != NEVER_ASKS && since[rank] >= QUARTER && TO_ASK(sent[rank]) ->
        since[rank] = 0; wire[1 - rank]!ASKS, tag
    :: else ->
        if
        :: matched[rank] >= QUARTER ->
            if :: m != TOLD_TWICE -> matched[rank] = matched[rank] - QUARTER :: else fi;
            wire[1 - rank]!TELLS, tag
        :: else -> wire[1 - rank]!AHEAD, tag
        fi
    fi
}

/* What has come is kept, and received from there: a posted receive is one that follows at once. */
proctype nic(byte me)
{
    mtype type;
    byte tag, excess;
end: do
    :: atomic { wire[me]?type, tag ->
        if :: type == TELLS || type == MATCHED -> told(me) :: else fi;
        if
        :: type == ASKS -> asking[2 * me + tag]++
        :: type == AHEAD || type == TELLS -> plain[2 * me + tag]++
        :: type == MATCHED
        fi;
        type = 0; tag = 0; excess = 0;
        assert(!BLOCKING || KEPT(me) <= MOST + 1)
       }
    od
}

inline receive_one(me)
{
    atomic {
        if
        :: plain[2 * me] -> plain[2 * me]--; is_matched(me, 0)
        :: plain[2 * me + 1] -> plain[2 * me + 1]--; is_matched(me, 0)
        :: asking[2 * me] -> asking[2 * me]--; is_matched(me, 1)
        :: asking[2 * me + 1] -> asking[2 * me + 1]--; is_matched(me, 1)
        fi;
        received[me]++
    }
}

inline send_one(me)
{
    atomic {
        !BLOCKING || !held[me];
        send(me, begun[me] & 1)
    }
}

proctype sender(byte me)
{
    do
    :: begun[me] < SENDS(me) -> send_one(me)
    :: else -> break
    od;
    !held[me];
}

proctype receiver(byte me)
{
    do
    :: received[me] < SENDS(1 - me) -> receive_one(me)
    :: else -> break
    od
}

proctype both(byte me)
{
    do
    :: begun[me] < SENDS(me) -> send_one(me); !held[me]; receive_one(me)
    :: else -> break
    od
}

init {
    atomic {
        c_code { now.m = mutant(); };
        run nic(0);
        run nic(1);
        if
        :: m == EXCHANGE -> run both(0); run both(1)
        :: else -> run sender(0); run receiver(0); run sender(1); run receiver(1)
        fi
    }
}
