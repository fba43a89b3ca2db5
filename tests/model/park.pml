/* Parking and the doorbell (nicemu/core/wait.c park, unpark; core/doorbell.c; core/notify.h
 * nic_ring_if_asleep; core/doorbell.h nic_wake_parked).
 *
 * Two senders send one packet each (or store a word and call nic_notify) to a NIC on which two host
 * threads wait, one for each; whichever has the baton takes in both.  No host may sleep for ever.
 *
 * Weak memory: a sender's publishing store sits in its store buffer while it goes on, and so do the
 * count of events and the baton that a leaving host gives back.  membarrier waits until the buffer
 * of each sender and of each host has been empty once; their own side is a compiler fence, which
 * costs nothing here either. */
#define NO_MEMBARRIER 1     /* mutant: the parking host fences only itself */
#define SEEN_LATE 2         /* mutant: the doorbell is read after the last look for work */
#define NO_LOOK 3           /* mutant: no look into the inbox after the bit is set */
#define NO_EVENTS 4         /* mutant: no look at what other hosts did */
#define NO_WAKE_FENCE 5 /* mutant: no membarrier, and no fence of a host that leaves */
#define BIT_LATE 6          /* mutant: the bit is set after the look */
#define NO_WAKE 7           /* mutant: a leaving host wakes nobody */
#define HOSTS_LEFT_OUT 9    /* mutant: membarrier waits for senders only */
#define NO_TIMEOUT 8 /* mutant: no membarrier, no fence at the sender, and no limit to the sleep */
#define FENCED 20           /* variant: no membarrier, senders use full fences */
#define TIMED 21 /* variant: no membarrier, no fence at the sender, sleep ends by itself */

#define HOSTS 2
#define NO_FENCES (m == NO_MEMBARRIER || m == TIMED || m == NO_TIMEOUT)
#define FULL_FENCES (m == FENCED || m == NO_WAKE_FENCE)

bool published[HOSTS];          /* lines of the inbox in the order of reservation */
byte destination[HOSTS];
byte reserved, consumed;
bool sending[HOSTS];            /* published, but still in the sender's store buffer */
byte line[HOSTS];
bool baton, parked_bit;
byte parked;
bool rung[HOSTS], moved[HOSTS]; /* doorbell, count of events: changed since this host read it */
bool leaving[HOSTS];            /* events and baton in the leaving host's store buffer */
bool done[HOSTS], asleep[HOSTS];

/* what comes are words, which a host sees when they are there, and not packets, whose reservation
 * it sees */
bool words;

#define READY (consumed < HOSTS && published[consumed])
#define COMING (READY || (!words && consumed < reserved))

inline note_events() { atomic { moved[0] = true; moved[1] = true } }

inline ring_host()
{
    atomic { rung[0] = true; rung[1] = true };
    atomic { asleep[0] = false; asleep[1] = false }
}

proctype sender(byte me; byte m)
{
    atomic { line[me] = reserved; destination[reserved] = me; reserved++ }
    sending[me] = true;
    if :: FULL_FENCES -> !sending[me] :: else fi;
    if :: parked_bit -> ring_host() :: else fi
}

proctype store_buffers(byte me)
{
end: do
    :: atomic { sending[me] -> published[line[me]] = true; sending[me] = false }
    :: leaving[me] -> note_events(); atomic { baton = false; leaving[me] = false }
    od
}

inline heavy_fence()
{
    if
    :: NO_FENCES || FULL_FENCES
    :: else ->
        !sending[0]; !sending[1];
        if :: m == HOSTS_LEFT_OUT :: else -> !leaving[0]; !leaving[1] fi
    fi
}

inline park()
{
    if :: m == SEEN_LATE :: else -> rung[me] = false fi;
    parked++;
    if :: m == BIT_LATE :: else -> parked_bit = true fi;
    heavy_fence();
    stay = true;
    if :: m == NO_LOOK :: else -> if :: COMING -> stay = false :: else fi fi;
    if :: m == NO_EVENTS :: else -> if :: moved[me] -> stay = false :: else fi fi;
    if :: m == SEEN_LATE -> rung[me] = false :: else fi;
    if :: m == BIT_LATE -> parked_bit = true :: else fi;
    if
    :: stay ->
        atomic { if :: !rung[me] -> asleep[me] = true :: else fi };
        if :: !asleep[me] :: m == TIMED -> asleep[me] = false fi
    :: else
    fi;
    stay = false;
    unpark()
}

inline unpark()
{
    atomic { last = (parked == 1); parked-- };
    if
    :: last ->
        parked_bit = false;
        if :: parked -> parked_bit = true; ring_host() :: else fi
    :: else
    fi;
    last = false
}

proctype host(byte me; byte m)
{
    bool stay, last, any;

    do
    :: atomic { !baton -> baton = true };
        any = false;
        do
        :: READY -> atomic { done[destination[consumed]] = true; consumed++; any = true }
        :: else -> break
        od;
        if
        :: done[me] -> break
        :: else ->
            if :: any -> note_events() :: else fi;
            any = false;
            moved[me] = false;
            baton = false;
            park()
        fi
    od;
    leaving[me] = true;
    if :: m == FENCED || NO_FENCES -> !leaving[me] :: else fi;
    if :: m == NO_WAKE :: else -> if :: parked -> ring_host() :: else fi fi
}

init
{
    byte m, i;
    atomic {
        c_code { Pinit->m = mutant(); };
        if :: words = true :: words = false fi;
        for (i : 0 .. HOSTS - 1) { run sender(i, m); run host(i, m); run store_buffers(i) }
    }
}
