/* Locks by numbered turns (lib/rma/turns.c), who shares them (lib/rma/lock.c), and what a rank that
 * ends leaves behind (lib/rma/waiter.c).
 *
 * Ranks take one lock, some of them twice, alone, shared, or if nobody has it.  Those who have it
 * exclude each other, come in the order in which they put their names into the tail, but for those
 * who share it at once, and nobody sleeps for ever.  Numbers have 3 bits, so that they pass their
 * end, and a word `next` may be as old as can be.
 *
 * Weak memory: `done` sits in the store buffer of who goes, unless it is stored sequentially
 * consistently.  Atomic operations empty the buffer.  Sleeping is a bell that the one who waits
 * clears before its last look (park.pml has what stands behind it). */
#define DONE_LATE 1     /* mutant: done is only released, next is looked at before it is seen */
#define NO_WAKE 2       /* mutant: who goes wakes nobody */
#define NOT_ASKED 3     /* mutant: who waits sleeps without its name in next */
#define ASKED_LATE 4    /* mutant: the last look is in front of the name */
#define BY_NUMBER 5     /* mutant: a word next that seems to be later is left as it is */
#define OVER_LATER 6    /* mutant: the name goes over one that waits for a later turn */
#define NO_WAIT 7       /* mutant: who comes does not wait */
#define TRY_BLIND 8     /* mutant: who tries does not look whether the turn in front is over */
#define TRY_STORES 9    /* mutant: who tries stores the tail as if it were still the same */
#define SAME_NUMBER 10  /* mutant: a turn has the number of the one before */
#define COUNTS_LATE 11  /* mutant: who shares leaves the queue before it is counted */
#define NO_DRAIN 12     /* mutant: who wants it alone does not wait for those who share */
#define DRAINED_LATE 13 /* mutant: drained is cleared behind the name in readers */
#define KEEPS_NAME 14   /* mutant: who was told leaves its name in readers */
#define NOT_TOLD 15     /* mutant: the last who shares tells nobody */
#define NOT_BROKEN 16   /* mutant: who finds the end of a rank keeps it to itself */
#define NO_LOOK 17      /* mutant: nobody looks whether a rank has ended */
#define SELF_IS_WRONG 18 /* mutant: its own turn in front is a mistake, whatever has ended */
#define TAIL_FIRST 22   /* mutant: who shares it at once counts itself behind its look */
#define QUIET_OUT 23    /* mutant: who could not share it at once tells nobody that it has gone */
#define NOT_AGAIN 24    /* mutant: who was told does not look whether all have gone */
#define CLEARED_LATE 25 /* mutant: who was told clears drained behind its look */
#define PASSES 26       /* mutant: who shares it at once does not look at the tail */
#define BREAKS 20       /* variant: a rank may end anywhere, as of MPIX_Lock_acquire */
#define SHARES 21       /* variant: those who share it, and who want it alone */
#define AGAIN 27        /* variant: the same, twice */
/* packed: 15 million states of AGAIN, 1.6 GB as they are */

#define RANKS 3
#define ROUNDS ((me == 0 && !SHARING) || (me < 2 && ROLES) -> 2 : 1)
#define MORTAL (m == BREAKS || m == NOT_BROKEN || m == NO_LOOK || m == SELF_IS_WRONG)
#define SHARING (m == SHARES || (m >= COUNTS_LATE && m <= NOT_TOLD) || m >= TAIL_FIRST)

#define ROLES (m == AGAIN || m == NOT_AGAIN)    /* rank 0 alone, the others shared */
#define MAY_SHARE (SHARING && !(ROLES && me == 0))
#define MAY_BE_ALONE (!ROLES || me == 0)

typedef word { byte name; byte number };

word tail, next[RANKS];
byte done[RANKS];
bool late[RANKS];               /* the new `done` is in the store buffer */
byte readers, writer;
bool drained[RANKS], bell[RANKS];
bool ended[RANKS], any_ended;
byte broken;

byte alone, shared;             /* who has it */
byte drawn, served;             /* places in the order of coming */

#define LATER(a, b) (((a - b) & 7) < 4)         /* a is not before b */
#define OVER LATER(done[front], number)
#define MY_NUMBER ((done[me] + (m == SAME_NUMBER -> 0 : 1)) & 7)

inline notify(rank) { bell[rank] = true }

inline empty_buffer()
{
    if :: late[me] -> done[me] = (done[me] + 1) & 7; late[me] = false :: else fi
}

proctype store_buffer(byte me)
{
end: do
    :: atomic { late[me] -> done[me] = (done[me] + 1) & 7; late[me] = false }
    od
}

/* The rank ends here, or not. */
inline may_end()
{
    if
    :: atomic { MORTAL && !any_ended -> ended[me] = true; any_ended = true }; goto gone
    :: true
    fi
}

/* ask_to_be_woken */
inline ask()
{
    do
    :: atomic { seen.name = next[front].name; seen.number = next[front].number };
        if
        :: m == BY_NUMBER && seen.name && LATER(seen.number, number) -> break
        :: m != BY_NUMBER && m != OVER_LATER && OVER -> break
        :: else
        fi;
        atomic {
            if
            :: next[front].name == seen.name && next[front].number == seen.number ->
                next[front].name = me + 1; next[front].number = number; break
            :: else
            fi
        }
    od
}

#define GIVES_UP (MORTAL && m != NO_LOOK && !OVER && (ended[front] || broken))

