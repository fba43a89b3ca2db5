/* The inbox ring (nicemu/job/ring.h, link/send.c, link/receive.c): many producers, one consumer,
 * few lines, several laps, and a consumer that restarts the ring where it finds it empty.
 *
 * A packet has 1 to 3 lines and a chunk 2, so the longest has a second chunk.  A line is word 0 and
 * a body; the body carries who wrote it.  Word 0 of an interior line is payload, here always the
 * worst: the stamp that the next lap will look for.  Laps count modulo 2.
 *
 * Weak memory: the stores of a chunk become visible in any order, the published word after all of
 * them (W0) and possibly late, while its producer goes on.  A mutant that lacks an edge lets happen
 * what the edge forbids:
 *   W0 the published word may be visible before other stores
 *   R0 the consumer may load a body before word 0
 *   R1 head may be visible before loads and clears of the lap
 *   W1 stores of the new lap may be visible before head is seen to allow them */
#define NO_W0 1             /* mutant */
#define NO_R0 2             /* mutant */
#define NO_R1 3             /* mutant */
#define NO_W1 4             /* mutant */
#define NO_CLEAR 5          /* mutant: interior lines are given back with their payload in word 0 */
#define NO_LAP 6            /* variant: one stamp for all laps; cleared lines need no more */
#define NO_SPACE 7          /* mutant: reserves without a look at head */
#define NO_CAS 8            /* mutant: reserves by load and store */
#define HEADER_FIRST 9      /* mutant: publishes before it has filled the interior */
#define NO_CONTINUATION 10  /* mutant: the consumer does not wait for the second chunk */
#define CLEAR_LATE 11       /* mutant: clears after it has given back */
#define NO_CLEAR_FIRST 12   /* mutant: does not clear first lines of chunks */
#define RESTART_BLIND 13    /* mutant: restarts by a store, whoever has reserved meanwhile */
#define HEAD_EARLY 14       /* mutant: head is moved to the next lap before tail */

/* packed: 13 million states, 1.3 GB as they are */
#define LINES 4
#define PRODUCERS 2
#define PACKETS 2
#define AT(pos) ((pos) % LINES)
#define LAP(pos) ((pos) / LINES % 2)
#define STAMP(pos) ((m == NO_LAP -> 1 : 1 + LAP(pos)))
#define WORD(pos, lines) (STAMP(pos) + 4 * (lines))
#define PAYLOAD(pos) (1 + LAP((pos) + LINES) + 4) /* looks like a packet of one line, a lap later */
#define TOKEN(id, part) ((id) * 4 + (part))

byte word0[LINES], body[LINES];
byte tail, head;
byte late_word[PRODUCERS], late_pos[PRODUCERS];         /* published, not yet visible; 0: none */
chan order = [LINES] of { byte };                       /* ids in the order of reservation */
byte ended;
bool bad;
/* Of all producers.  Where the consumer may restart the ring one of them has less to send,
 * or there would be too many states. */
byte total = PRODUCERS * PACKETS;
bit restarts;

/* Under NO_W1 an execution counts only once head has allowed what was done. */
inline check(condition) { if :: condition :: else -> assert(m == NO_W1); bad = true fi }

inline publish(pos, word)
{
    late_word[me] == 0;             /* release: behind the one before */
    atomic { late_pos[me] = pos; late_word[me] = word }
}

/* The chunk at `pos`: header line, and an interior line if `lines` is 2. */
inline write_chunk(pos, lines, word, part)
{
    need = (lines == 2 -> 7 : 1);
    if :: m == HEADER_FIRST -> publish(pos, word); published = true :: else -> published = false fi;
    do
    :: need & 1 -> atomic { body[AT(pos)] = TOKEN(id, part); need = need & 6 }
    :: need & 2 -> atomic { body[AT(pos + 1)] = TOKEN(id, part + 1); need = need & 5 }
    :: need & 4 -> atomic { word0[AT(pos + 1)] = PAYLOAD(pos + 1); need = need & 3 }
    :: !published && (need == 0 || m == NO_W0) -> publish(pos, word); published = true
    :: need == 0 && published -> break
    od
}

