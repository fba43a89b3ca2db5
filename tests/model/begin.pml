/* Who does a staged transfer (lib/fw/staged.c, claim_word.h): the sender stages it all, or a
 * receiver that has waited for long reads it all; one of them, once, and only as long as it lasts.
 *
 * One sender and its only claim word; two receivers, to each of which goes one transfer, the second
 * when the word is free again.  The word is the number of transfers that it was used for, and
 * whether the present one is claimed.  A receiver may lose its patience at any time, also when the
 * chunks are in its inbox already, and the sender has gone on to the next transfer.  What is
 * claimed is one compare-and-swap; a late receiver's may come long after it read the word. */
#define NO_GENERATION 1         /* mutant: the word does not count the transfers */
#define NO_ATOMIC 2             /* mutant: claims by load and store */
#define GENERATION_LATE 3       /* mutant: the receiver reads the word behind CTS */
#define SENDER_UNCLAIMED 4      /* mutant: the sender stages without a claim */
#define FIN_ALWAYS 5            /* mutant: a sender that was first waits for FIN as well */
#define NO_FIN 6                /* mutant: a sender that was late does not wait for FIN */
#define READ_ON 7               /* mutant: a receiver that was late reads all the same */
#define PATIENT 20              /* variant: receivers never read by themselves */

#define TRANSFERS 2
#define NOBODY 255

mtype = { RTS, CTS, DATA, FIN };
chan to_receiver[TRANSFERS] = [2] of { mtype };
chan to_sender = [4] of { mtype, byte };

byte generation, claimed;       /* the claim word */
byte lasts = NOBODY;            /* the transfer whose data the sender's buffer holds */
byte copied[TRANSFERS];         /* how often */
byte ended;

/* true to `got`: it was unclaimed, and of that generation */
inline claim(wanted, got)
{
    if
    :: m == NO_ATOMIC ->
        got = generation == wanted && !claimed;
        if :: got -> claimed = 1 :: else fi
    :: else ->
        atomic {
            got = generation == wanted && !claimed;
            if :: got -> claimed = 1 :: else fi
        }
    fi
}

proctype receiver(byte me; byte m)
{
    byte mine;
    bool got;

    to_receiver[me] ? RTS;
    mine = generation;
    to_sender ! CTS, me;
    if :: m == GENERATION_LATE -> mine = generation :: else fi;
    do
    :: to_receiver[me] ? DATA -> break
    :: m != PATIENT ->
        claim(mine, got);
        if
        :: got || m == READ_ON ->
            assert(lasts == me);        /* reads */
            copied[me]++;
            assert(lasts == me);
            to_sender ! FIN, me;
            break
        :: else -> to_receiver[me] ? DATA; break
        fi
    od;
    assert(copied[me] == 1);
    ended++
}

proctype sender(byte m)
{
    byte transfer, which;
    bool got;

    do
    :: transfer == TRANSFERS -> break
    :: else ->
        lasts = transfer;
        /* one store */
        atomic {
            claimed = 0;
            if :: m == NO_GENERATION :: else -> generation++ fi
        }
        to_receiver[transfer] ! RTS;
        to_sender ? CTS, which;
        assert(which == transfer);
        if
        :: m == SENDER_UNCLAIMED -> got = true
        :: else -> claim(generation, got)
        fi;
        if
        :: got ->
            copied[transfer]++;
            to_receiver[transfer] ! DATA;
            if :: m == FIN_ALWAYS -> to_sender ? FIN, which :: else fi
        :: else ->
            if :: m == NO_FIN :: else -> to_sender ? FIN, which; assert(which == transfer) fi
        fi;
        lasts = NOBODY;
        transfer++
    od
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
