/* Schedules: a collective of one rank as a small program of steps, which the host builds (tree, peers, buffers) and the NIC
 * executes: started by the host, driven on by what arrives, several in flight, with no help from the host of a rank in between.
 *
 * Steps run in order.  Those that send or receive whole messages begin there and are waited for by the next WAIT; a line (one
 * packet, no matching by the queues) is sent and forgotten, and awaited by AWAIT.  Lines that come before their schedule are kept,
 * up to FW_LINES_MAX of them per rank; one more is refused: its sender keeps it and sends it again when it is told to (Buntinas et
 * al. let the NIC buffer early arrivals of barriers in the same way, without the bound).
 *
 * All calls with the baton held. */
#ifndef FW_SCHEDULE_H
#define FW_SCHEDULE_H

#include "fw/fw.h"
#include "fw/slots.h"

enum { FW_LINE_BYTES = 40, FW_LINES_MAX = 256 };

enum fw_step_kind {
    FW_STEP_LINE,       /* sends `bytes` from `from` to `peer` as the line of `round` */
    FW_STEP_AWAIT,      /* the line of `round` from `peer`, to `to`; `bytes` must agree */
    FW_STEP_SEND,       /* begins to send a message from `from` to `peer` */
    FW_STEP_RECV,       /* begins to receive one to `to` */
    FW_STEP_WAIT,       /* for all messages begun so far */
    FW_STEP_COMBINE,    /* *to = *from op *to, `from` being of lower ranks; `bytes` unused */
    FW_STEP_COPY,       /* `bytes` from `from` to `to` */
    FW_STEP_SLOT,       /* the whole by slots (sched->slot) */
};

struct fw_step {
    uint8_t kind;
    bool arrived;
    uint16_t round;
    uint32_t peer;              /* rank in the communicator */
    void *to;
    const void *from;
    size_t bytes;
    struct fw_req *req;         /* SEND, RECV: under way */
    unsigned char line[FW_LINE_BYTES];
};

struct fw_sched {
    struct fw_sched *next;      /* among those started and not finished */
    struct fw_req *req;         /* done when all steps are */
    const char *call;           /* "MPI_Ibarrier": for messages to the user */
    size_t bytes;               /* and with it what is called, as the host has it */
    uint32_t root;
    uint64_t match;             /* context and number of the collective; the source is added per message */
    uint32_t rank;              /* in the communicator */
    const int *world;           /* rank of the job of each of its ranks, NULL: the same; outlives the schedule */
    fw_combine *combine;
    const void *context;        /* of combine */
    bool host_only;             /* a combine calls the user: not by the NIC's thread */
    bool polled;                /* counted in nic_active: what it waits for does not arrive as a line */
    bool failed;                /* no memory for a step */
    uint8_t error;              /* enum fw_error */
    uint32_t steps, room, at;   /* at: the next step to do */
    uint32_t begun;             /* first step that the next WAIT has to look at */
    uint32_t way;               /* model clock: of the last message that has come for it */
    struct fw_step *step;
    struct fw_slot_op *slot;
    struct fw_memory *memory;   /* scratch, freed with the schedule */
};

/* An empty schedule.  NULL: no memory. */
struct fw_sched *mpi_fw_sched_new(const char *call, uint64_t match, uint32_t rank, const int *world);
/* Scratch memory, 16-byte aligned; NULL: none, which is noted in the schedule. */
void *mpi_fw_sched_memory(struct fw_sched *s, size_t bytes);
/* Appends a step; what is not named is zero. */
void mpi_fw_sched_add(struct fw_sched *s, const struct fw_step *step);
/* Of a schedule that was not started. */
void mpi_fw_sched_delete(struct fw_sched *s);

/* Starts it; `req` (kind FW_COLL) is done when it has finished, and the schedule deleted by then. */
void mpi_fw_sched_start(struct fw *fw, struct fw_sched *s, struct fw_req *req);

/* The ranks have turned out to disagree: it goes no further, and its request is done soon, with FW_MISMATCH. */
void mpi_fw_sched_stop(struct fw *fw, struct fw_req *req);

/* -- for the firmware */

struct fw_line;
/* The second half of mpi_fw_sched_start (FW_COMMAND_SCHEDULE). */
void mpi_fw_sched_begin(struct fw *fw, struct fw_req *req);
/* Goes on with all that is polled; true: something moved. */
bool mpi_fw_advance_scheds(struct fw *fw);
/* False: no schedule waits for the line. */
bool mpi_fw_sched_line(struct fw *fw, uint64_t match, const struct fw_line *line);

#endif
