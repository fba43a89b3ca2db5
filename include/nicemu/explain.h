/* nicemu/explain.h: where the time of each message went, on the model clock.
 *
 * Each event has one cause: the handler in which it came to be, or a call of the host. So there is
 * one way from a call of some host to each thing that happens later, and the time on it is the sum
 * of what stands on the way: costs, by what they were charged to, and waiting. A way travels with
 * events and packets and grows with them, at no cost in virtual time; nothing of it decides
 * anything, so the log's hash is the same with it and without. What the program alone knows it says
 * here: a handler that takes up something older than its own event (a message that waits for its
 * receive) joins the way of that.
 *
 * A job is explained if its launcher asks for it (nic_model_config.explain); else, and on the live
 * clock, all calls do nothing.
 *
 * Times in picoseconds. Threads: baton held. */
#ifndef NICEMU_EXPLAIN_H
#define NICEMU_EXPLAIN_H

#include "../nicemu.h"

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

/* Parts of a way, X(NAME, name, explanation). */
#define NIC_PARTS(X) \
    X(HOST, host, "work of hosts in MPI calls, and without offload in handlers") \
    X(BUS, bus, "commands and completions between host and NIC") \
    X(PROCESSOR, nic, "work of NICs' processors") \
    X(MATCH, match, "lists searched and kept, by a processor or an ALPU") \
    X(DMA, dma, "engines between memory and wire") \
    X(WIRE, wire, "bytes on the wire, and its latency") \
    X(WAIT, wait, "waiting for something that is busy") \
    X(LATE, late, "waiting for the receive") \
    X(AWAY, away, "complete, and the receiving host does something else") \
    X(PACK, pack, "data with gaps packed and unpacked by hosts")
#define NIC_PART_ENUM(NAME, name, text) NIC_PART_##NAME,
enum nic_part { NIC_PARTS(NIC_PART_ENUM) NIC_PART_COUNT };

/* "host"; "?" for a value out of range. */
const char *nic_part_name(unsigned part);

struct nic_critical_path {
    /* when the host entered the call that began it; how far it has got: began and all parts
     * together */
    uint64_t began, time;
    /* of that call's first event: no two ways have both in common */
    uint32_t rank, sequence;
    uint64_t part[NIC_PART_COUNT];
    uint64_t compared;                  /* entries of lists */
};

/* -- from a program */

/* From a handler: keeps its way so far.  0: there is nothing to keep. */
uint32_t nic_critical_path_save(struct nic *nic);
/* The handler goes on with what `kept` stands for: from there until the handler's event the time is
 * that of `reason`. */
void nic_critical_path_join(struct nic *nic, uint32_t kept, enum nic_part reason);
/* Of two the later one goes to *kept: what needs both has waited for that. *other becomes 0. */
void nic_critical_path_latest(struct nic *nic, uint32_t *kept, uint32_t *other);
/* The way of the handler's event alone, before the handler did anything: of an answer that the host
 * sees as soon as it comes. */
uint32_t nic_critical_path_save_event(struct nic *nic);
/* From the host, which has seen what `kept` stands for: what it begins from here on in this call
 * leads on from there; until now the time was that of `reason`.  *kept becomes 0. */
void nic_critical_path_resume(struct nic *nic, uint32_t *kept, enum nic_part reason);
/* Forgets it; *kept becomes 0. */
void nic_critical_path_drop(struct nic *nic, uint32_t *kept);

/* What has come to its end. */
struct nic_arrival {
    bool collective;            /* no message, but a whole collective */
    bool one_sided;             /* nor that: an operation of this rank on memory of `target` */
    uint32_t target;
    uint32_t source;            /* rank of the sender; collectives: any */
    int32_t tag;
    uint64_t bytes;
    const char *how;            /* "eager": at most 23 characters count */
    uint64_t blocks;            /* runs of bytes that the host now unpacks them to; 0: none */
};
/* The host takes notice, as nic_completion; *kept becomes 0. */
void nic_critical_path_finish(struct nic *nic, uint32_t *kept, const struct nic_arrival *arrival);
/* The same of what the host takes no notice of, or at no cost: it ends where `kept` does. */
void nic_critical_path_end(struct nic *nic, uint32_t *kept, const struct nic_arrival *arrival);

/* -- from a launcher, when all ranks have closed */

struct nic_explained {
    struct nic_critical_path way;
    uint64_t bytes;
    uint32_t to;                        /* one-sided: whose memory it was */
    int32_t tag;
    uint32_t collective, one_sided;     /* 1: it is */
    char how[24];
};

/* Units (enum nic_unit_kind), X(NAME, name). */
#define NIC_UNITS(X) \
    X(HOST, host) X(BUS, bus) X(PROCESSOR, nic) X(ALPU, alpu) X(TX, tx) X(RX, rx) X(LINK, wire)
const char *nic_unit_name(unsigned unit);

/* Blocking calls that sent or received one message: up to the command or the transfer, from there
 * until the completion was seen, and from there to the return. */
struct nic_explained_calls { uint64_t count, before, during, after; };

/* What a program has charged by the name of a key of its own (nic_charge_key); all those of cycles
 * are there, with 0 if they charged nothing: no program has more (nicemu/profile.h). */
enum { NIC_EXPLAINED_OWN = 16, NIC_EXPLAINED_NAME = 32 };
struct nic_explained_own { char name[NIC_EXPLAINED_NAME]; uint64_t count, time; };

/* How long a key of the profile has made a unit (enum nic_unit_kind) busy, or what a latency has
 * taken, so many times or for so many bytes.  What works at the same time counts for each. */
enum { NIC_EXPLAINED_CHARGES = 128 };
struct nic_explained_charge { char key[NIC_EXPLAINED_NAME]; uint64_t unit, times, time; };

/* What a rank had: each unit (enum nic_unit_kind) busy, or idle. */
struct nic_explained_rank {
    uint64_t end;                       /* its host's, as in struct nic_model_result */
    uint64_t busy[NIC_UNIT_COUNT];      /* host: in calls, or handlers */
    /* of that, what came behind `end`, and when the last of all was over */
    uint64_t after[NIC_UNIT_COUNT], until[NIC_UNIT_COUNT];
    uint64_t computed, waited;          /* host: between its calls; in them, with nothing to do */
    uint64_t messages, collectives, one_sided;  /* that ended here */
    /* ways that did not begin where the message did, have a gap, or do not add up: 0, or something
     * is wrong */
    uint64_t strays;
    uint64_t total, part[NIC_PART_COUNT];       /* of all messages that ended here */
    struct nic_explained_calls sends, receives;
    struct nic_explained_own own[NIC_EXPLAINED_OWN];    /* behind the last: no name */
    struct nic_explained_charge charge[NIC_EXPLAINED_CHARGES];  /* the same */
};

/* How many messages each rank keeps, 0: the job is not explained.  At most NIC_EXPLAIN_MAX. */
enum { NIC_EXPLAIN_MAX = 100000 };
unsigned nic_job_explains(const struct nic_job *job);
/* False: that rank has not closed, or somebody has overwritten what it left. */
bool nic_job_explained_rank(const struct nic_job *job, unsigned rank,
                            struct nic_explained_rank *explained);
/* The slowest of all ranks, slowest first, in an order that is the same in each run.  Returns how
 * many, at most `most`; -ENOMEM, or -EPROTO where somebody has overwritten what a rank left. */
int nic_job_explained(const struct nic_job *job, struct nic_explained *slowest, unsigned most);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif
#endif
