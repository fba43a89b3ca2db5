/* nicemu: a software network interface (NIC) that one process opens, programs
 * and drives.  This header is the only door into the library: types are
 * opaque, nothing here knows of MPI.
 *
 * Conventions: functions return 0 (or a non-negative result) on success and a
 * negative errno on failure.  Sizes are bytes, live time is nanoseconds, model
 * time is picoseconds.  Ranks count from 0 within a job.  */
#ifndef NICEMU_H
#define NICEMU_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ------------------------------------------------------------------ job --
 * A job is one sparse memory file shared by all its ranks: a header, and per
 * rank a public line, an inbox ring and a scratchpad.  The launcher creates it
 * and the ranks inherit the descriptor; nothing has a name in a file system, so
 * nothing is left behind after a crash.  Job functions may be called from any
 * thread; those on one struct nic_job for different ranks do not disturb each
 * other. */

struct nic_job;

enum { NIC_MAX_RANKS = 65535 };

struct nic_model_config;

struct nic_job_config {
    unsigned ranks;             /* 1 .. NIC_MAX_RANKS */
    unsigned cores;             /* processors the job may use; 0: the calling thread's affinity mask counts */
    size_t scratchpad;          /* bytes per rank, 0: the default (1 MiB, sparse) */
    const struct nic_model_config *model;   /* the model clock (nicemu/model.h); NULL: the live clock */
};

/* Creates the shared memory of a job.  -EINVAL for a number of ranks out of range, -ENOMEM, -EMFILE. */
int nic_job_create(const struct nic_job_config *config, struct nic_job **job);

/* Opens the job behind an inherited descriptor.  -EPROTO if it is no job of this version. */
int nic_job_attach(int fd, struct nic_job **job);

/* The descriptor (close-on-exec is clear, so that ranks inherit it). */
int nic_job_fd(const struct nic_job *job);
unsigned nic_job_ranks(const struct nic_job *job);

/* Processors that the job may use. */
unsigned nic_job_cores(const struct nic_job *job);

/* Unmaps and closes; the memory goes with the last process that holds it. */
void nic_job_close(struct nic_job *job);

/* The environment by which a rank finds its place: a launcher sets both for each rank before exec. */
#define NIC_ENV_JOB_FD "NICEMU_JOB_FD"  /* decimal descriptor of the job */
#define NIC_ENV_RANK "NICEMU_RANK"      /* decimal rank */

/* Life of a rank, as it shows in its public line. */
enum nic_rank_state {
    NIC_RANK_ABSENT,            /* no NIC opened yet */
    NIC_RANK_OPEN,              /* nic_open done */
    NIC_RANK_CLOSED,            /* nic_close done: it left in order */
};
enum nic_rank_state nic_job_rank_state(const struct nic_job *job, unsigned rank);

/* Records that `rank` ends the job with exit code `code`; the first call of a job wins and returns true. */
bool nic_job_set_abort(struct nic_job *job, unsigned rank, int code);

/* True if the job was aborted; rank and code may be NULL. */
bool nic_job_aborted(const struct nic_job *job, unsigned *rank, int *code);

/* Sets the note of one's own rank (cut at 127 bytes). */
void nic_job_set_note(struct nic_job *job, unsigned rank, const char *text);

/* A line of text that says what a rank waits for ("MPI_Recv(source 3, tag 7, MPI_COMM_WORLD)"), or "".  Writes at
 * most size bytes, always terminated; a torn text is possible while the rank runs. */
void nic_job_rank_note(const struct nic_job *job, unsigned rank, char *text, size_t size);

/* A number that stays the same between two calls only if in between every open rank slept in a wait, nobody
 * sent anything and all inboxes were empty; 0 if that is not so now.  Two equal non-zero answers some 100 ms apart mean that the job
 * cannot go on by itself. */
uint64_t nic_job_standstill(const struct nic_job *job);

