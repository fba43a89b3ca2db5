/* nicemu: a network interface (NIC) in software, for programs that say what it does.  A process
 * opens a NIC with a control program (firmware, a table of handlers) and drives it as its host.
 * This header is all that such a program needs: nicemu(7) is an overview, examples/nic/ has
 * programs.  What the hardware has besides is in headers of their own: nicemu/remote.h, counter.h,
 * trigger.h, queue.h, atomic.h, pgas_queue.h, heap.h, alpu_unit.h; figures in nicemu/stats.h; the
 * model clock in nicemu/model.h, profile.h, list.h, explain.h; launchers need job.h, machines.h.
 *
 * Functions return 0 (or a non-negative result) on success, a negative errno on failure.  Pointers
 * that they take may not be NULL unless it says so.  Sizes are bytes, live time is nanoseconds,
 * model time picoseconds.  A rank counts from 0 in its job, and one given to a function must be in
 * it.  "Baton held": between nic_enter and nic_leave, or inside a handler. */
#ifndef NICEMU_H
#define NICEMU_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)    /* what is declared here is what libnicemu exports */

/* ------------------------------------------------------------------ job --
 * The memory that the ranks share.  A launcher (mpirun) makes it and starts them, or a process
 * makes one for NICs of its own (link "loop").  Any thread. */
struct nic_job;
struct nic_model_config; struct nic_machines; struct nic_directory;
enum { NIC_MAX_RANKS = 65535 };

struct nic_job_config {
    unsigned ranks;             /* 1 .. NIC_MAX_RANKS */
    unsigned cores;             /* processors for the job; 0: those that this thread may use */
    size_t scratchpad;          /* bytes per rank, whole pages; 0: the profile's, else 1 MiB */
    size_t heap, heap_least;    /* the same (nicemu/heap.h); 0: 4 GiB or less, or the least */
    const struct nic_model_config *model;   /* the model clock (nicemu/model.h); NULL: live */
    const struct nic_machines *machines;    /* several (nicemu/machines.h); NULL: one */
};

/* The memory is an unlinked file, in /dev/shm or $TMPDIR where the kernel refuses memfd_create.
 * Where limits (address space, size of files) leave no room for the heaps they become smaller, or
 * none.  -EINVAL: a number out of range; -ENOMEM, -EMFILE, -EFBIG. */
int nic_job_create(const struct nic_job_config *config, struct nic_job **job);
/* The job that this process' launcher made and the process' rank in it, or a job of its own with
 * the single rank 0 if nobody did.  What this process starts in its turn is no rank of the job.
 * Once, before there are other threads.  -EINVAL: the environment names none, or no rank of it;
 * -EPROTO: no job of this version; else as nic_job_create. */
int nic_job_from_environment(struct nic_job **job, unsigned *rank);
/* Unmaps and closes; the memory goes with the last process that holds it. */
void nic_job_close(struct nic_job *job);

/* ------------------------------------------------------ control program --
 * Handlers run with the baton held, never two at a time on one NIC, on any thread; none may block.
 * The loop that calls them: network in, commands, requests under way. */
struct nic;

/* Valid during its handler. */
struct nic_packet {
    uint8_t type, flags;        /* the program's own; types below 0xc0, flag bit 7 is the NIC's */
    uint32_t length;            /* bytes of payload in the whole packet */
    uint64_t match;             /* match bits */
    const void *head;           /* the first head_bytes of the payload */
    uint32_t head_bytes;        /* min(length, NIC_HEAD_BYTES) */
    uint64_t time;              /* model clock: when it arrived, ps; live clock: 0 */
};
enum { NIC_HEAD_BYTES = 48 };

struct nic_words;               /* nicemu/queue.h */
struct nic_command { uint32_t op; uint32_t arg; void *object; };

