/* Schedules: a collective of one rank as a small program of steps, which the host builds (tree,
 * peers, buffers).
 *
 * The NIC executes it: started by the host, driven on by what arrives, several in flight, with no
 * help from the host of a rank in between.  Or the host does, step by step within its call, with
 * messages of its own (coll/host.c).
 *
 * Steps run in order.  Those that send or receive messages begin there and are waited for by the
 * next WAIT; a step packet (one line of the inbox, not matched by the queues) is sent and
 * forgotten, and awaited by AWAIT.  Step packets that come before their schedule are kept, up to
 * FW_STEPS_KEPT_MAX of them per rank; one more is refused: its sender keeps it, and those behind
 * it, until it is asked for them (Buntinas et al. let the NIC buffer early arrivals of barriers,
 * too, but without the bound).
 *
 * All calls with the baton held. */
#ifndef FW_SCHEDULE_H
#define FW_SCHEDULE_H

#include "fw/fw.h"
#include "fw/shm_coll.h"

enum {
    FW_STEP_BYTES = 40,         /* of data in a step packet */
    FW_STEPS_KEPT_MAX = 256,
    /* What is kept of schedules that have ended, so that the next ones need no memory of the
     * system: so many of them, each with room for so many steps and bytes. */
    FW_SCHEDS_SPARE = 8,
    FW_SCHED_SPARE_STEPS = 512,
    FW_SCHED_SPARE_BYTES = 64 * 1024,
};

enum fw_step_kind {
    FW_STEP_PACKET,     /* sends `bytes` from `from` to `peer` as the step packet of `round` */
    FW_STEP_AWAIT,      /* the step packet of `round` from `peer`, to `to`; `bytes` must agree */
    FW_STEP_SEND,       /* begins to send a message from `from` to `peer` */
    FW_STEP_RECV,       /* begins to receive one to `to` */
    FW_STEP_WAIT,       /* for all messages begun so far */
    FW_STEP_COMBINE,    /* *to = *from op *to, `bytes` of them, `from` being of lower ranks */
    FW_STEP_COPY,       /* `bytes` from `from` to `to` */
    FW_STEP_SHM,        /* by stores into scratchpads (sched->shm); by the NIC only */
    FW_STEP_MULTI,      /* `bytes` from `from` to many: `to` is a struct fw_multi (multi.h) */
    FW_STEP_TURNS,      /* what sched->turn does, until that is all; by the NIC only */
};

/* AWAIT: whether the packet is here, or its sender, who held others back, has been told that it is
 * waited for. */
enum fw_heard { FW_HEARD_NOTHING, FW_HEARD_ASKED, FW_HEARD };

struct fw_step {
    uint8_t kind;
    uint8_t heard;              /* AWAIT: enum fw_heard; SEND: 1: the message asks first */
    uint16_t round;
    uint32_t peer;              /* rank in the communicator */
    void *to;
    const void *from;
    size_t bytes;
    struct fw_req *req;         /* SEND, RECV: under way */
    unsigned char data[FW_STEP_BYTES];  /* AWAIT: what has arrived */
};

static inline bool fw_step_offers(const struct fw_step *t)
{
    return t->kind == FW_STEP_SEND && t->heard;
}