/* ------------------------------------------------------------------ NIC --
 * One per process and rank: an inbox, a processor that runs a control program
 * (firmware), an RDMA engine, a command ring, a doorbell.  The engine is stepped
 * by whoever holds the NIC's baton: a host thread that waits, or the NIC's own
 * thread while the host is away. */

struct nic;

enum nic_progress {
    NIC_PROGRESS_AUTO,          /* the host steps while it waits, the NIC thread while the host is away and service is due */
    NIC_PROGRESS_THREAD,        /* the NIC thread steps all the time */
    NIC_PROGRESS_HOST,          /* no NIC thread: progress only inside calls */
};

/* A packet as the firmware sees it.  Valid during the handler only. */
struct nic_packet {
    uint8_t type, flags;        /* the firmware's own; flag bit 7 is the NIC's */
    uint32_t length;            /* bytes of payload in the whole packet */
    uint64_t match;             /* match bits */
    const void *head;           /* the first head_bytes of payload */
    uint32_t head_bytes;        /* min(length, 48) */
    uint64_t time;              /* model clock: when it arrived, ps; live clock: 0 */
};
enum { NIC_HEAD_BYTES = 48, NIC_FLAG_KEYED = 0x80 };

struct nic_words;
struct nic_command { uint32_t op; uint32_t arg; void *object; };

/* The control program.  Every handler runs with the baton held, never two at a time on one NIC; none may block. */
struct nic_program {
    const char *name;
    /* The NIC is open; nothing else has been called yet.  0, or a negative errno that nic_open returns.  NULL: not wanted. */
    int (*attach)(void *context, struct nic *nic);
    /* A packet arrived.  If length > head_bytes the handler calls nic_sink to say where the rest goes. */
    void (*packet)(void *context, const struct nic_packet *packet);
    /* The rest of a packet is where nic_sink said. */
    void (*landed)(void *context, void *cookie);
    /* The host wants something. */
    void (*command)(void *context, const struct nic_command *command);
    /* One turn for the requests under way; called while nic_active is above 0.  True: it moved something. */
    bool (*advance)(void *context);
    /* A chain of operations reached NIC_OPERATION_CALL (nicemu/trigger.h).  NULL: chains have none. */
    void (*counter)(void *context, void *cookie);
    /* A message came (nic_message_send, nicemu/queue.h).  NULL: dropped. */
    void (*message)(void *context, const struct nic_words *message);
};

struct nic_config {
    struct nic_job *job;            /* stays the caller's; must outlive the NIC */
    unsigned rank;
    const char *link;               /* "shm": ranks are processes; "loop": all NICs of the job live in this process */
    enum nic_progress progress;
    const struct nic_program *program;
    void *context;
    const char *thread_cpus;        /* processors of the NIC's thread, as in nic_cpus_parse; NULL: any that the job may use */
};

/* -EINVAL, -ENOMEM, -EBUSY when the rank is open already. */
int nic_open(const struct nic_config *config, struct nic **nic);

/* Stops the NIC thread and leaves the job.  The firmware must be idle. */
void nic_close(struct nic *nic);

unsigned nic_rank(const struct nic *nic);
unsigned nic_ranks(const struct nic *nic);

/* -- baton.  Any thread.  nic_enter waits for it, nic_try_enter doesn't.  All calls below up to "command" need it. */

/* The front of a NIC, as a real one maps its doorbell page into the host's memory: the first member of struct nic, for the inlines below only.
 * A host stores host_in and looks at thread_in, with no fence: the NIC thread, which takes the baton seldom, runs membarrier between storing thread_in and
 * looking at host_in, so one of the two sees the other. */