/* What works in a NIC, and can be charged. */
enum nic_unit_kind { NIC_UNIT_HOST, NIC_UNIT_BUS, NIC_UNIT_PROCESSOR, NIC_UNIT_ALPU, NIC_UNIT_TX,
                     NIC_UNIT_RX, NIC_UNIT_LINK, NIC_UNIT_COUNT };

/* A number that profiles may set, [own] NAME = 12 cycles.  At most 16, of names up to 31 bytes. */
struct nic_program_key {
    const char *name, *unit;    /* unit: "ps", any time; "bytes", any size; else a count of that */
    uint64_t least, most, fallback;
};

/* Without `packet` nic_open fails; others that are NULL end the process where they are needed. */
struct nic_program {
    const char *name; const struct nic_gaps *gaps;      /* gaps: nicemu/gaps.h, or NULL */
    uint64_t host_data; const struct nic_program_key *keys;     /* see model.h; NULL-named: last */
    /* The NIC is open.  0, or a negative errno that nic_open returns.  NULL: not wanted. */
    int (*attach)(struct nic *nic, void *context);
    /* A packet.  Its bytes behind head_bytes go where nic_receive_body says, else nowhere. */
    void (*packet)(struct nic *nic, void *context, const struct nic_packet *packet);
    /* They are there: nic_receive_body's cookie. */
    void (*landed)(struct nic *nic, void *context, void *cookie);
    /* The host wants something (nic_submit), or nic_later, nic_tell_host or nic_timer did. */
    void (*command)(struct nic *nic, void *context, const struct nic_command *command);
    /* A turn for requests under way, while nic_hold_polling is above 0.  True: something moved. */
    bool (*advance)(struct nic *nic, void *context);
    /* A chain reached NIC_OPERATION_CALL (nicemu/trigger.h).  NULL: chains have none. */
    void (*counter)(struct nic *nic, void *context, void *cookie);
    /* A message came (nic_message_send, nicemu/queue.h).  NULL: dropped. */
    void (*message)(struct nic *nic, void *context, const struct nic_words *message);
};

enum nic_progress {
    NIC_PROGRESS_AUTO,          /* a host that waits; else the NIC's thread, if service is due */
    NIC_PROGRESS_THREAD, NIC_PROGRESS_HOST,     /* that thread all the time; only inside calls */
};

struct nic_config {
    struct nic_job *job;        /* stays the caller's; must outlive the NIC */
    unsigned rank;
    const char *link;           /* "shm": ranks are processes; "loop": all are in this process */
    enum nic_progress progress;
    const struct nic_program *program;
    void *context;              /* the handlers' */
    const char *thread_cpus;    /* processors for the NIC's thread, "2-3,7"; NULL: the job's */
    const struct nic_directory *directory;  /* where the job has several machines */
};

/* A rank whose process has closed its NIC may be opened by another process, once the processes of
 * all ranks do so: it waits for them, and the job's memory is as in the beginning.  -EINVAL: no
 * such link or rank, no program; -ENOMEM; -EBUSY: the rank is open, or was in this process;
 * -ESRCH: a rank that is waited for has ended; -ECANCELED: the job is aborted; or what attach
 * returns.  nic_open and nic_close: one thread, without the baton. */
int nic_open(const struct nic_config *config, struct nic **nic);
/* The program must be idle: packets that still come are never read. */
void nic_close(struct nic *nic);
const char *nic_open_error(void);       /* of this thread's last nic_open, in words, or "" */
unsigned nic_rank(const struct nic *nic);
unsigned nic_ranks(const struct nic *nic);

/* ----------------------------------------------------------------- host --
 * Whoever holds the baton may step the NIC, call what is below and touch the program's state.  Host
 * threads: any, one at a time (several: nicemu/threads.h).  Not from handlers. */
void nic_enter(struct nic *nic);        /* waits for the baton */
bool nic_try_enter(struct nic *nic);
void nic_leave(struct nic *nic);        /* due service goes on, queued commands are executed */
bool nic_step(struct nic *nic);         /* one turn of its loop; true: something moved */

