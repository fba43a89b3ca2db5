/* Who waits for a rank to come on in short collectives, and asks it to ring (lib/fw/shm_window.c
 * ask, is_asked, mpi_fw_shm_is_held_up; lib/fw/shm_area.c mpi_fw_shm_tell_done; nicemu/core/wait.c
 * park).
 *
 * One rank tells three times how far it has come.  Two others wait, one for the first of that, the
 * other for the last, and mark the same word; a mark is good for one ring.  Nobody may sleep for
 * ever.
 *
 * Weak memory: the store of `done` sits in the owner's store buffer while the owner goes on to look
 * at the marks.  membarrier waits until that buffer has been empty once; a locked instruction
 * empties the own one. */
#define NOT_HEARD 1         /* mutant: who waits does not look whether its mark is still there */
#define ANY_MARK 2          /* mutant: any rank's mark is taken for the own one */
#define NO_FENCE 3          /* mutant: no membarrier */
#define MARK_LATE 4         /* mutant: the mark is set behind the fence */
#define BIT_LATE 5          /* mutant: the bit of who sleeps is set behind the last look */
#define MARKS_FIRST 6       /* mutant: the owner looks for marks before it stores */
#define RINGS_ONE 7         /* mutant: one of those who wait is woken */

#define WAITERS 2
#define TELLS 3

byte done, stored;              /* what others see; what the owner has stored */
bool marked;
byte heard;
bool parked[WAITERS], asleep[WAITERS];
byte doorbell[WAITERS];

inline ring(w)
{
    if :: parked[w] -> atomic { doorbell[w]++; asleep[w] = false } :: else fi
}

inline look_for_marks()
{
    if
    :: marked -> atomic { done = stored; marked = false; heard++ };     /* locked */
        ring(0);
        if :: m == RINGS_ONE :: else -> ring(1) fi
    :: else
    fi
}

proctype owner(byte m)
{
    byte i;
    for (i : 1 .. TELLS) {
        if :: m == MARKS_FIRST -> look_for_marks() :: else fi;
        atomic { stored = i };
        if :: m == MARKS_FIRST :: else -> look_for_marks() fi
    }
}

proctype store_buffer()
{
end: do
    :: atomic { stored != done -> done = stored }
    od
}

#define IS_ASKED (m == NOT_HEARD || (m == ANY_MARK && marked) || (m != ANY_MARK && heard == mine))

proctype waiter(byte me; byte need; byte m)
{
    byte mine, seen;
    do
    :: done >= need -> break
    :: else ->
        if
        :: m == MARK_LATE
        :: else -> atomic { marked = true; mine = heard }
        fi;
        seen = doorbell[me];
        if :: m == BIT_LATE :: else -> parked[me] = true fi;
        if :: m == NO_FENCE :: else -> stored == done fi;
        if :: m == MARK_LATE -> atomic { marked = true; mine = heard } :: else fi;
        if
        :: IS_ASKED ->
            if
            :: done < need ->
                if :: m == BIT_LATE -> parked[me] = true :: else fi;
                atomic { if :: doorbell[me] == seen -> asleep[me] = true :: else fi };
                !asleep[me]
            :: else
            fi
        :: else
        fi;
        parked[me] = false
    od
}

init
{
    byte m;
    atomic {
        c_code { Pinit->m = mutant(); };
        run owner(m);
        run store_buffer();
        run waiter(0, 1, m);
        run waiter(1, TELLS, m)
    }
}
