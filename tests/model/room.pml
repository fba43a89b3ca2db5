/* Room in an inbox that was full (nicemu/core/room.c nic_room_ask, nic_room_tell_some; core/room.h
 * nic_room_tell; nicemu/core/wait.c park, rest).
 *
 * Three senders share an inbox of one packet.  Who finds it full asks its owner to be rung, and
 * sleeps.  The owner takes what is there; when that is nothing it rings one of those who have
 * asked, as long as it knows of any, and sleeps until something comes.  Nobody may sleep for ever,
 * though in the code a nap ends by itself.
 *
 * Weak memory: the lines that the owner gives back sit in its store buffer while it looks for the
 * bit.  membarrier waits until that buffer has been empty once. */
#define NO_FENCE 1          /* mutant: no membarrier */
#define NO_LOOK 2           /* mutant: who asks does not look at the inbox once more */
#define BIT_LATE 3          /* mutant: the bit is set behind that look */
#define MARK_LATE 4         /* mutant: the owner sees the bit before whose it is */
#define CLEAR_LATE 5        /* mutant: the bit is cleared behind the looks for who has set it */
#define NOT_AGAIN 6         /* mutant: the owner forgets those that it has not rung */
#define SEEN_LATE 7         /* mutant: the doorbell is read behind the last look */
#define RINGS_FIRST 8       /* mutant: the owner looks for the bit before it gives lines back */

#define SENDERS 3
#define ROOM (tail == head)

byte tail, head, stored;        /* head: as others see it; stored: as its owner does */
bool wanted, wants[SENDERS], asleep[SENDERS];
bool rung[SENDERS];             /* the doorbell has moved since the sleeper read it */

inline ask()
{
    if :: m == MARK_LATE -> wanted = true :: else fi;
    wants[me] = true;
    if :: m == BIT_LATE || m == MARK_LATE :: else -> wanted = true fi
}

inline nap()
{
    if :: m == SEEN_LATE :: else -> rung[me] = false fi;
    ask();
    if :: m == NO_FENCE :: else -> stored == head fi;
    if
    :: m != NO_LOOK && ROOM
    :: else ->
        if :: m == BIT_LATE -> wanted = true :: else fi;
        if :: m == SEEN_LATE -> rung[me] = false :: else fi;
        atomic { if :: !rung[me] -> asleep[me] = true :: else fi };
        !asleep[me]
    fi;
    wants[me] = false
}

proctype sender(byte me; byte m)
{
    bool in;
    do
    :: atomic {
            if
            :: ROOM -> tail++; in = true
            :: else -> in = false
            fi
        };
        if :: in -> break :: else -> nap() fi
    od
}

proctype store_buffer()
{
end: do
    :: atomic { stored != head -> head = stored }
    od
}

inline tell()
{
    do
    :: wanted ->
        if :: m == CLEAR_LATE :: else -> wanted = false fi;
        told = false;
        i = 0;
        do
        :: i == SENDERS || told -> break
        :: else ->
            last = (last + 1) % SENDERS;
            atomic { if :: wants[last] -> wants[last] = false; told = true :: else fi };
            if
            :: told ->
                atomic { rung[last] = true; asleep[last] = false };
                if :: m == NOT_AGAIN :: else -> wanted = true fi
            :: else
            fi;
            i++
        od;
        if :: m == CLEAR_LATE && !told -> wanted = false :: else fi
    :: else -> break
    od
}

proctype owner(byte m)
{
    byte i, last, taken;
    bool told;
    do
    :: taken == SENDERS -> break
    :: else ->
        if
        :: tail != stored ->
            if :: m == RINGS_FIRST -> tell() :: else fi;
            atomic { stored++; taken++ }
        :: else ->
            if :: m == RINGS_FIRST :: else -> tell() fi;
            tail != stored
        fi
    od
}

init
{
    byte m;
    atomic {
        c_code { Pinit->m = mutant(); };
        run owner(m);
        run store_buffer();
        run sender(0, m); run sender(1, m); run sender(2, m)
    }
}
