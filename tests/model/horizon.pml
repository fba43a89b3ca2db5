/* Promises, horizons and turns of the model clock (nicemu/time/governor.c; model/engine.c publish,
 * nic_model_wait_until_safe; model/send.c put).
 *
 * Three ranks on two cores have some events each; who handles one may send a packet, which is an
 * event of its receiver a link's latency later.  No packet may arrive at or before a time that its
 * receiver has handled, and as long as there are events somebody goes on.  All that has the
 * governor's lock is one step.  A rank promises no packet before its next event and a latency; who
 * is looked at first among those asleep is said by `turn`. */
#define NO_PROMISE 1        /* mutant: a packet leaves its receiver's promise as it is */
#define NO_TURN 2           /* mutant: a packet leaves its receiver's turn as it is */
#define NO_NEXT 3           /* mutant: a packet leaves what its receiver does next as it is */
#define NO_SHORTER 4        /* mutant: who sends goes on as far as before */
#define EQUAL 5             /* mutant: an event at the horizon itself is handled */
#define AWAKE_STILL 6       /* mutant: who falls asleep looks for others before it is; one core */
#define UNSAFE 7            /* mutant: the first in turn is woken, safe or not, and goes on */
#define LAST_FIRST 8        /* mutant: the last in turn is looked at in place of the first */
#define ONE_CORE 20         /* variant: one core */
#define A_CORE_EACH 21      /* variant: a core each; turns by what ranks do next */

#define RANKS 3
#define LATENCY 2
#define TIMES 6
#define NEVER 100
/* Nothing is sent that would arrive at TIMES or later. */

byte events[RANKS];         /* bit t: one at time t */
byte promise[RANKS], horizon[RANKS], next[RANKS], turn[RANKS];
byte handled[RANKS];        /* 1 + the time of the newest that has been */
bool asleep[RANKS], pushed[RANKS];
byte awake, cores;
bool stands;

hidden byte k, a, first, least, who;    /* of one step */

#define IS(x) (m == x)

inline find_next(r)
{
    atomic {
        t = 0;
        do
        :: t < TIMES && !(events[r] & (1 << t)) -> t++
        :: else -> break
        od;
        if :: t == TIMES -> t = NEVER :: else fi
    }
}

inline find_first()
{
    atomic {
        first = NEVER; k = 0;
        do
        :: k < RANKS -> if :: promise[k] < first -> first = promise[k] :: else fi; k++
        :: else -> break
        od
    }
}

inline set_turn(r)
{
    if
    :: IS(A_CORE_EACH) -> turn[r] = next[r]
    :: else -> turn[r] = promise[r]
    fi
}

inline wake_safe()
{
    atomic {
        find_first();
        stands = stands || first == NEVER;
        do
        :: awake < cores ->
            least = NEVER; who = RANKS; k = 0;
            do
            :: k < RANKS ->
                if
                :: asleep[k] && turn[k] < NEVER && (who == RANKS ||
                   (IS(LAST_FIRST) -> turn[k] > least : turn[k] < least)) ->
                    least = turn[k]; who = k
                :: else
                fi;
                k++
            :: else -> break
            od;
            if
            :: who < RANKS && (next[who] < first || IS(UNSAFE)) ->
                asleep[who] = false; pushed[who] = IS(UNSAFE); awake++
            :: else -> break
            fi
        :: else -> break
        od
    }
}

inline publish()
{
    find_next(me);
    promise[me] = (t == NEVER -> NEVER : t + LATENCY);
    horizon[me] = NEVER; k = 0;
    do
    :: k < RANKS ->
        if :: k != me && promise[k] < horizon[me] -> horizon[me] = promise[k] :: else fi;
        k++
    :: else -> break
    od
}

/* At t, for which it arrives a latency later. */
inline send(to)
{
    atomic {
        a = t + LATENCY;
        assert(a >= handled[to]);
        events[to] = events[to] | (1 << a);
        if :: a + LATENCY < promise[to] && !IS(NO_PROMISE) -> promise[to] = a + LATENCY :: else fi;
        if
        :: asleep[to] ->
            if :: a < next[to] && !IS(NO_NEXT) -> next[to] = a :: else fi;
            if :: !IS(NO_TURN) -> set_turn(to) :: else fi
        :: else
        fi;
        if
        :: a + LATENCY < horizon[me] && !IS(NO_SHORTER) -> horizon[me] = a + LATENCY
        :: else
        fi;
        wake_safe()
    }
}

proctype rank(byte me; byte m)
{
    byte t;
    do
    :: stands -> break
    :: else ->
        atomic {
            find_next(me);
            if
            :: t < horizon[me] || (t < NEVER && (pushed[me] || (IS(EQUAL) && t == horizon[me]))) ->
                pushed[me] = false;
                events[me] = events[me] & ~(1 << t);
                handled[me] = t + 1
            :: else ->
                publish();
                if
                :: t >= horizon[me] ->
                    next[me] = t;
                    if :: IS(AWAKE_STILL) -> wake_safe() :: else fi;
                    set_turn(me);
                    asleep[me] = true; awake--;
                    if :: !IS(AWAKE_STILL) -> wake_safe() :: else fi
                :: else -> wake_safe()
                fi;
                t = NEVER
            fi
        };
        if
        :: asleep[me] -> (!asleep[me] || stands)
        :: else
        fi;
        if
        :: t + LATENCY < TIMES -> send((me + 1) % RANKS)
        :: t + LATENCY < TIMES -> send((me + 2) % RANKS)
        :: true
        fi;
        if  /* it may tell the others, and go on */
        :: t < NEVER -> atomic { publish(); wake_safe() }
        :: true
        fi;
        t = 0
    od
}

init {
    byte m;
    atomic {
        c_code { Pinit->m = mutant(); };
        cores = (m == ONE_CORE || m == AWAKE_STILL -> 1 : (m == A_CORE_EACH -> RANKS : 2));
        events[0] = 1 + 32; events[1] = 2;
        promise[0] = LATENCY; promise[1] = LATENCY; promise[2] = LATENCY;
        awake = RANKS;      /* as all are that have just opened, more than cores or not */
        run rank(0, m); run rank(1, m); run rank(2, m)
    }
}
