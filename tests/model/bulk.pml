/* Elements by instructions, and in bulk (lib/rma/bulk.h, bulk.c).
 *
 * Each of three threads changes a target's elements some times, few or many of them.  Nobody
 * changes few by instructions while somebody runs loops over them, and everybody comes to an end.
 *
 * Weak memory: what a rank stores into its `inside` waits in its store buffer while it looks at
 * `bulk`; membarrier waits until each buffer has been empty once.  All other words change under
 * `busy`, or by atomic operations. */
#define NO_MEMBARRIER 1     /* mutant: who shuts fences only itself */
#define NO_LOOK 2           /* mutant: who has few does not look at `bulk` */
#define LOOK_FIRST 3        /* mutant: it looks before it says that it is inside */
#define NO_WAIT 4           /* mutant: who shuts does not wait for those inside */
#define WAIT_FIRST 5        /* mutant: it waits before it says `bulk` */
#define OPEN_OUTSIDE 6      /* mutant: `bulk` becomes 0 behind the end of `busy` */
#define NOT_COUNTED 7       /* mutant: threads of a rank set `inside`, and do not count */
#define OUT_EARLY 8         /* mutant: outside before the change is done */
#define NO_WORD 9           /* mutant: few in bulk do without `busy` */
#define FULL_FENCES 20      /* variant: `inside` by atomic operations, and no membarrier */
#define ONE_RANK 21         /* variant: the same, and all are threads of one rank */

#define THREADS 3
#define TIMES 2
#define FEW TIMES           /* in a row, then `bulk` becomes 0 */

#define FENCED (m == FULL_FENCES || m == ONE_RANK || m == NOT_COUNTED)

byte inside[THREADS];
chan stores[THREADS] = [2] of { byte };         /* into `inside`, on their way */
bool bulk, busy, looping;
byte few, by_instructions;

proctype store_buffer(byte me)
{
    byte value;
end: do
    :: atomic { len(stores[me]) > 0 -> stores[me]?value; inside[me] = value }
    od
}

inline go_inside()
{
    if
    :: m == NOT_COUNTED -> inside[0] = 1
    :: FENCED && m != NOT_COUNTED -> inside[rank]++
    :: !FENCED -> stores[rank]!1
    fi
}

inline go_outside()
{
    if
    :: m == NOT_COUNTED -> inside[0] = 0
    :: FENCED && m != NOT_COUNTED -> inside[rank]--
    :: !FENCED -> stores[rank]!0
    fi
}

inline take_busy() { atomic { !busy -> busy = true } }

inline change_by_instructions()
{
    by_instructions++;
    assert(!looping);
    by_instructions--
}

inline change_few()
{
    if
    :: m == LOOK_FIRST -> shut = bulk; go_inside()
    :: m == NO_LOOK -> go_inside(); shut = false
    :: else -> go_inside(); shut = bulk
    fi;
    if
    :: !shut && m == OUT_EARLY -> go_outside(); change_by_instructions()
    :: !shut && m != OUT_EARLY -> change_by_instructions(); go_outside()
    :: shut ->
        go_outside();
        if :: m == NO_WORD :: else -> take_busy() fi;
        change_by_instructions();
        few++;
        opens = few >= FEW;
        if :: opens && m != OPEN_OUTSIDE -> bulk = false :: else fi;
        if :: m == NO_WORD :: else -> busy = false fi;
        if :: opens && m == OPEN_OUTSIDE -> bulk = false :: else fi
    fi
}

inline wait_outside()
{
    for (i : 0 .. THREADS - 1) { inside[i] == 0 }
}

inline change_many()
{
    take_busy();
    if
    :: !bulk ->
        if :: m == WAIT_FIRST -> wait_outside() :: else fi;
        bulk = true;
        if
        :: m == NO_MEMBARRIER || FENCED
        :: else -> for (i : 0 .. THREADS - 1) { len(stores[i]) == 0 }
        fi;
        if :: m == WAIT_FIRST || m == NO_WAIT :: else -> wait_outside() fi
    :: else
    fi;
    few = 0;
    looping = true;
    assert(by_instructions == 0);
    looping = false;
    busy = false
}

proctype thread(byte me; byte m)
{
    byte times, i, rank;
    bool shut, opens;

    rank = (m == ONE_RANK || m == NOT_COUNTED -> 0 : me);
    for (times : 1 .. TIMES) {
        if
        :: change_few()
        :: change_many()
        fi
    }
}

init
{
    byte m, i;
    atomic {
        c_code { Pinit->m = mutant(); };
        for (i : 0 .. THREADS - 1) { run thread(i, m); run store_buffer(i) }
    }
}