struct fw_sched {
    struct fw_sched *next;      /* among those started and not finished, or the spare ones */
    struct fw_req *req;         /* done when all steps are */
    const char *call;           /* "MPI_Ibarrier": for messages to the user */
    size_t bytes;               /* and with it what is called, as the host has it */
    uint32_t root;
    uint64_t match;             /* context, fingerprint and number of the call; no source */
    uint32_t rank;              /* in the communicator */
    const int *world;           /* its ranks' ranks of the job, NULL: the same; it outlives this */
    fw_combine *combine;
    const void *context;        /* of combine */
    /* or NULL: after the last step, it has room for others, if there was no error; true: it got
     * some */
    bool (*more)(void *context, struct fw_sched *sched);
    /* of FW_STEP_TURNS: does what it can, though on the NIC's thread not for long; true: it is all
     * done, for which it may have appended further steps */
    bool (*turn)(void *context, struct fw_sched *sched);
    void *turn_context;
    void (*ended)(void *context, bool whole);   /* or NULL: told before its request is done */
    void *ended_context;        /* of `more`, too */
    bool host_only;             /* a combine calls the user: not by the NIC's thread */
    /* counted in nic_hold_polling: it waits for more than a step packet */
    bool polled;
    bool failed;                /* no memory for a step */
    bool moved;                 /* a turn has got on, if not to its end */
    bool kept;                  /* started again and again; its owner deletes it */
    bool read_on;               /* a message may still be read from its memory: never freed */
    uint8_t error;              /* enum fw_error */
    uint16_t round;             /* of one that is kept: counts its starts */
    uint32_t steps, at;         /* at: the next step to do */
    uint32_t begun;             /* first step that the next WAIT has to look at */
    uint32_t way;               /* model clock: of the last message that has come for it */
    struct fw_shm_op *shm;
    /* what a spare one keeps */
    struct fw_step *step;
    uint32_t room;              /* of steps */
    unsigned char *memory;
    size_t memory_bytes, used;  /* `used`: asked for so far, more_memory included */
    struct fw_memory *more_memory;
};

/* An empty schedule.  NULL: no memory.  fw: whose spare ones to use, NULL: nobody's. */
struct fw_sched *mpi_fw_sched_new(struct fw *fw, const char *call, uint64_t match, uint32_t rank,
                                  const int *world);
/* Scratch memory, 16-byte aligned; NULL: none, which is noted in the schedule. */
void *mpi_fw_sched_memory(struct fw_sched *s, size_t bytes);
/* Room for one more step; NULL: no memory, which is noted. */
struct fw_step *mpi_fw_sched_more(struct fw_sched *s);
/* Appends a step, of which the caller sets `round`, where it has one. */
static inline struct fw_step *fw_sched_step(struct fw_sched *s, enum fw_step_kind kind,
                                            uint32_t peer, void *to, const void *from,
                                            size_t bytes)
{
    bool room = __builtin_expect(s->steps < s->room, 1);
    struct fw_step *t = room ? &s->step[s->steps++] : mpi_fw_sched_more(s);
    if (!t)
        return NULL;
    t->kind = (uint8_t)kind;
    t->heard = FW_HEARD_NOTHING;
    t->round = 0;
    t->peer = peer;
    t->to = to;
    t->from = from;
    t->bytes = bytes;
    t->req = NULL;
    return t;
}
/* The same for a step that is described already. */
void mpi_fw_sched_add(struct fw_sched *s, const struct fw_step *step);
/* Of a schedule that was not started, or by the host, who has finished it. */
void mpi_fw_sched_delete(struct fw *fw, struct fw_sched *s);

/* The NIC executes it, and deletes it at its end unless it is kept; `req` (kind FW_COLL) is done
 * then. */
void mpi_fw_sched_start(struct fw *fw, struct fw_sched *s, struct fw_req *req);
/* The same for one that is kept, from its first step on; it is not under way.  Every rank that it
 * talks to starts its own as often. */
void mpi_fw_sched_restart(struct fw *fw, struct fw_sched *s, struct fw_req *req);

/* The ranks have turned out to disagree: it goes no further, and its request is done soon, with
 * FW_MISMATCH. */
void mpi_fw_sched_stop(struct fw *fw, struct fw_req *req);
/* It needs a rank that is lost: its request is done, with FW_LOST.  Live clock. */
void mpi_fw_sched_lose(struct fw *fw, struct fw_req *req);

/* -- for the firmware */

struct fw_step_packet;
/* The second half of mpi_fw_sched_start (FW_COMMAND_SCHEDULE). */
void mpi_fw_sched_begin(struct fw *fw, struct fw_req *req);
/* Goes on with all that is polled; true: something moved. */
bool mpi_fw_advance_scheds(struct fw *fw);
/* The spare ones. */
void mpi_fw_scheds_delete(struct fw *fw);
/* What some schedule waits for from that rank, which it has not been told yet, and is now; false:
 * nothing. */
bool mpi_fw_sched_wants(struct fw *fw, uint32_t source, uint64_t *match, uint16_t *round);
/* False: no schedule waits for the packet. */
bool mpi_fw_sched_arrived(struct fw *fw, uint64_t match, const struct fw_step_packet *packet);

#endif
