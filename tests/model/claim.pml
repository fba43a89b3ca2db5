/* The claim word of a transfer in which both ends copy (lib/fw/both_ends.c, claim_word.c,
 * rndv_control.c): each chunk is copied once, nobody uses the word of a transfer that has ended,
 * and both ends learn when all is there.
 *
 * One sender and its only claim word; two receivers, to each of which goes one transfer, the second
 * when the word is free again.  Each side claims and copies a chunk per turn, packets are taken in
 * between.  A copy takes time: it begins with the claim and has ended when the next thing happens
 * on that side.
 *
 * The word is set to 0 before the RTS that tells of it, whose line is published with release: in a
 * mutant that store may come late. */
#define FREE_AT_FIN 1 /* mutant: FIN frees the word of a send that is still in the active queue */
#define NO_ATOMIC 2             /* mutant: claims by load and store */
#define DONE_EARLY 3            /* mutant: DONE before the last copy has ended */
#define FIN_WITHOUT_DONE 4      /* mutant: the receiver does not wait for the sender's share */
#define RESET_LATE 5            /* mutant: the word is reset after RTS */
#define NO_FINISH 6 /* mutant: a send that finds FIN there and did no chunk waits for another */
#define CLAIM_AFTER_FIN 7       /* mutant: the receiver claims once more after FIN */
#define DONE_ALWAYS 8 /* mutant: a sender that did nothing says so and waits for FIN, come or not */
#define PULL_ONLY 20            /* variant: the sender may not write */

#define CHUNKS 3
#define TRANSFERS 2
#define NOBODY 255

mtype = { RTS, CTS, DONE, FIN };
chan to_receiver[TRANSFERS] = [2] of { mtype, byte };
chan to_sender = [4] of { mtype, byte };

byte word, owner = NOBODY;      /* the claim word, and whose transfer it belongs to */
byte copying[TRANSFERS];        /* copies begun and not ended */
byte copied[TRANSFERS];         /* bit per chunk */
byte ended;

inline claim(transfer, mine)
{
    if
    :: m == NO_ATOMIC -> chunk = word; assert(owner == transfer); word = chunk + 1
    :: else -> atomic { assert(owner == transfer); chunk = word; word++ }
    fi;
    mine = chunk < CHUNKS
}

inline begin_copy(transfer)
{
    atomic {
        assert(!(copied[transfer] & (1 << chunk)));
        copied[transfer] = copied[transfer] | (1 << chunk);
        copying[transfer]++
    }
}
inline end_copy(transfer) { copying[transfer]-- }

inline all_is_there(transfer)
{
    assert(copied[transfer] == (1 << CHUNKS) - 1 && copying[transfer] == 0)
}

proctype receiver(byte me; byte m)
{
    byte chunk, mine, theirs;
    bool got, claiming;

    to_receiver[me] ? RTS, _;
    to_sender ! CTS, me;
    claiming = true;
    do
    :: claiming ->
        claim(me, got);
        if
        :: got -> begin_copy(me); end_copy(me); mine++
        :: else ->
            claiming = false;
            if :: mine + theirs == CHUNKS || m == FIN_WITHOUT_DONE -> break :: else fi
        fi
    :: to_receiver[me] ? DONE, theirs ->
        if :: !claiming && mine + theirs == CHUNKS -> break :: else fi
    od;
    all_is_there(me);
    to_sender ! FIN, me;
    if :: m == CLAIM_AFTER_FIN -> claim(me, got) :: else fi
}

inline reset(transfer) { owner = transfer; word = 0 }

inline finish()
{
    all_is_there(transfer);
    owner = NOBODY;
    ended++;
    break
}

proctype sender(byte m)
{
    byte transfer, chunk, mine, which;
    bool got, queued, finished;

    do
    :: transfer == TRANSFERS -> break
    :: else ->
        if :: m == RESET_LATE -> owner = transfer :: else -> reset(transfer) fi;
        to_receiver[transfer] ! RTS, 0;
        if :: m == RESET_LATE -> word = 0 :: else fi;
        mine = 0;
        queued = false;
        finished = false;
        do
        :: queued ->
            claim(transfer, got);
            if
            :: got ->
                begin_copy(transfer);
                mine++;
                if
                :: m == DONE_EARLY && word >= CHUNKS ->
                    queued = false;
                    to_receiver[transfer] ! DONE, mine
                :: else
                fi;
                end_copy(transfer)
            :: else ->
                queued = false;
                if
                :: mine || m == DONE_ALWAYS -> to_receiver[transfer] ! DONE, mine
                :: finished && m != NO_FINISH -> finish()
                :: else
                fi
            fi
        :: to_sender ? CTS, which -> assert(which == transfer); queued = m != PULL_ONLY
        :: to_sender ? FIN, which ->
            assert(which == transfer);
            if
            :: queued && m != FREE_AT_FIN -> finished = true
            :: queued && m == FREE_AT_FIN -> owner = NOBODY; finished = true
            :: else -> finish()
            fi
        od;
        transfer++
    od;
    assert(ended == TRANSFERS)
}

init
{
    byte m, i;
    atomic {
        c_code { Pinit->m = mutant(); };
        run sender(m);
        for (i : 0 .. TRANSFERS - 1) { run receiver(i, m) }
    }
}