struct nic_front {
    uint32_t host_in, thread_in;
    uint32_t careful;           /* NIC_CAREFUL_*: 0 where the short ways below are all there is to do */
    uint32_t queued;            /* set by a host that left a command in the ring: whoever enters next executes it first */
};
enum {
    NIC_CAREFUL_SHARED = 1,     /* several host threads */
    NIC_CAREFUL_FENCE = 2,      /* no membarrier here: fences instead */
    NIC_CAREFUL_LEAVE = 4,      /* requests need service while the host is away */
    NIC_CAREFUL_MODEL = 16,     /* the model clock; all of the others are set too */
    NIC_CAREFUL_MOVE = 8,       /* requests under way, the model clock, or a link without inbox rings: no short sends and receives */
};
bool nic_try_enter_careful(struct nic *nic);
void nic_enter_wait(struct nic *nic);
void nic_leave_careful(struct nic *nic);

static inline bool nic_try_enter(struct nic *nic)
{
    struct nic_front *f = (struct nic_front *)nic;
    if (__builtin_expect((__atomic_load_n(&f->careful, __ATOMIC_RELAXED) & (NIC_CAREFUL_SHARED | NIC_CAREFUL_FENCE))
                         | __atomic_load_n(&f->queued, __ATOMIC_RELAXED), 0))
        return nic_try_enter_careful(nic);
    __atomic_store_n(&f->host_in, 1, __ATOMIC_RELAXED);
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    if (__builtin_expect(!__atomic_load_n(&f->thread_in, __ATOMIC_ACQUIRE), 1))    /* pairs with the NIC thread's release of thread_in = 0 */
        return true;
    __atomic_store_n(&f->host_in, 0, __ATOMIC_RELEASE);
    return false;
}

static inline void nic_enter(struct nic *nic)
{
    if (__builtin_expect(!nic_try_enter(nic), 0))
        nic_enter_wait(nic);
}

/* Gives the baton back; sees to it that due service goes on (nic_service) and executes commands queued meanwhile. */
static inline void nic_leave(struct nic *nic)
{
    struct nic_front *f = (struct nic_front *)nic;
    if (__builtin_expect(__atomic_load_n(&f->careful, __ATOMIC_RELAXED) & (NIC_CAREFUL_SHARED | NIC_CAREFUL_LEAVE), 0))
        nic_leave_careful(nic);
    else
        __atomic_store_n(&f->host_in, 0, __ATOMIC_RELEASE);     /* pairs with the NIC thread's acquire of host_in */
}

/* Several host threads will call at once from now on. */
void nic_share(struct nic *nic);

/* One turn of the NIC's loop: network in, commands, active requests.  True: something moved. */
bool nic_step(struct nic *nic);

/* A wait.  Start with a zeroed struct nic_wait and call nic_wait_turn until what you wait for has happened: each call takes a turn and, when nothing
 * moves, spins, yields or sleeps as suits the number of runnable ranks and cores.  The baton is given up while it sleeps or yields. */
struct nic_wait {
    uint32_t spins, yields;         /* the wait's own, as is since */
    uint64_t since;
    const char *(*note)(void *argument, char *text, size_t size);  /* says what for; NULL: nothing to say */
    void *argument;                 /* of note and ready */
    /* For a wait that ends by a store of another rank or thread into memory (a scratchpad), which that one follows up with nic_notify: true if it has happened.
     * Called with and without the baton, so it only looks. NULL: what is waited for comes through the engine. */
    bool (*ready)(void *argument);
};
void nic_wait_turn(struct nic *nic, struct nic_wait *wait);

/* Call it after a store into a scratchpad that a host of `rank` may wait for with nic_wait.ready: wakes that host if it sleeps. Any thread. */
void nic_notify(struct nic *nic, unsigned rank);

/* -- transmit.  head_bytes: a multiple of 8, at most 32; it goes in front of data in the payload. */
struct nic_message { uint8_t type, flags; uint16_t head_bytes; uint32_t data_bytes; uint64_t match; const void *head; const void *data; };
enum { NIC_MESSAGE_BYTES_MAX = 16 * 1024 };

