/* Boots of a receiver (nicemu/reliable/incarnation.c, and who asks, model/flow_receive.c and
 * flow_send.c): it forgets the numbers of its sender's frames, over a wire that loses, doubles and
 * reorders frames and answers.  Of each frame its sender knows that an incarnation has been given
 * it, or that it has failed; each incarnation is given none twice, in order; and nobody waits for a
 * frame that its sender no longer has. */
#define ANY_COUNTS 1 /* mutant: an acknowledgment of any incarnation counts */
#define NO_BASE 2 /* mutant: frames do not say what is in front of them */
#define REFUSED_IS_ACKED 3 /* mutant: a frame that is refused counts as delivered */
#define NONE_FAIL 4 /* mutant: what is in front of the first frame does not fail */
#define NUMBERS_STAY 5 /* mutant: who boots takes what it has refused for delivered */

#define COUNT 3
#define WINDOW 2
#define BOOTS 1

int m;
byte got[COUNT];                        /* incarnations that have been given it */
bool failed[COUNT];
byte acked;                             /* all in front of it are delivered or failed */
chan frames = [2] of { byte, byte, byte };      /* number, oldest, incarnation it is meant for */
/* expected, incarnation, kind (0: ordinary, 1: FIRST, 2: PREBOOT), first; PREBOOT: its number */
chan answers = [2] of { byte, byte, byte, byte };

active proctype wire()
{
    byte a, b, c, d;
end:
    do
    :: atomic { len(frames) > 1 -> frames ? a, b, c; frames ! a, b, c }
    :: atomic { len(answers) > 1 -> answers ? a, b, c, d; answers ! a, b, c, d }
    :: atomic { nempty(frames) -> frames ? a, b, c }
    :: atomic { nempty(answers) -> answers ? a, b, c, d }
    od
}

/* All in front of it are known: delivered, unless they have failed. */
inline settle(upto, lost)
{
    do
    :: acked < upto && acked < sent ->
        if
        :: lost -> failed[acked] = true
        :: else -> assert(got[acked] > 0)
        fi;
        acked++
    :: else -> break
    od
}

active proctype sender()
{
    byte again, sent, meant = 1, a, who, kind, first;
    c_code { now.m = mutant(); };
    do
    :: acked == COUNT -> break
    :: atomic { again < COUNT && again < acked + WINDOW && nfull(frames) ->
            frames ! again, acked, meant;
            if                                                  /* doubled */
            :: nfull(frames) -> frames ! again, acked, meant
            :: skip
            fi;
            again++;
            if :: again > sent -> sent = again :: else fi }
    :: atomic { again > acked -> again = acked }                /* no answer */
    :: atomic { nempty(answers) -> answers ? a, who, kind, first;
            if
            :: kind == 2 && who >= meant -> settle(a + 1, m != REFUSED_IS_ACKED)
            :: kind == 1 && who > meant -> meant = who;
                settle(first, m != NONE_FAIL); settle(a, false)
            :: kind < 2 && (who == meant || m == ANY_COUNTS) -> settle(a, false)
            :: else
            fi;
            if :: again < acked -> again = acked :: else fi }
    od
}

active proctype receiver()
{
    byte own = 1, expected, first, x, oldest, to, kind, boots, given;
    bool begun = true, down;
end:
    do
    :: atomic { boots < BOOTS && !down -> down = true; boots++ }
    :: atomic { down -> down = false; own++; first = 0; given = 0;
            if :: m == NUMBERS_STAY -> begun = true :: else -> begun = false; expected = 0 fi }
    :: atomic { nempty(frames) && nfull(answers) -> frames ? x, oldest, to;
            if
            :: down -> answers ! x, own, 2, 0;
                if :: m == NUMBERS_STAY && x >= expected -> expected = x + 1 :: else fi
            :: else ->
                if :: !begun -> begun = true; expected = x; first = x :: else fi;
                if
                :: oldest > expected && m != NO_BASE -> expected = oldest; first = oldest
                :: else
                fi;
                assert(oldest <= expected);
                kind = (to != own);
                if
                :: x == expected ->
                    assert(x >= given);
                    given = x + 1;
                    got[x]++;
                    expected++
                :: else
                fi;
                if
                :: kind -> answers ! expected, own, 1, first
                :: else -> answers ! expected, own, 0, 0
                fi
            fi }
    od
}
