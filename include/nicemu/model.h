/* nicemu/model.h: the model clock.
 *
 * On the model clock a job runs in virtual time. Each rank has a host and a NIC, whose handlers do
 * the real work at once and charge for it; what they send, complete or write carries the time at
 * which that would have happened. Each NIC handles its events in the order of their keys (time,
 * source, sequence), each when no rank can still send anything with a lesser key. So what a program
 * sees, and how long it takes, is the same in each run, on any machine, with any number of cores.
 *
 * No NIC thread runs: a process handles its NIC's events while its host is inside a call that
 * waits, or that looks (nic_step). What the host does between calls takes no time, but for
 * nic_compute.
 *
 * Time is in picoseconds, from 0 at nic_open. */
#ifndef NICEMU_MODEL_H
#define NICEMU_MODEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "../nicemu.h"

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

struct nic;
struct nic_job;
struct nic_command;
struct nic_profile;

/* How long the host takes between its calls. */
enum nic_compute {
    NIC_COMPUTE_INJECTED,       /* what nic_compute says */
    NIC_COMPUTE_NONE,           /* nothing, whatever nic_compute says */
    /* processor time as measured, times a scale, and what nic_compute says; not the same in each
     * run */
    NIC_COMPUTE_MEASURED,
};

struct nic_model_config {
    const struct nic_profile *profile;      /* what costs what; copied */
    enum nic_compute compute;
    unsigned scale;             /* of measured time, in thousandths; 0: 1000 */
    /* one rank at a time, always the one that is behind the others: slower, and the same */
    bool serial;
    /* each rank keeps that many of its slowest messages (nicemu/explain.h), at most
     * NIC_EXPLAIN_MAX; 0: nothing is explained */
    unsigned explain;
    /* rank r writes its log of events to this name with ".r" behind it; at most 500 bytes; NULL:
     * none */
    const char *log;
};

/* Whether a job of so many ranks fits the profile's network (link.x, y, z): 0, or -EINVAL and why,
 * in a line without newline. */
int nic_model_fits(const struct nic_profile *profile, unsigned ranks, char *why, size_t room);

/* -- a job, from any process that has it open */

bool nic_job_modelled(const struct nic_job *job);

/* Every rank waits and nothing is under way: exact, at once
 * and for ever.  False on the live clock. */
bool nic_job_stands(const struct nic_job *job);

/* What the whole job did, when all ranks have closed: the logs' hash, which does not depend on the
 * order in which they ran, the number of events, and the time of the last host.  Of several
 * programs, one after the other, the sums.  False: the live clock, or a rank has not closed, or
 * somebody has overwritten what one left. */
struct nic_model_result { uint64_t hash, events, time; };
bool nic_job_model_result(const struct nic_job *job, struct nic_model_result *result);

/* Merges the logs of all ranks into one text file of this name, in the order of time, and removes
 * them: of at most so many programs (nic_job_programs), one after the other.  0 or a negative
 * errno. */
int nic_model_log_merge(const char *log, unsigned ranks, unsigned programs);

/* 0, or the -errno for which a record of the rank's log could not be written. */
int nic_job_log_error(const struct nic_job *job, unsigned rank);

/* -- a NIC; on the live clock each does what it says there */

/* What costs what.  Live: NULL. */
const struct nic_profile *nic_profile_of(const struct nic *nic);

/* The time of what is being done at this moment, at no cost: of the handler that runs, else of the
 * host.  Live: as nic_time.  Baton held. */
uint64_t nic_moment(const struct nic *nic);

/* As nic_charge, so many times the cycles of the program's keys[index], by whose name --explain
 * then has it (own.NAME).  -EINVAL also where that is no number of cycles. */
int nic_charge_key(struct nic *nic, enum nic_unit_kind unit, unsigned index, uint64_t times);

/* Where NICs boot (NICEMU_BOOT), messages to one that boots fail, and what it had under way itself:
 * the program is told of each, in a handler, and may send.  It may have been delivered before the
 * boot all the same.  Without this a message to a NIC that has not been up yet waits for it, and
 * one that fails ends the job.  Before any message; live: nothing.  Baton held, or in attach. */
void nic_on_failed(struct nic *nic, void (*failed)(struct nic *nic, void *context, unsigned peer,
                                                   const struct nic_tx *message));

/* Whether the baton is the NIC's own thread's, and not a host's.  Baton held. */
bool nic_by_thread(const struct nic *nic);

/* Work of a program that costs time on the model clock, by its profile: of the host, where the host
 * does it (call.*), and of the NIC's processor, in a handler (nic.*).  nicemu_fast.h has nic_work,
 * which calls nic_work_slow where there is a clock to charge. */
#define NIC_WORKS(X) \
    /* host */ \
    X(SEND_BEFORE) X(SEND_AFTER) X(RECV_BEFORE) X(RECV_AFTER) X(WAIT) X(PROBE) X(COLLECTIVE) \
    /* processor */ \
    X(CONTROL) X(STEP) X(SCHEDULE) \
    /* host: behind the command of a receive */ \
    X(POSTED)
