/* A host that goes away while service is due hands over to the NIC thread (nicemu/core/host.c
 * hand_over, depart; core/thread.c serve_while_away, sleep_until_rung; core/notify.h
 * nic_ring_if_asleep with service; core/wait.c attend).
 *
 * Packets that need service come while a host is inside, leaves, comes back, and in the end stays
 * away.  A host may say that it is about to enter, as it does while it yields in a wait, and then
 * the thread leaves everything to it.
 * The thread may stand back for a while first: then a leaving host sets no bit.
 * When all is quiet no packet is left and everybody asleep.  The baton itself is an atomic lock
 * here: baton.pml is about that.
 *
 * Weak memory: a sender's publishing store sits in its store buffer while it goes on, unless a
 * fence waits for it. */
#define NO_SENDER_FENCE 1 /* mutant: the sender looks at the bit before its packet is visible */
#define WORK_SEEN_INSIDE 2 /* mutant: a leaving host looks for work before it gives the baton */
#define NO_DEPARTURES 3 /* mutant: the thread does not compare departures before it sleeps */
#define DEPART_INSIDE 4         /* mutant: the departure is counted before the baton is back */
#define NO_HOST_ARM 5           /* mutant: a leaving host does not set the bit */
#define SEEN_LATE 6             /* mutant: the thread reads the doorbell after it has served */
#define NO_LOOK 7 /* mutant: the thread does not look into the inbox after it has set the bit */
#define NO_ARM 8                /* mutant: a thread that has served does not set the bit */
#define ASLEEP_LATE 9 /* mutant: the thread says that it sleeps after it has compared departures */
#define NO_DEPART_RING 10       /* mutant: a leaving host does not ring */
#define WANTS_EARLY 11 /* mutant: the thread looks for hosts that enter before departures */
#define WANTS_LONG 12 /* mutant: a host says until it has left that it is about to enter */
#define NO_RING_UNARMED 13 /* mutant: a host that has not set the bit rings for work only */
#define BACK_FOR_LONG 14 /* variant: the thread says that it stands back until it has slept */

#define PACKETS 2
#define EPISODES 2

/* rung: the doorbell has moved since the thread read it */
bool baton, armed, armed_bit, thread_asleep, futex_asleep, rung;
/* due, that is: else nobody minds a packet */
bool service;
/* left: a host has left since the thread read departures */
bool sending[PACKETS], left;
/* a host is about to enter */
bool wants;
bool stands_back;
byte published, consumed;

#define READY (published != consumed)

inline ring_thread()
{
    rung = true;
    futex_asleep = false
}

proctype sender(byte me; byte m)
{
    sending[me] = true;
    if :: m == NO_SENDER_FENCE :: else -> !sending[me] fi;
    if :: armed_bit -> ring_thread() :: else fi
}

proctype store_buffer(byte me)
{
end: do :: atomic { sending[me] -> published++; sending[me] = false } od
}

inline arm()
{
    if :: !armed -> armed = true; armed_bit = true :: else fi
}

/* What a leaving host does, unless the thread stands back. */
inline arm_unless_back()
{
    if :: !armed && !stands_back -> arm() :: else fi
}

/* After the baton is back. */
inline depart()
{
    if :: m == DEPART_INSIDE :: else -> left = true fi;
    if
    :: thread_asleep && m != NO_DEPART_RING ->
        if :: m == WORK_SEEN_INSIDE :: READY && m != WORK_SEEN_INSIDE -> work = true :: else fi;
        if :: work -> ring_thread() :: else fi
    :: else
    fi
}

/* The flag is another one than that of who is about to enter, and read along with it. */
inline yield_once()
{
    wants = true;
    baton = false;
    atomic { !baton -> baton = true };
    wants = false;
    if :: armed -> armed = false; armed_bit = false :: else fi;
    if :: READY -> consumed++ :: else fi
}

proctype host(byte m)
{
    byte episodes;
    bool work, away;

    do
    :: episodes == EPISODES -> break
    :: else ->
        if :: wants = true :: true fi;
        atomic { !baton -> baton = true };
        if :: m == WANTS_LONG :: else -> wants = false fi;
        if
        /* it waits for something: attends and steps, and may yield meanwhile and step once more */
        :: if :: armed -> armed = false; armed_bit = false :: else fi;
            if :: READY -> consumed++ :: else fi;
            if :: yield_once() :: true fi
        /* it starts a request and goes */
        :: true
        fi;
        if :: service = true :: service = false fi;
        away = service;
        if
        :: away ->
            if :: m == NO_HOST_ARM :: else -> arm_unless_back() fi;
            work = READY || (!armed && m != NO_RING_UNARMED && m != NO_HOST_ARM);
            if :: m == DEPART_INSIDE -> left = true :: else fi
        :: else
        fi;
        baton = false;
        if :: away -> depart() :: else fi;
        if :: m == WANTS_LONG -> wants = false :: else fi;
        work = false;
        episodes++
    od
}

inline sleep()
{
    if :: m == ASLEEP_LATE :: else -> thread_asleep = true fi;
    if
    :: !left || m == NO_DEPARTURES ->
        if :: m == ASLEEP_LATE -> thread_asleep = true :: else fi;
        atomic { if :: !rung -> futex_asleep = true :: else fi };
end:    !futex_asleep
    :: else
    fi;
    thread_asleep = false
}

proctype nic_thread(byte m)
{
    bool more, inside, enters;

    do
    :: rung = false;
        if :: stands_back = true :: true fi;
        if :: m == WANTS_EARLY -> enters = wants :: else fi;
        left = false;
        if :: m == BACK_FOR_LONG :: else -> stands_back = false fi;
        if :: m == WANTS_EARLY :: else -> enters = wants fi;
        atomic { inside = !baton && !enters; if :: inside -> baton = true :: else fi };
        if
        :: !inside -> sleep()
        :: else ->
            do
            :: READY -> consumed++; if :: service = true :: true fi
            :: else -> break
            od;
            if :: service && m != NO_ARM -> arm() :: else fi;
            more = READY && m != NO_LOOK;
            baton = false;
            if :: m == SEEN_LATE -> rung = false :: else fi;
            if :: more :: else -> sleep() fi
        fi;
        more = false;
        inside = false;
        enters = false;
        stands_back = false
    od
}

/* When all is quiet. */
proctype judge()
{
    timeout -> assert(consumed == PACKETS || !service)
}

init
{
    byte m, i;
    atomic {
        c_code { Pinit->m = mutant(); };
        for (i : 0 .. PACKETS - 1) { run sender(i, m); run store_buffer(i) }
        run host(m); run nic_thread(m); run judge()
    }
}