proctype producer(byte me; byte m)
{
    byte seq, lines, seen, t, need, id;
    bool published, promised;

    do
    :: seq == PACKETS || (me && seq == total - PACKETS) -> break
    :: else ->
        id = 1 + me * PACKETS + seq;
        if :: lines = 1 :: lines = 2 :: lines = 3 fi;
        promised = false;
again:  t = tail;
        if
        :: t + lines <= seen + LINES || m == NO_SPACE
        :: m == NO_W1 -> promised = true
        :: else ->
            seen = head;
            if :: t + lines <= seen + LINES :: else -> tail + lines <= head + LINES; goto again fi
        fi;
        if
        :: m == NO_CAS -> tail = t + lines; order ! id
        :: else ->
            atomic {
                if :: tail == t -> tail = t + lines; order ! id :: else -> goto again fi
            }
        fi;
        assert(promised || m == NO_CAS || t + lines <= head + LINES);
        write_chunk(t, (lines > 1 -> 2 : 1), WORD(t, lines), 0);
        if :: lines == 3 -> write_chunk(t + 2, 1, WORD(t + 2, 1), 2) :: else fi;
        if :: promised ->
end_promised:   t + lines <= head + LINES
        :: else
        fi;
        seq++
    od;
    ended++
}

proctype store_buffer(byte me)
{
end: do :: atomic { late_word[me] -> word0[AT(late_pos[me])] = late_word[me]; late_word[me] = 0 } od
}

inline expect(pos, part)
{
    check(body[AT(pos)] == TOKEN(id, part))
}

inline await(pos)
{
    if
    :: word0[AT(pos)] % 4 == STAMP(pos)
    :: m == NO_W1 && timeout -> goto given_up
    fi
}

/* What was found empty may not be so any more. */
inline restart()
{
    first = (h / LINES + 1) * LINES;
    if :: m == HEAD_EARLY -> head = first :: else fi;
    atomic {
        if
        :: tail == h || m == RESTART_BLIND -> tail = first
        :: else -> first = h
        fi
    };
    head = first;
    h = first;
    restarts--
}

inline clear_first(pos) { if :: m == NO_CLEAR_FIRST :: else -> word0[AT(pos)] = 0 fi }

proctype consumer(byte m)
{
    byte h, got, id, lines, early, first;

    do
    :: got == total -> break
    :: else ->
        early = 0;
        do
        :: restarts && h % LINES && word0[AT(h)] % 4 != STAMP(h) -> restart()
        :: break
        od;
        if :: m == NO_R0 -> early = body[AT(h)] :: true fi;
        await(h);
        lines = word0[AT(h)] / 4;
        if :: order ? id :: empty(order) -> check(false); goto given_up fi;
        atomic {
            if :: early -> check(early == TOKEN(id, 0)) :: else -> expect(h, 0) fi;
            clear_first(h)
        };
        if
        :: lines == 1 -> head = h + 1
        :: else ->
            if :: m == NO_R1 -> head = h + 2 :: else fi;
            expect(h + 1, 1);
            if :: m == CLEAR_LATE -> head = h + 2 :: else fi;
            if :: m == NO_CLEAR :: else -> word0[AT(h + 1)] = 0 fi;
            head = h + 2
        fi;
        if
        :: lines == 3 ->
            if :: m == NO_CONTINUATION :: else -> await(h + 2) fi;
            atomic { expect(h + 2, 2); clear_first(h + 2) };
            head = h + 3
        :: else
        fi;
        h = h + lines;
        got++
    od;
    ended == PRODUCERS;
    assert(!bad && tail == head);
given_up: skip
}

init
{
    byte m, i;
    atomic {
        c_code { Pinit->m = mutant(); };
        if :: restarts = 1; total-- :: true fi;
        run consumer(m);
        for (i : 0 .. PRODUCERS - 1) { run producer(i, m); run store_buffer(i) }
    }
}