#define NIC_WORK_ENUM(name) NIC_WORK_##name,
enum nic_work { NIC_WORKS(NIC_WORK_ENUM) NIC_WORK_COUNT };

void nic_work_slow(struct nic *nic, enum nic_work work);

/* The host has packed or unpacked data with gaps: so many runs of bytes (call.pack_block,
 * call.pack_byte).  Not from a handler.  Live: nothing. */
void nic_packed(struct nic *nic, uint64_t blocks, uint64_t bytes);

/* The host is about to give a command for a message with so many bytes of data in its memory: up to
 * bus.pio_bytes of them it writes into the NIC with it (bus.pio_byte).  Nothing where it handles
 * packets itself, as then it does that with each.  Not from a handler.  Live: nothing. */
void nic_gives_data(struct nic *nic, uint64_t bytes);

/* So many pairs of elements have been combined, floating-point numbers or others (host.add and so
 * on, nic.* in a handler).  Live: nothing. */
void nic_added(struct nic *nic, uint64_t elements, bool real);

/* Data of a message, in place of NIC_MESSAGE_BYTES_MAX: the modelled wire cuts it up by itself. */
enum { NIC_MODEL_MESSAGE_MAX = 8 * 1024 * 1024 };

/* nic_program.host_data: bit t is set if packets of type t, below 64, carry data that lie in host
 * memory, and cross the bus (bus.read, bus.write). */

/* From attach, before any list is made: the host's processor runs the handlers of this NIC (host.*
 * in place of nic.*), and only while the host is in a call; a command of the host is handled before
 * nic_submit returns.  forwards: the NIC's processor moves each packet between the wire and host
 * memory (nic.command, nic.packet, nic.complete, bus.*), at the same time as the host does other
 * things; else the NIC's work is left out.  Live: nothing. */
void nic_host_runs_handlers(struct nic *nic, bool forwards);

/* What a program promises, so that the model clock can let ranks run further ahead of each other.
 * BY_COMMANDS: its host sends nothing itself, but by nic_submit and nic_call; nor does what
 * nic_tell_host brings.  PACKETS: no stores, and nothing of what travels otherwise (below).  At
 * first it promises nothing.  What is promised may be taken back some messages before it no longer
 * holds; a packet that comes before others were told ends the process.  Baton held, or in attach.
 * Times do not hang on it.  Live: nothing. */
enum { NIC_SENDS_BY_COMMANDS = 1, NIC_SENDS_PACKETS = 2 };
void nic_promise(struct nic *nic, unsigned what);
/* nic_tell_host for what may send a packet when it comes, under BY_COMMANDS too. */
void nic_tell_host_to_send(struct nic *nic, const struct nic_command *command);

/* Calls fn in the place of a command of the host: after all that came before it, and the host waits
 * for the answer.  Baton held. Live: a plain call. */
void nic_call(struct nic *nic, void (*fn)(void *argument), void *argument);

/* -- what travels otherwise than as a packet through the engines (Katsamani, 3.1.2).  Baton held.
 * Model clock only: -ENOSYS on the live clock.  The message's own bytes are the program's affair
 * and cost nothing; its flags must be below 0x40 (-EINVAL). Messages of a rank to itself arrive at
 * once, and cost nothing. */

struct nic_tx;

/* `bytes`: what crosses the network in the protocol modelled, in RDMA operations of at most
 * `piece`, each with a counter preset to minus its size which notifies both sides.  `landed`,
 * unless NULL, goes to one's own command handler when the last local notification is seen.  What
 * the hardware moves between the memories of programs on the way: data_bytes of them, from `from`
 * (a write) or to `to` (a read), to or from the peer's address `remote`. */
struct nic_transfer_mode {
    uint64_t bytes, piece;
    const struct nic_command *landed;
    const void *from;
    void *to;
    uint64_t remote;
    size_t data_bytes;
};

/* RDMA writes into the peer's memory; the peer's packet handler gets the message when it sees the
 * notification.  0, or why the bytes cannot be moved: then nothing has happened. */
int nic_put_notify(struct nic *nic, unsigned peer, const struct nic_tx *message,
                   const struct nic_transfer_mode *how);

/* RDMA reads from the peer's memory; the peer gets the message
 * when it sees that they are complete. */
int nic_get_notify(struct nic *nic, unsigned peer, const struct nic_tx *message,
                   const struct nic_transfer_mode *how);

/* A word stored into the peer's memory: the message is what it
 * says, and takes no time of the peer's processor. */
int nic_store_notify(struct nic *nic, unsigned peer, const struct nic_tx *message);

/* The last call of each rank before nic_close: what each gives, at most NIC_MODEL_GATHER bytes,
 * goes to `all` of rank 0 (NULL elsewhere), in the order of ranks.  No part of what is modelled:
 * log, hash and time of this rank end here.  0 or a negative errno; -ENOSYS on the live clock. */
enum { NIC_MODEL_GATHER = 16 * 1024 - 64 };
int nic_model_gather(struct nic *nic, const void *own, size_t bytes, void *all);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif
#endif
