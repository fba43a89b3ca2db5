/* Promises, horizons and turns of the model clock (nicemu/time/governor.c; model/engine.c publish,
 * nic_model_wait_until_safe; model/send.c put).
 *
 * Three ranks on two cores, or in two groups with a core each, have some events each; who handles
 * one may send a packet, which is an event of its receiver a link's latency later.  No packet may
 * arrive at or before a time that its receiver has handled, and as long as there are events
 * somebody goes on.  All that has the governor's lock is one step.  A rank promises no packet
 * before its next event and a latency; who is looked at first among those asleep is said by
 * `turn`. */
#define NO_PROMISE 1        /* mutant: a packet leaves its receiver's promise as it is */
#define NO_TURN 2           /* mutant: a packet leaves its receiver's turn as it is */
#define NO_NEXT 3           /* mutant: a packet leaves what its receiver does next as it is */
#define NO_SHORTER 4        /* mutant: who sends goes on as far as before */
#define EQUAL 5             /* mutant: an event at the horizon itself is handled */
#define AWAKE_STILL 6       /* mutant: who falls asleep looks for others before it is; one core */
#define UNSAFE 7            /* mutant: the first in turn is woken, safe or not, and goes on */
#define LAST_FIRST 8        /* mutant: the last in turn is looked at in place of the first */
#define STRANGERS 9         /* mutant: only promises of the own group count; two groups */
#define LEFT_ALONE 10       /* mutant: a watcher that was woken sleeps again at once; two groups */
#define ONE_CORE 20         /* variant: one core */
#define A_CORE_EACH 21      /* variant: a core each; turns by what ranks do next */
#define GROUPS 22           /* variant: two groups, one of each awake; the last to sleep watches */

#define RANKS 3
#define LATENCY 2
#define TIMES 6
#define NEVER 100
/* Nothing is sent that would arrive at TIMES or later. */

byte events[RANKS];         /* bit t: one at time t */
byte promise[RANKS], horizon[RANKS], next[RANKS], turn[RANKS];
byte handled[RANKS];        /* 1 + the time of the newest that has been */
bool asleep[RANKS], pushed[RANKS], sent_for[RANKS];
byte awake[2], cores, groups;   /* awake, watcher: of each group; cores: for each */
byte watcher[2];                /* 1 + its rank */
bool stands;

hidden byte k, a, first, least, who, team;  /* of one step */

#define IS(x) (m == x)
#define IN_GROUPS (IS(GROUPS) || IS(STRANGERS) || IS(LEFT_ALONE))
#define GROUP(r) (IN_GROUPS && r == 2 -> 1 : 0)

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

/* A watcher goes in place of the first in turn. */
inline wake_group()
{
    do
    :: awake[team] < cores ->
        least = NEVER; who = RANKS; k = 0;
        do
        :: k < RANKS ->
            if
            :: asleep[k] && GROUP(k) == team && turn[k] < NEVER && (who == RANKS ||
               (IS(LAST_FIRST) -> turn[k] > least : turn[k] < least)) ->
                least = turn[k]; who = k
            :: else
            fi;
            k++
        :: else -> break
        od;
        if
        :: who < RANKS && (next[who] < first || IS(UNSAFE)) ->
            if
            :: watcher[team] && asleep[watcher[team] - 1] ->
                who = watcher[team] - 1; sent_for[who] = true
            :: else
            fi;
            asleep[who] = false; pushed[who] = IS(UNSAFE); awake[team]++
        :: else -> break
        fi
    :: else -> break
    od
}

inline wake_safe()
{
    atomic {
        find_first();
        stands = stands || first == NEVER;
        team = 0;
        do
        :: team < groups -> wake_group(); team++
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
        if :: k != me && promise[k] < horizon[me] &&
              (!IS(STRANGERS) || GROUP(k) == GROUP(me)) -> horizon[me] = promise[k] :: else fi;
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
                    asleep[me] = true; awake[GROUP(me)]--; watcher[GROUP(me)] = 0;
                    if
                    :: !IS(AWAKE_STILL) && !(IS(LEFT_ALONE) && sent_for[me]) -> wake_safe()
                    :: else
                    fi;
                    sent_for[me] = false;
                    if      /* or it has given up already */
                    :: IN_GROUPS && asleep[me] && !awake[GROUP(me)] -> watcher[GROUP(me)] = me + 1
                    :: true
                    fi
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
        groups = (IN_GROUPS -> 2 : 1);
        cores = (m == ONE_CORE || m == AWAKE_STILL || IN_GROUPS -> 1 :
                 (m == A_CORE_EACH -> RANKS : 2));
        events[0] = 1 + 32; events[1] = 2;
        promise[0] = LATENCY; promise[1] = LATENCY; promise[2] = LATENCY;
        /* as all are that have just opened, more than cores or not */
        awake[0] = (IN_GROUPS -> 2 : RANKS); awake[1] = (IN_GROUPS -> 1 : 0);
        run rank(0, m); run rank(1, m); run rank(2, m)
    }
}