/* A wait begins zeroed but for what is set below note; call nic_wait_turn until what you wait for
 * has happened.  It takes a turn and, if nothing moves, spins, yields or (after a millisecond;
 * by_turns, of many ranks: and 128 yields) sleeps, with the baton given up meanwhile. */
struct nic_wait {
    uint32_t spins, yields; uint64_t since;     /* the wait's own, as are slept and begun */
    const char *(*note)(void *argument, char *text, size_t size);   /* says what for; or NULL */
    void *argument;             /* of note and ready */
    /* True if it has happened: for what is stored in memory by another rank or thread, which then
     * calls nic_notify.  Only looks, with and without the baton.  NULL: it comes by the NIC. */
    bool (*ready)(void *argument);
    bool polled;                /* nobody rings (memory of another rank): sleeps at most 200 us */
    bool by_turns, slept, begun; uint8_t naps;
    uint64_t most_ns;           /* live: sleeps at most so long; 0: until it is rung */
};
void nic_wait_turn(struct nic *nic, struct nic_wait *wait);
void nic_notify(struct nic *nic, unsigned rank);    /* wakes its host; any thread, no baton */

/* A command for the program.  Any thread, without the baton.  In order: at once if the baton is
 * free, else by whoever holds it.  Waits only if 256 are queued. */
void nic_submit(struct nic *nic, const struct nic_command *command);

/* -------------------------------------------------------------- packets --
 * Into the peer's inbox, also before it has opened its NIC: up to 48 bytes of payload travel in one
 * cache line with the match bits.  Those of a rank to one other arrive in order, none is lost.
 * Baton held. */
struct nic_tx {
    uint8_t type, flags;        /* the program's own; type below 0xc0, flag bit 7 must be 0 */
    uint8_t head_bytes; bool gathered;  /* a multiple of 8, at most 32; see nicemu/gaps.h */
    uint32_t data_bytes;        /* 0 .. NIC_MESSAGE_BYTES_MAX; see nic_far_bytes_max */
    uint64_t match;
    const void *head;           /* in front of the data in the payload; NULL if head_bytes is 0 */
    const void *data;           /* NULL if data_bytes is 0 */
};
enum { NIC_MESSAGE_BYTES_MAX = 16 * 1024, NIC_POSTS_MANY = 1024 };

/* 0: sent, head and data may be reused.  -EAGAIN: the peer's inbox is full; a host takes a turn of
 * a wait with `polled`, which empties its own, and tries again.  -EMSGSIZE; -EINVAL: type. */
int nic_send(struct nic *nic, unsigned peer, const struct nic_tx *message);
/* The same, and wakes the peer's NIC thread if its host is away. */
int nic_send_service(struct nic *nic, unsigned peer, const struct nic_tx *message);
/* The same from a handler, and never refused: what finds no room is copied and sent later, in order
 * with all others to that peer, to which nic_send gives -EAGAIN meanwhile (nic_close waits a second
 * for room).  A NIC that keeps NIC_POSTS_MANY gets no more by nic_send (-EAGAIN), only by nic_post:
 * if handlers post one for each that comes, it keeps those, an inbox full and one per rank. */
int nic_post(struct nic *nic, unsigned peer, const struct nic_tx *message);
unsigned nic_packet_source(const struct nic *nic);  /* from the packet handler, and from landed */

/* From the packet handler: the bytes behind head_bytes go to `to`, at most `capacity` of them, the
 * rest is dropped; then landed(cookie), unless it is NULL.  The memory must stay until then. */
void nic_receive_body(struct nic *nic, void *to, size_t capacity, void *cookie);

/* Requests under way: while the sum is above 0 advance() has its turns, hosts sleep but shortly. */
void nic_hold_polling(struct nic *nic, int change);
/* Requests that must go on while the host is away: while the sum is above 0 the NIC's thread serves
 * (NIC_PROGRESS_HOST: they wait for the host's next call). */
