/* The queue of a lock where not all ranks have mapped all words (lib/rma/queue.c), who shares the
 * lock (lib/rma/lock.c), and what a rank that ends leaves behind (lib/rma/waiter.c).
 *
 * Ranks take one lock, one of them twice, alone, shared, or if nobody has it.  Those who have it
 * exclude each other, come in the order of the tail, and nobody sleeps for ever.  Words are changed
 * by atomic operations of their owner's NIC, each at once for everybody; behind one that a rank
 * waits at its NIC rings.  Its own words a rank writes in its memory, and its next atomic operation
 * comes behind them. */
#define CLEARED_LATE 1  /* mutant: a place is cleared behind the name in the tail */
#define NOT_CLEARED 2   /* mutant: a place is not cleared */
#define NO_WAIT 3       /* mutant: who comes does not wait */
#define NOT_SAID 4      /* mutant: who comes does not say to the one in front who it is */
#define NOT_TOLD 5      /* mutant: who goes does not tell who comes */
#define GOES_BLIND 6    /* mutant: who finds nobody behind it ends the queue without a look */
#define GOES_ALONE 7    /* mutant: who finds the tail changed does not wait for the name */
#define NO_RING 8       /* mutant: a word is changed without ringing */
#define TRY_STORES 9    /* mutant: who tries takes the tail whoever has it */
#define COUNTS_LATE 10  /* mutant: who shares leaves the queue before it is counted */
#define NO_DRAIN 11     /* mutant: who wants it alone does not wait for those who share */
#define DRAINED_LATE 12 /* mutant: drained is cleared behind the name in readers */
#define KEEPS_NAME 13   /* mutant: who was told leaves its name in readers */
#define LAST_SILENT 14  /* mutant: the last who shares tells nobody */
#define NOT_BROKEN 15   /* mutant: who finds the end of a rank keeps it to itself */
#define NO_LOOK 16      /* mutant: nobody looks whether a rank has ended */
#define ONE_LOOK 17     /* mutant: who goes looks at nobody while it does not know who comes */
#define BREAKS 20       /* variant: a rank may end anywhere, as of MPIX_Lock_acquire */
#define SHARES 21       /* variant: those who share it, and who want it alone */

#define RANKS 3
#define ROUNDS (me == 0 && !SHARING -> 2 : 1)
#define MORTAL (m == BREAKS || m == NOT_BROKEN || m == NO_LOOK || m == ONE_LOOK)
#define SHARING (m == SHARES || (m >= COUNTS_LATE && m <= LAST_SILENT))

byte tail, next[RANKS], go[RANKS];
byte readers, writer;
bool drained[RANKS], bell[RANKS];
bool ended[RANKS], any_ended;
byte broken;

byte alone, shared;             /* who has it */
byte drawn, served;             /* places in the order of coming */

inline ring(rank) { if :: m == NO_RING :: else -> bell[rank] = true fi }

/* The rank ends here, or not. */
inline may_end()
{
    if
    :: atomic { MORTAL && !any_ended -> ended[me] = true; any_ended = true }; goto gone
    :: true
    fi
}

/* mpi_rma_broken: who is waited for, or whoever it may be. */
#define IN_FRONT (!anybody && ended[front])
#define SOMEBODY (anybody && m != ONE_LOOK && (ended[0] || ended[1] || ended[2]))
#define GIVES_UP(word) \
    (MORTAL && m != NO_LOOK && !word && (IN_FRONT || SOMEBODY || broken))

/* queue_wait */
inline wait_for(word)
{
    do
    :: bell[me] = false;
        if
        :: word -> break
        :: GIVES_UP(word) ->
            atomic {
                failed = true;
                if
                :: m != NOT_BROKEN && (IN_FRONT || SOMEBODY) -> broken = 1
                :: else
                fi
            };
            break
        :: else
        fi;
        (bell[me] || (MORTAL && word) || GIVES_UP(word))
    od
}

inline clear() { next[me] = 0; go[me] = 0 }

/* mpi_rma_queue_enter */
inline take()
{
    anybody = false;
    if :: m == CLEARED_LATE || m == NOT_CLEARED :: else -> clear() fi;
    atomic { front = tail; tail = me + 1; place = drawn; drawn++ };
    may_end();
    if :: m == CLEARED_LATE -> clear() :: else fi;
    if
    :: front && m != NO_WAIT ->
        front--;
        if :: m == NOT_SAID :: else -> atomic { next[front] = me + 1; ring(front) } fi;
        may_end();
        wait_for(go[me])
    :: else
    fi
}

/* mpi_rma_queue_try */
inline try()
{
    clear();
    atomic {
        got = !tail || m == TRY_STORES;
        if :: got -> tail = me + 1; place = drawn; drawn++ :: else fi
    }
}

/* mpi_rma_queue_leave */
inline leave()
{
    count = next[me];
    if
    :: !count ->
        atomic {
            got = tail == me + 1 || m == GOES_BLIND;
            if :: got -> tail = 0 :: else fi
        };
        if
        :: !got && m != GOES_ALONE ->
            anybody = true;
            wait_for(next[me]);
            anybody = false;
            count = next[me]
        :: else
        fi
    :: else
    fi;
    may_end();
    if
    :: count && !failed && m != NOT_TOLD -> atomic { go[count - 1] = 1; ring(count - 1) }
    :: else
    fi
}

/* It is this rank's turn: nobody is passed. */
inline turn_begins() { assert(place == served); served++ }

inline has_it_alone()
{
    atomic { assert(!alone && !shared); alone++ };
    may_end();
    alone--
}

/* wait_for_readers, wait_for_last */
inline wait_for_readers()
{
    atomic { turn_begins(); count = readers; assert(!writer) };
    if
    :: count && m != NO_DRAIN ->
        if :: m == DRAINED_LATE :: else -> drained[me] = false fi;
        atomic { count = readers; writer = me + 1 };
        if :: m == DRAINED_LATE -> drained[me] = false :: else fi;
        if :: count -> wait_for(drained[me]) :: else fi;
        if :: m == KEEPS_NAME :: else -> writer = 0 fi
    :: else
    fi
}

inline share()
{
    if :: m == COUNTS_LATE -> leave() :: else fi;
    atomic { turn_begins(); readers++ };
    if :: m == COUNTS_LATE :: else -> leave() fi;
    atomic { assert(!alone); shared++ };
    atomic { shared--; count = readers; front = writer; readers-- };
    if
    :: count == 1 && front && m != LAST_SILENT ->
        atomic { drained[front - 1] = true; ring(front - 1) }
    :: else
    fi
}

inline use_alone() { wait_for_readers(); has_it_alone(); leave() }

proctype rank(byte me; byte m)
{
    byte front, place, count, round;
    bool anybody, got, failed;

    do
    :: round == ROUNDS -> break
    :: else ->
        round++;
        if
        :: take(); if :: failed :: else -> use_alone() fi
        :: SHARING -> take(); share()
        :: !SHARING -> try(); if :: got -> use_alone() :: else fi
        fi;
        atomic { assert(!failed || any_ended); failed = false }
    od;
gone:
    skip
}

init
{
    byte m, i;
    atomic {
        c_code { Pinit->m = mutant(); };
        for (i : 0 .. RANKS - 1) { run rank(i, m) }
    }
}