/* 0: sent, data may be reused.  -EAGAIN: the peer's inbox is full; step the NIC (drain your own) and try again.  -EMSGSIZE. */
int nic_send(struct nic *nic, unsigned peer, const struct nic_message *message);
/* As nic_send, for packets that may need the peer's NIC thread (a rendezvous): rings if its host is away. */
int nic_send_service(struct nic *nic, unsigned peer, const struct nic_message *message);

/* The short way for a message without a head: takes the baton, sends, gives it back.  False: not possible just now (baton taken, requests
 * under way, several host threads, no room, too long): use nic_enter and nic_send. */
bool nic_send_now(struct nic *nic, unsigned peer, uint8_t type, uint64_t match, const void *data, size_t bytes);

/* The short way for a receive when the firmware's queues are empty, so that the next packet is matched with nothing else: waits a little for
 * the next packet, and if that has this type and matches ((its bits ^ match) & ~mask == 0), and has at most capacity bytes, puts the data at `to`.  Baton held.  False: nothing came, or something else
 * (which stays): go the usual way. */
struct nic_taken { uint64_t match; uint32_t length; };
bool nic_take(struct nic *nic, uint8_t type, uint64_t match, uint64_t mask, void *to, size_t capacity, struct nic_taken *taken);

/* -- receive, from the packet handler only: the bytes behind head_bytes go to `to`, at most `capacity` of them, the rest is dropped; then landed(cookie). */
void nic_sink(struct nic *nic, void *to, size_t capacity, void *cookie);

/* True if it is the NIC's own thread that holds the baton and calls the program.  Baton held. */
bool nic_on_thread(const struct nic *nic);

/* Requests under way: while the sum is above 0, advance() is called each turn and hosts don't sleep long. */
void nic_active(struct nic *nic, int change);
/* Requests that must go on while the host is away: while the sum is above 0 the NIC thread is ready to serve. */
void nic_service(struct nic *nic, int change);

/* -- command: any thread, without the baton.  Executed in order by whoever holds the baton next. */
void nic_submit(struct nic *nic, const struct nic_command *command);

/* -- RDMA.  Copies between this process and a peer's memory; the peer does nothing.
 * What a pair of ranks may do is probed once: kernel copy may be forbidden (containers, seccomp, other users). */
enum { NIC_RDMA_READ = 1, NIC_RDMA_WRITE = 2 };
unsigned nic_rdma_paths(struct nic *nic, unsigned peer);
/* 0, -EFAULT, -EPERM, -ESRCH.  Large transfers: the caller cuts them in pieces to stay responsive. */
int nic_rdma_read(struct nic *nic, unsigned peer, uint64_t from, void *to, size_t bytes);
int nic_rdma_write(struct nic *nic, unsigned peer, const void *from, uint64_t to, size_t bytes);

/* Nanoseconds of a copy of so many bytes by the kernel, the best of a few on this process' own memory; 0: not possible. */
uint64_t nic_kernel_copy_ns(size_t bytes);

/* -- scratchpad: this rank's share of the job's memory, named to others by offset. */
#define NIC_SPAD_NONE UINT64_MAX
uint64_t nic_spad_alloc(struct nic *nic, size_t bytes, size_t align);       /* NIC_SPAD_NONE when exhausted */
void nic_spad_free(struct nic *nic, uint64_t offset);
/* NULL if [offset, offset + bytes) is not inside the rank's scratchpad. */
void *nic_spad_at(struct nic *nic, unsigned rank, uint64_t offset, size_t bytes);

/* True if this NIC runs on the model clock. */
bool nic_modelled(const struct nic *nic);

/* True if the ranks of this job outnumber its cores; never on the model clock, where the machine's cores must not decide anything. */
bool nic_oversubscribed(const struct nic *nic);