/* wait_behind, of one that is slow; a rank whose lock can break wakes by itself to look. */
inline wait_behind()
{
    if :: m == NOT_ASKED || m == ASKED_LATE :: else -> ask() fi;
    do
    :: bell[me] = false;
        if
        :: OVER -> break
        :: GIVES_UP ->
            failed = true;
            if :: ended[front] && m != NOT_BROKEN -> broken = front + 1 :: else fi;
            break
        :: else
        fi;
        if :: m == ASKED_LATE -> ask() :: else fi;
        (bell[me] || (MORTAL && OVER) || GIVES_UP)
    od
}

inline take()
{
    atomic {
        empty_buffer();
        front = tail.name; number = tail.number;
        tail.name = me + 1; tail.number = MY_NUMBER;
        place = drawn; drawn++;
        if
        :: front -> front--; any = true;
            assert(LATER((done[front] + 1) & 7, number) || m == SAME_NUMBER)
        :: else -> any = false
        fi
    };
    may_end();
    if
    :: any ->
        if
        :: front == me && number == MY_NUMBER && m != SAME_NUMBER ->
            failed = true;
            assert(MORTAL && any_ended && broken && m != SELF_IS_WRONG)
        :: m == NO_WAIT || OVER
        :: m != NO_WAIT && !(front == me && number == MY_NUMBER) -> wait_behind()
        fi
    :: else
    fi
}

inline try()
{
    atomic { front = tail.name; number = tail.number };
    got = true;
    if
    :: front && m != TRY_BLIND ->
        assert(LATER((done[front - 1] + 1) & 7, number));
        if :: LATER(done[front - 1], number) :: else -> got = false fi
    :: else
    fi;
    if
    :: got ->
        atomic {
            empty_buffer();
            if
            :: (tail.name == front && tail.number == number) || m == TRY_STORES ->
                tail.name = me + 1; tail.number = MY_NUMBER;
                place = drawn; drawn++
            :: else -> got = false
            fi
        }
    :: else
    fi
}

inline leave()
{
    atomic {
        number = MY_NUMBER;
        if
        :: m == DONE_LATE -> late[me] = true
        :: else -> done[me] = number
        fi
    };
    may_end();
    atomic { seen.name = next[me].name; seen.number = next[me].number };
    if
    :: seen.name && seen.number == number && m != NO_WAKE -> notify(seen.name - 1)
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
        if
        :: count ->
            do
            :: drained[me] ->
                if :: m == CLEARED_LATE :: else -> drained[me] = false fi;
                count = readers;
                if :: m == CLEARED_LATE -> drained[me] = false :: else fi;
                if :: !count || m == NOT_AGAIN -> break :: else fi
            :: else -> bell[me] = false; if :: drained[me] :: else -> bell[me] fi
            od
        :: else
        fi;
        if :: m == KEEPS_NAME :: else -> writer = 0 fi
    :: else
    fi
}

inline share()
{
    if :: m == COUNTS_LATE -> leave() :: else fi;
    atomic { turn_begins(); readers++ };
    if :: m == COUNTS_LATE :: else -> leave() fi;
    has_it_shared()
}

inline has_it_shared()
{
    atomic { assert(!alone); shared++ };
    shared--;
    unlock_shared();
    if
    :: count == 1 && front && m != NOT_TOLD -> drained[front - 1] = true; notify(front - 1)
    :: else
    fi
}

inline unlock_shared() { atomic { count = readers; front = writer; readers-- } }

inline look_at_tail()
{
    atomic { front = tail.name; number = tail.number };
    got = true;
    if
    :: front && m != PASSES ->
        assert(LATER((done[front - 1] + 1) & 7, number));
        if :: LATER(done[front - 1], number) :: else -> got = false fi
    :: else
    fi
}

/* share_at_once */
inline share_at_once()
{
    if :: m == TAIL_FIRST -> look_at_tail() :: else fi;
    readers++;
    if :: m == TAIL_FIRST :: else -> look_at_tail() fi;
    if
    :: got -> has_it_shared()
    :: else ->
        unlock_shared();
        if
        :: count == 1 && front && m != QUIET_OUT -> drained[front - 1] = true; notify(front - 1)
        :: else
        fi
    fi
}

proctype rank(byte me; byte m)
{
    byte front, number, place, count, round;
    word seen;
    bool any, got, failed;

    do
    :: round == ROUNDS -> break
    :: else ->
        round++;
        if
        :: MAY_BE_ALONE -> take();
            if
            :: failed -> atomic { failed = false; assert(any_ended) }
            :: else ->
                wait_for_readers();
                has_it_alone();
                leave()
            fi
        :: MAY_SHARE ->
            share_at_once();
            if :: got :: else -> take(); share() fi
        :: !SHARING ->
            try();
            if
            :: got ->
                wait_for_readers();
                has_it_alone();
                leave()
            :: else
            fi
        fi
    od;
gone:
    skip
}

/* Numbers begin where they soon pass their end; somebody was woken long ago, or nobody. */
init
{
    byte m, i;
    atomic {
        c_code { Pinit->m = mutant(); };
        for (i : 0 .. RANKS - 1) {
            done[i] = 6;
            run rank(i, m);
            if :: m == DONE_LATE -> run store_buffer(i) :: else fi
        }
        next[0].name = 2; next[0].number = 1
    }
}
