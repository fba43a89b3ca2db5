/* A command queue as its two sides see it: the host's thread that writes commands
 * (offload/pgas_write.c), and the unit that executes them (offload/pgas.c). */
#ifndef NIC_OFFLOAD_PGAS_STATE_H
#define NIC_OFFLOAD_PGAS_STATE_H

#include "core/model_ops.h"
#include "core/nic.h"
#include "nicemu/remote.h"
#include "offload/pgas_ring.h"

enum { NIC_PGAS_MESSAGE_BYTES = 512 };

/* From its first byte of data until it is acknowledged. */
struct nic_pgas_message {
    struct nic_pgas_message *next;      /* among the free ones */
    struct nic_pgas *queue;
    struct nic_outcome outcome;
    /* what it does, where somebody may ask (nic_model_ops.explain_answer) */
    const char *how;
    unsigned target;
    uint64_t bytes;
    unsigned filled;
    unsigned char data[NIC_PGAS_MESSAGE_BYTES];
};

enum nic_pgas_phase {
    NIC_PGAS_AT_COMMAND, NIC_PGAS_AT_OPERANDS, NIC_PGAS_AT_START, NIC_PGAS_AT_SKIP,
    NIC_PGAS_AT_LOST, NIC_PGAS_PHASES
};

struct nic_pgas {
    _Alignas(64) struct nic_pgas_writer w;      /* owner: the host thread that this queue is for */
    _Alignas(64) struct nic_pgas_reader r;      /* owner of this and all below: baton */
    struct nic *nic;
    struct nic_pgas *next;
    uint64_t area;                      /* of the ring in the scratchpad */
    enum nic_pgas_phase phase;
    bool advancing;                     /* nic_pgas_advance is in this queue */
    bool refused;                       /* the command being executed: no message comes of it */
    unsigned char head[NIC_PGAS_COMMAND_BYTES];
    unsigned head_bytes;
    struct nic_pgas_command c;          /* being executed */
    struct nic_address target;          /* where its next element goes */
    unsigned left;                      /* elements of it that no message has yet */
    uint64_t data_left;                 /* bytes of its data in the queue, with what fills it up */
    char *local;                        /* where its next result goes */
    struct nic_pgas_message *filling;
    struct nic_pgas_message *free;
    int error;                          /* the first since nic_pgas_quiet */
    struct nic_pgas_counts counts;
    uint64_t taken;                     /* bytes that no message has been made of yet */
    struct nic_pgas_message *pool;
    uint64_t commands;                  /* that the host has written */
    uint64_t answered;                  /* model clock: when the last answer was taken in */
    /* model clock: the calls that wrote those which later turns execute, by their number, and that
     * of the one being executed (nic_model_ops.keep_way) */
    uint32_t way[NIC_PGAS_BYTES / 16], current;
};

/* Bytes of data behind a command; filled up to a multiple of 8. */
uint64_t nic_pgas_plain_bytes(const struct nic_pgas_command *command);
static inline uint64_t nic_pgas_data_bytes(const struct nic_pgas_command *c)
{
    return (nic_pgas_plain_bytes(c) + 7) & ~UINT64_C(7);
}

/* Nothing is in it; frees it. */
void nic_pgas_end(struct nic_pgas *queue);

/* On the model clock: a unit beside the processor; NULL: there is none. */
static inline const struct nic_pgas_unit_ops *nic_pgas_unit_of(const struct nic *n)
{
    return unlikely(n->model_ops != NULL) ? n->model_ops->unit : NULL;
}

static inline uint32_t *nic_pgas_way_of(struct nic_pgas *q, uint64_t command)
{
    return &q->way[command % (sizeof q->way / sizeof *q->way)];
}

#endif
