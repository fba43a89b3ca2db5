/* What a NIC on the model clock does in place of the live ways (model/).  Each is asked for where
 * nic->model is not NULL; the baton is held but for enter. */
#ifndef NIC_CORE_MODEL_OPS_H
#define NIC_CORE_MODEL_OPS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct nic;
struct nic_command;
struct nic_tx;
struct nic_wait;

/* Baton held. */
struct nic_pgas_unit_ops {
    /* The host writes so much of its queue: commands, bytes of data, bytes of the queue. */
    void (*written)(struct nic *nic, unsigned commands, uint64_t data, uint64_t bytes);
    /* Around the start of a message that so many bytes of the queue have become. */
    void (*begin)(struct nic *nic, uint64_t bytes, uint64_t data);
    void (*end)(struct nic *nic);
    /* So many bytes of the queue become none. */
    void (*dropped)(struct nic *nic, uint64_t bytes);
};

struct nic_model_ops {
    /* -- the host: its calls.  step: handles everything up to
     * the host's time; true: there was something. */
    void (*enter)(struct nic *nic);
    void (*leave)(struct nic *nic);
    void (*share)(struct nic *nic);
    bool (*step)(struct nic *nic);
    void (*wait_turn)(struct nic *nic, const struct nic_wait *wait);
    void (*submit)(struct nic *nic, const struct nic_command *command);
    void (*host_acts)(struct nic *nic);     /* see nic_catch_up */
    void (*host_awaits)(struct nic *nic);   /* see nic_finish */
    void (*host_from)(struct nic *nic, uint64_t time);      /* it goes on then, not before */
    /* There are more requests under way. */
    void (*activate)(struct nic *nic);

    /* -- what travels: by packet; a word in place of one */
    int (*send)(struct nic *nic, unsigned peer, const struct nic_tx *message);
    /* To all of a list, none of which is this rank, where the host hands the packet to a NIC that
     * forwards.  False: it does not. */
    bool (*send_to_many)(struct nic *nic, const uint16_t *ranks, unsigned count,
                         const struct nic_tx *message);
    /* The same, past what a NIC that forwards does first. */
    void (*depart)(struct nic *nic, unsigned peer, const struct nic_tx *message);
    int (*store_message)(struct nic *nic, unsigned peer, const struct nic_tx *message);

    /* -- a unit that executes command queues (model/pgas_unit.h); NULL: there is none */
    const struct nic_pgas_unit_ops *unit;

    /* -- where the time goes (nicemu/explain.h) */
    /* What a later handler goes on with is kept here; that handler joins it: *way becomes 0. */
    uint32_t (*keep_way)(struct nic *nic);
    void (*join_way)(struct nic *nic, uint32_t *way);
    /* The event being handled is the answer to an operation on memory of `target`. */
    void (*explain_answer)(struct nic *nic, unsigned target, uint64_t bytes, const char *how);

    /* -- copies.  charge_read: a read of the handler is part of what it moves; has_written: what an
     * RDMA write has moved travels in front of the next packet to that peer; the others as a link's
     * read and write, done by the peer's process where the kernel does not copy. */
    void (*charge_read)(struct nic *nic, unsigned peer, uint64_t bytes);
    void (*has_written)(struct nic *nic, unsigned peer, uint64_t bytes);
    int (*peer_read)(struct nic *nic, unsigned peer, uint64_t from, void *to, size_t bytes);
    int (*peer_write)(struct nic *nic, unsigned peer, const void *from, uint64_t to, size_t bytes);
};

#endif