void nic_hold_service(struct nic *nic, int change);

/* ----------------------------------------------------------------- time --
 * On the model clock handlers do the real work at once and charge for it; what they send or end
 * carries the time at which that would have happened (nicemu/model.h).  Baton held. */
bool nic_modelled(const struct nic *nic);
/* The host's time in ps, after the cost of this look.  Live: the system's clock. */
uint64_t nic_time(struct nic *nic);
/* Charges a unit so many cycles of its clock (host.clock, alpu.clock, for others nic.clock).  In a
 * handler, which goes on behind them, but for TX and RX, which work beside it: all but HOST; else
 * HOST only.  Live: nothing.  -EINVAL: no such unit, or not from here; -ERANGE: more than 2^40. */
int nic_charge(struct nic *nic, enum nic_unit_kind unit, uint64_t cycles);
uint64_t nic_key(const struct nic *nic, unsigned index);    /* of the program's keys[index] */
/* The host computes for so many ps; live: in a loop.  Without the baton. */
void nic_compute(struct nic *nic, uint64_t picoseconds);
/* From a handler: its processor has copied so many bytes.  Live: nothing. */
void nic_copied(struct nic *nic, size_t bytes);
/* The command handler gets this when all that the handler did so far is complete, copies too;
 * live: at once.  nic_tell_host: for what the host waits for, at the cost of a completion. */
void nic_later(struct nic *nic, const struct nic_command *command);
void nic_tell_host(struct nic *nic, const struct nic_command *command);
/* The command handler gets this so much later.  Also the host.  Live: -ENOSYS. */
int nic_timer(struct nic *nic, uint64_t picoseconds, const struct nic_command *command);

/* ------------------------------------------------------------- matching --
 * An associative list: the first match in order of appending wins.  One thread at a time. */
struct nic_match_list;
struct nic_match_list *nic_match_list_new(void);    /* NULL: no memory */
void nic_match_list_delete(struct nic_match_list *list);
/* Mask bits set are not compared.  0 or -ENOMEM. */
int nic_match_list_append(struct nic_match_list *list, uint64_t bits, uint64_t mask, uint32_t tag);
/* Deletes the first entry with ((entry bits ^ bits) & ~(entry mask | mask)) == 0.  False: none.
 * *position, unless NULL, becomes the number of entries before it, which costs a count. */
bool nic_match_list_match(struct nic_match_list *list, uint64_t bits, uint64_t mask, uint32_t *tag,
                          size_t *position);
/* The same, and the model clock charges the search and the entries traversed.  Baton held. */
bool nic_match(struct nic *nic, struct nic_match_list *list, uint64_t bits, uint64_t mask,
               uint32_t *tag);
/* Deletes the first entry with that tag.  False: none. */
bool nic_match_list_remove(struct nic_match_list *list, uint32_t tag);
size_t nic_match_list_count(const struct nic_match_list *list);

/* ----------------------------------------------------------- scratchpad --
 * A rank's share of fast memory on the NIC: small, for all uses together (nicemu/spad.h), named to
 * others by offset.  Alloc and free: baton held; the others: any thread. */
#define NIC_SPAD_NONE UINT64_MAX
/* `bytes` (at least one is taken) at a multiple of align, a power of two.  NIC_SPAD_NONE: no room
 * (counted as a refusal), or arguments out of range. */
uint64_t nic_spad_take(struct nic *nic, size_t bytes, size_t align);
void nic_spad_free(struct nic *nic, uint64_t offset);   /* what was taken; else no effect */
/* NULL: [offset, offset + bytes) is not in the scratchpad of `rank`, or that is not in reach. */
void *nic_spad_at(struct nic *nic, unsigned rank, uint64_t offset, size_t bytes);
size_t nic_spad_size(const struct nic *nic);    /* bytes per rank */
#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif
#endif