/* -- matching store (associative list).  First match in order of appending wins; no locks, no I/O. */
struct nic_alpu;
struct nic_alpu *nic_alpu_new(void);
void nic_alpu_delete(struct nic_alpu *alpu);
/* Appends an entry: mask bits set are not compared.  0 or -ENOMEM. */
int nic_alpu_append(struct nic_alpu *alpu, uint64_t bits, uint64_t mask, uint32_t tag);
/* Finds and deletes the first entry with ((entry bits ^ bits) & ~(entry mask | mask)) == 0.  Position (number of live entries before it) goes to *position unless NULL
 * and costs a count.  False: none. */
bool nic_alpu_match(struct nic_alpu *alpu, uint64_t bits, uint64_t mask, uint32_t *tag, size_t *position);
/* The same without deleting. */
bool nic_alpu_find(const struct nic_alpu *alpu, uint64_t bits, uint64_t mask, uint32_t *tag, size_t *position);
/* Deletes the entry with that tag.  False: none. */
bool nic_alpu_remove(struct nic_alpu *alpu, uint32_t tag);
size_t nic_alpu_count(const struct nic_alpu *alpu);
/* Makes room, so that appending does not fail while there are at most so many entries.  0 or -ENOMEM. */
int nic_alpu_reserve(struct nic_alpu *alpu, size_t entries);
/* Deletes all entries; the room stays. */
void nic_alpu_clear(struct nic_alpu *alpu);
/* The entry with so many live entries before it.  False: there are not so many. */
struct nic_alpu_entry { uint64_t bits, mask; uint32_t tag; };
bool nic_alpu_at(const struct nic_alpu *alpu, size_t position, struct nic_alpu_entry *entry);

/* nic_alpu_match on a NIC's own store, for the model clock, which charges the search and the entries traversed; on the live clock both do the same. */
bool nic_match(struct nic *nic, struct nic_alpu *alpu, uint64_t bits, uint64_t mask, uint32_t *tag);

/* The same, and the entry stays. */
bool nic_match_find(struct nic *nic, struct nic_alpu *alpu, uint64_t bits, uint64_t mask, uint32_t *tag);

/* The host takes notice of something that is complete: costs time on the model clock (nicemu/model.h). */
void nic_completion_slow(struct nic *nic);
static inline void nic_completion(struct nic *nic)
{
    if (__builtin_expect(((struct nic_front *)nic)->careful & NIC_CAREFUL_MODEL, 0))
        nic_completion_slow(nic);
}

/* -- a copy of at most 64 bytes between regions that don't overlap, inlined: a call costs as much as such a copy. */
static inline void nic_copy_short(void *dst, const void *src, size_t n)
{
    unsigned char *d = (unsigned char *)dst;
    const unsigned char *s = (const unsigned char *)src;
    if (n == 8) {
        __builtin_memcpy(d, s, 8);
    } else if (n >= 32) {           /* two overlapping halves */
        __builtin_memcpy(d, s, 32);
        __builtin_memcpy(d + n - 32, s + n - 32, 32);
    } else if (n >= 16) {
        __builtin_memcpy(d, s, 16);
        __builtin_memcpy(d + n - 16, s + n - 16, 16);
    } else if (n >= 8) {
        __builtin_memcpy(d, s, 8);
        __builtin_memcpy(d + n - 8, s + n - 8, 8);
    } else if (n >= 4) {
        __builtin_memcpy(d, s, 4);
        __builtin_memcpy(d + n - 4, s + n - 4, 4);
    } else if (n) {
        d[0] = s[0];
        d[n / 2] = s[n / 2];
        d[n - 1] = s[n - 1];
    }
}

#ifdef __cplusplus
}
#endif

#include "nicemu/remote.h"
#include "nicemu/atomic.h"
#include "nicemu/counter.h"
#include "nicemu/alpu_unit.h"
#include "nicemu/model.h"
#include "nicemu/place.h"
#include "nicemu/queue.h"
#include "nicemu/trigger.h"

#endif
