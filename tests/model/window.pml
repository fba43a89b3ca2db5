/* The window of nicemu/reliable/window.c in one direction, over a wire that loses, doubles and
 * reorders frames and answers: what is delivered is what was added, in order, once.  Frames are
 * kept by their number modulo the window, so a frame that leaves after its slot has a new owner
 * shows as a wrong content; and nothing is let go that has not been delivered. */
#define OLD_IS_NEXT 1 /* mutant: a frame that has come before is delivered */
#define GAP_IS_NEXT 2 /* mutant: a frame with a gap in front of it is delivered */
#define NOT_PASSED 3 /* mutant: what is acknowledged while it is sent again is sent again */
#define ONE_TOO_MANY 4 /* mutant: a frame is added to a full window */
#define ACK_AHEAD 5 /* mutant: a gap is answered with the number that has come */
#define NACK_IS_ACK 6 /* mutant: the frame that a NACK misses counts as acknowledged */

#define COUNT 5
#define WINDOW 2

int m;
byte kept[WINDOW];
byte delivered;
chan frames = [3] of { byte, byte };    /* number, content */
chan answers = [2] of { byte, bool };   /* all in front of it have come; it is missed */

/* The wire swaps what it has, in both directions. */
active proctype wire()
{
    byte a, b;
    bool n;
end:
    do
    :: atomic { len(frames) > 1 -> frames ? a, b; frames ! a, b }
    :: atomic { len(answers) > 1 -> answers ? a, n; answers ! a, n }
    od
}

active proctype sender()
{
    byte oldest, again, sent, next, a;
    bool gone_back, n;
    c_code { now.m = mutant(); };
    do
    :: oldest == COUNT -> break
    :: atomic { next < COUNT && next - oldest < WINDOW + (m == ONE_TOO_MANY) ->
            kept[next % WINDOW] = next; next++ }
    :: atomic { again < next && nfull(frames) ->
            frames ! again, kept[again % WINDOW];
            if
            :: nfull(frames) -> frames ! again, kept[again % WINDOW]      /* doubled */
            :: skip
            fi;
            again++;
            if :: again > sent -> sent = again :: else fi }
    :: atomic { again < next -> again++;                                  /* lost */
            if :: again > sent -> sent = again :: else fi }
    :: atomic { nempty(answers) -> answers ? a, n;
            if
            :: m == NACK_IS_ACK && n && a < sent -> a++
            :: else
            fi;
            if
            :: a > oldest && a <= sent ->
                if :: again < a && m != NOT_PASSED -> again = a :: else fi;
                oldest = a;
                assert(oldest <= delivered && oldest <= again);
                gone_back = false
            :: else
            fi;
            if
            :: n && !gone_back && oldest < sent && a >= oldest -> gone_back = true; again = oldest
            :: else
            fi }
    :: atomic { again > oldest && empty(frames) && empty(answers) ->      /* patience */
            gone_back = false; again = oldest }
    od
}

active proctype receiver()
{
    byte expected, number, content;
    bool nacked, ack, nack;
end:
    do
    :: atomic { nempty(frames) -> frames ? number, content;
            if
            :: number == expected || (m == OLD_IS_NEXT && number < expected) ||
               (m == GAP_IS_NEXT && number > expected) ->
                assert(content == delivered);
                delivered++; expected++; nacked = false; nack = false; ack = true
            :: else ->
                if
                :: number > expected ->
                    if :: !nacked -> nack = true :: else fi;
                    if :: m == ACK_AHEAD -> expected = number :: else fi
                :: else -> ack = true
                fi
            fi }
    :: atomic { (ack || nack) && nfull(answers) ->
            answers ! expected, nack;
            if :: nack -> nacked = true :: else fi;
            ack = false; nack = false }
    :: atomic { (ack || nack) ->                                          /* lost */
            if :: nack -> nacked = true :: else fi;
            ack = false; nack = false }
    od
}
