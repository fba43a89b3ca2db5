/* nicemu: a software network interface (NIC) that one process opens, programs
 * and drives.  This header and those in nicemu/ are the only door into the
 * library: types are opaque, nothing here knows of MPI.  nicemu(7) is an
 * overview, examples/nic/ has programs.
 *
 * Conventions: functions return 0 (or a non-negative result) on success and a
 * negative errno on failure; pointers that they take may not be NULL unless it
 * says so.  Sizes are bytes, live time is nanoseconds, model time is
 * picoseconds.  Ranks count from 0 within a job, and a rank given to a function
 * must be one of them.
 *
 * Threads: each section says who may call.  "Baton held" means between nic_enter
 * and nic_leave, or inside a handler of the control program.
 *
 * Papers, named where something follows them:
 *   Brightwell   "A Hardware Acceleration Unit for MPI Queue Processing"
 *   Katsamani    "Software implementation of MPI primitives in multicore FPGA"
 *   Buntinas     "Improving Cluster Performance Through the Use of Programmable
 *                Network Interfaces"
 *   Underwood    "Evaluating NIC Hardware Requirements to Achieve High Message
 *                Rate PGAS Support on Multi-Core Processors"
 *   SeaStar      "SeaStar Interconnect: Balanced Bandwidth for Scalable
 *                Performance" */
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
    size_t scratchpad;          /* bytes per rank, up to NIC_SCRATCHPAD_MAX, taken up to whole pages; 0: what the model's profile has, else 1 MiB (sparse) */
    size_t heap;                /* bytes per rank, up to NIC_HEAP_MAX; 0: the default (256 MiB, sparse, less with many ranks), NIC_HEAP_OFF: none */
    const struct nic_model_config *model;   /* the model clock (nicemu/model.h); NULL: the live clock */
};

/* Creates the shared memory of a job.  Where limits (address space, size of files) leave no room for the heaps they become smaller, or none.
 * The memory is an unlinked file in /dev/shm or $TMPDIR where the kernel refuses memfd_create; heaps then fit into what is free there.
 * -EINVAL for a number of ranks or a size out of range, -ENOMEM, -EMFILE, -EFBIG. */
int nic_job_create(const struct nic_job_config *config, struct nic_job **job);

/* What nic_job_create or nic_job_attach failed at last: a system call, or in words; "" if it was none. */
const char *nic_job_step(void);

/* Opens the job behind an inherited descriptor.  -EPROTO if it is no job of this version. */
int nic_job_attach(int fd, struct nic_job **job);

/* The descriptor (close-on-exec is clear, so that ranks inherit it). */
int nic_job_fd(const struct nic_job *job);
unsigned nic_job_ranks(const struct nic_job *job);

/* Processors that the job may use. */
unsigned nic_job_cores(const struct nic_job *job);

/* Bytes per rank.  Of the heap as it is mapped in this process: 0 where it has no room for it. */
size_t nic_job_scratchpad_bytes(const struct nic_job *job);
size_t nic_job_heap_bytes(const struct nic_job *job);

/* Unmaps and closes; the memory goes with the last process that holds it. */
void nic_job_close(struct nic_job *job);

/* The same, but the memory stays mapped until the process ends: for programs that still have pointers into it. */
void nic_job_leave(struct nic_job *job);

/* The environment by which a rank finds its place: a launcher sets both for each rank before exec. */
#define NIC_ENV_JOB_FD "NICEMU_JOB_FD"  /* decimal descriptor of the job */
#define NIC_ENV_RANK "NICEMU_RANK"      /* decimal rank */

/* The job that this process' launcher made and the process' rank in it, or a job of its own with the single
 * rank 0 if it was started without one.  The environment is consumed and the descriptor closed on exec: what this
 * process starts in its turn is no rank of the job.  Call it once, before there are other threads.
 * -EINVAL: no numbers, or a rank that is not in the job; else what nic_job_attach or nic_job_create return. */
int nic_job_from_environment(struct nic_job **job, unsigned *rank);

/* Life of a rank, as it shows in its public line. */
enum nic_rank_state {
    NIC_RANK_ABSENT,            /* no NIC opened yet */
    NIC_RANK_OPEN,              /* nic_open done */
    NIC_RANK_CLOSED,            /* nic_close done: it left in order */
};
enum nic_rank_state nic_job_rank_state(const struct nic_job *job, unsigned rank);

/* From a launcher: what it started as that rank has ended, and nothing of it will open a NIC any
 * more; whether it said so.  If the rank never opened its NIC, or has not closed it, nobody waits any
 * more for what it might do; on the model clock the job then has no hash unless it never opened it. */
void nic_job_rank_ended(struct nic_job *job, unsigned rank);
bool nic_job_has_ended(const struct nic_job *job, unsigned rank);

/* How many programs each rank has begun, one after the other (see nic_open); 1 before the first. */
unsigned nic_job_programs(const struct nic_job *job);

/* Records that `rank` ends the job with exit code `code`; the first call of a job wins and returns true.  Nothing
 * ends by it: a rank leaves by exit, and the launcher that sees it ends the others. */
bool nic_job_set_abort(struct nic_job *job, unsigned rank, int code);

/* Records that `rank` could not write what it was asked for: its job has not done all that it should. */
void nic_job_set_lost(struct nic_job *job, unsigned rank);
bool nic_job_lost(const struct nic_job *job, unsigned rank);

/* True if the job was aborted; rank and code may be NULL. */
bool nic_job_aborted(const struct nic_job *job, unsigned *rank, int *code);

/* Sets the note of one's own rank (cut at NIC_NOTE_BYTES - 1). */
enum { NIC_NOTE_BYTES = 256 };
void nic_job_set_note(struct nic_job *job, unsigned rank, const char *text);

/* A line of text that says what a rank waits for ("receive from rank 3"), or "".  Writes at most size bytes, always
 * terminated; a torn text is possible while the rank runs.  A byte that is no part of a printable character is '?'. */
void nic_job_rank_note(const struct nic_job *job, unsigned rank, char *text, size_t size);

/* Threads of an open rank, by their numbers in /proc/PROCESS/task: a rank goes on by itself as long
 * as one that may call is outside of all waits.  What waits sleeps on the futex at `word`. */
struct nic_rank_threads {
    int process;                /* in which the NIC is open */
    int one;                    /* the only one that calls (nic_one_host), 0: any may */
    int nic, runtime;           /* never call: the NIC's own, the thread sanitizer's; 0: none */
    unsigned waiting;           /* how many sleep in a wait of this NIC */
    bool polls;                 /* the NIC's own thread never sleeps (NIC_PROGRESS_THREAD) ... */
    uint32_t idle;              /* ... but counts here when it finds nothing to do; it wraps */
    uint64_t word;              /* an address in the rank's process */
};
/* False: the rank is not open.  It is the rank that says so: a stray store may have spoilt it. */
bool nic_job_rank_threads(const struct nic_job *job, unsigned rank,
                          struct nic_rank_threads *threads);

/* A number that stays the same between two calls only if in between every open rank slept in a wait, nobody sent
 * anything and all inboxes were empty; 0 if that is not so now.  Two equal non-zero answers some 100 ms apart mean
 * that the job cannot go on by itself, if all threads that may call are waiting
 * (nic_job_rank_threads). */
uint64_t nic_job_standstill(const struct nic_job *job);

/* ------------------------------------------------------------------ NIC --
 * One per process and rank: an inbox, a processor that runs a control program
 * (firmware), an RDMA engine, a command ring, a doorbell.  The engine is stepped
 * by whoever holds the NIC's baton: a host thread that waits, or the NIC's own
 * thread while the host is away.  nic_open and nic_close: one thread, which does
 * not hold the baton. */

struct nic;

enum nic_progress {
    NIC_PROGRESS_AUTO,          /* a host that waits steps; the NIC thread where none does and service is due */
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

/* The control program; the loop that calls it is that of Brightwell, V-C.  Handlers run with the baton held, never two at a
 * time on one NIC, on any thread; none may block.  A handler that is NULL must never be needed. */
struct nic_program {
    const char *name;
    /* The NIC is open; nothing else has been called yet.  0, or a negative errno that nic_open returns.
     * NULL: not wanted. */
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

/* What host threads do that was not announced, as far as it is seen where looking costs nothing. */
enum nic_misuse {
    NIC_MISUSE_AT_ONCE,         /* several call without nic_share: now anything may happen */
    NIC_MISUSE_OTHER,           /* not the one of nic_one_host; told once, from now on any may */
};

struct nic_config {
    struct nic_job *job;            /* stays the caller's; must outlive the NIC */
    unsigned rank;
    const char *link;               /* "shm": ranks are processes; "loop": all NICs of the job are in this one */
    enum nic_progress progress;
    const struct nic_program *program;
    void *context;
    const char *thread_cpus;        /* processors of the NIC's thread, as in nic_cpus_parse; NULL: any that the job may use */
    /* Called by a thread that finds misuse.  NIC_MISUSE_AT_ONCE ends the process when it returns
     * or is NULL. */
    void (*misuse)(enum nic_misuse kind);
};

/* Where ranks are processes, and one of this rank has left in order, another one opens in a new
 * generation of the job, for which all ranks have to come: it waits until they do, and then all of
 * the job's memory is as in the beginning. -EINVAL (no such link or rank, no program), -ENOMEM,
 * -EBUSY when the rank is open or was in this process, -ESRCH when a rank that is waited for has
 * ended, -ECANCELED when the job is aborted meanwhile; or what the program's attach returns. */
int nic_open(const struct nic_config *config, struct nic **nic);

/* Stops the NIC thread and leaves the job.  The firmware must be idle.  Packets that still come are never read. */
void nic_close(struct nic *nic);

unsigned nic_rank(const struct nic *nic);
unsigned nic_ranks(const struct nic *nic);

/* ---------------------------------------------------------------- baton --
 * Whoever holds it may step the NIC and touch the program's state.  Host
 * threads: any, but until nic_share only one at a time may call.  nic_enter
 * waits for it, nic_try_enter doesn't.  All calls below up to "command" need it
 * unless they say otherwise. */

/* The front of a NIC, as a real one maps its doorbell page into the host's memory: the first member of struct nic,
 * for the inlines below only.  A host stores host_in and looks at thread_in, with no fence: the NIC thread, which
 * takes the baton seldom, runs membarrier between storing thread_in and looking at host_in, so one of the two sees
 * the other. */
struct nic_front {
    uint32_t host_in, thread_in;
    uint32_t careful;           /* NIC_CAREFUL_*: 0 where the short ways below are all there is to do */
    uint32_t queued;            /* a host left a command in the ring: whoever enters next executes it first */
};
enum {
    NIC_CAREFUL_SHARED = 1,     /* several host threads */
    NIC_CAREFUL_FENCE = 2,      /* no membarrier here: fences instead */
    NIC_CAREFUL_LEAVE = 4,      /* requests need service while the host is away */
    NIC_CAREFUL_MOVE = 8,       /* requests under way, the model clock, or a link without inbox rings: no short ways */
    NIC_CAREFUL_MODEL = 16,     /* the model clock; all of the others are set too */
};
bool nic_try_enter_careful(struct nic *nic);
void nic_enter_wait(struct nic *nic);
void nic_leave_careful(struct nic *nic);

/* Its only host, and no commands left behind: the NIC thread may have it. */
static inline bool nic_front_enter(struct nic_front *f)
{
    __atomic_store_n(&f->host_in, 1, __ATOMIC_RELAXED);
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    /* acquire: pairs with the NIC thread's release of thread_in = 0 */
    if (__builtin_expect(!__atomic_load_n(&f->thread_in, __ATOMIC_ACQUIRE), 1))
        return true;
    __atomic_store_n(&f->host_in, 0, __ATOMIC_RELEASE);         /* pairs with the NIC thread's acquire */
    return false;
}

static inline bool nic_try_enter(struct nic *nic)
{
    struct nic_front *f = (struct nic_front *)nic;
    if (__builtin_expect((__atomic_load_n(&f->careful, __ATOMIC_RELAXED) & (NIC_CAREFUL_SHARED | NIC_CAREFUL_FENCE))
                         | __atomic_load_n(&f->queued, __ATOMIC_RELAXED), 0))
        return nic_try_enter_careful(nic);
    return nic_front_enter(f);
}

static inline void nic_enter(struct nic *nic)
{
    if (__builtin_expect(!nic_try_enter(nic), 0))
        nic_enter_wait(nic);
}

/* Gives the baton back; sees to it that due service goes on (nic_service) and executes commands queued meanwhile.
 * Not from a handler. */
static inline void nic_leave(struct nic *nic)
{
    struct nic_front *f = (struct nic_front *)nic;
    if (__builtin_expect(__atomic_load_n(&f->careful, __ATOMIC_RELAXED) & (NIC_CAREFUL_SHARED | NIC_CAREFUL_LEAVE), 0))
        nic_leave_careful(nic);
    else
        __atomic_store_n(&f->host_in, 0, __ATOMIC_RELEASE);     /* pairs with the NIC thread's acquire */
}

/* Several host threads will call at once from now on.  By the only one so far, baton held: it is held against the others
 * too until it is given back. */
void nic_share(struct nic *nic);

/* Only the calling thread will call from now on, so that a launcher knows that this rank waits when
 * that one does, whatever its other threads do.  Without it they all count. */
void nic_one_host(struct nic *nic);

/* One turn of the NIC's loop: network in, commands, active requests (Brightwell, V-C).  True: something moved.
 * Not from a handler. */
bool nic_step(struct nic *nic);

/* A wait.  Start with a zeroed struct nic_wait and call nic_wait_turn until what you wait for has happened: each
 * call takes a turn and, when nothing moves, spins, yields or sleeps as suits the number of runnable ranks and cores
 * (a millisecond goes by before it sleeps).  The baton is given up while it sleeps or yields.  Hosts only. */
struct nic_wait {
    uint32_t spins, yields;         /* the wait's own, as are since and begun */
    uint64_t since;
    const char *(*note)(void *argument, char *text, size_t size);  /* says what for; NULL: nothing to say */
    void *argument;                 /* of note and ready */
    /* For a wait that ends by a store of another rank or thread into memory (a scratchpad), which that one follows
     * up with nic_notify: true if it has happened.  Called with and without the baton, so it only looks.  NULL: what
     * is waited for comes through the engine. */
    bool (*ready)(void *argument);
    bool polled;                    /* nobody rings for it (room in a peer's inbox, say): sleep no longer than 200 us at a time */
    bool begun;
};
void nic_wait_turn(struct nic *nic, struct nic_wait *wait);

/* Call it after a store into a scratchpad that a host of `rank` may wait for with nic_wait.ready: wakes that host if
 * it sleeps.  Any thread, without the baton too. */
void nic_notify(struct nic *nic, unsigned rank);

/* ------------------------------------------------------------- transmit --
 * Packets go into the inbox of the peer, which is a ring of 64-byte lines; up
 * to 48 bytes of payload travel in one line with the match bits.  Packets of one
 * rank to one other arrive in order, and none is lost. */
struct nic_message {
    uint8_t type, flags;            /* the firmware's own; flag bit 7 must be 0 */
    uint16_t head_bytes;            /* a multiple of 8, at most 32 */
    uint32_t data_bytes;            /* 0 .. NIC_MESSAGE_BYTES_MAX */
    uint64_t match;                 /* match bits */
    const void *head;               /* goes in front of the data in the payload; may be NULL if head_bytes is 0 */
    const void *data;               /* may be NULL if data_bytes is 0 */
};
enum { NIC_MESSAGE_BYTES_MAX = 16 * 1024 };

/* 0: sent, head and data may be reused.  -EAGAIN: the peer's inbox is full; take a turn of a wait with nic_wait.polled
 * set, which drains your own, and try again.  -EMSGSIZE: too long.  A packet to a rank that has not opened its NIC yet
 * waits in the inbox. */
int nic_send(struct nic *nic, unsigned peer, const struct nic_message *message);
/* As nic_send, for packets that may need the peer's NIC thread (a rendezvous): rings if its host is away. */
int nic_send_service(struct nic *nic, unsigned peer, const struct nic_message *message);

/* The short way for a message without a head, called without the baton: takes it, sends, gives it back.  False: not
 * possible just now (baton taken, requests under way, no room, too long): use nic_enter and nic_send. */
bool nic_send_now(struct nic *nic, unsigned peer, uint8_t type, uint64_t match, const void *data, size_t bytes);

/* -------------------------------------------------------------- receive -- */

/* The short way for a receive when the firmware's queues are empty, so that the next packet is matched with nothing
 * else: waits a little (a microsecond or two) for the next packet, and if that has this type and flags 0, matches
 * ((its bits ^ match) & ~mask == 0) and has at most capacity bytes, puts the payload at `to`.  False: nothing came,
 * or something else (which stays): go the usual way. */
struct nic_taken { uint64_t match; uint32_t length; };
bool nic_take(struct nic *nic, uint8_t type, uint64_t match, uint64_t mask, void *to, size_t capacity,
              struct nic_taken *taken);

/* From the packet handler only: the bytes behind head_bytes go to `to`, at most `capacity` of them, the rest is
 * dropped; then landed(cookie) is called, unless cookie is NULL.  The memory must stay until then. */
void nic_sink(struct nic *nic, void *to, size_t capacity, void *cookie);

/* True if it is the NIC's own thread that holds the baton and calls the program.  Baton held. */
bool nic_on_thread(const struct nic *nic);

/* Requests under way: while the sum is above 0, advance() is called each turn and hosts don't sleep long. */
void nic_active(struct nic *nic, int change);
/* Requests that must go on while the host is away: while the sum is above 0 the NIC thread is ready to serve
 * (NIC_PROGRESS_HOST: they wait until the host calls again). */
void nic_service(struct nic *nic, int change);

/* -------------------------------------------------------------- command --
 * Any thread, without the baton.  Executed in order: at once if the baton is
 * free, else by whoever holds it.  Waits only if 256 commands are queued. */
void nic_submit(struct nic *nic, const struct nic_command *command);

/* -- RDMA.  Copies between this process and a peer's memory; the peer does nothing.
 * What a pair of ranks may do is probed once: kernel copy may be forbidden (containers, seccomp, other users). */
enum { NIC_RDMA_READ = 1, NIC_RDMA_WRITE = 2 };
unsigned nic_rdma_paths(struct nic *nic, unsigned peer);
/* The same for a certain piece of the peer's memory: one in its heap can always be read and written, since it is mapped here. */
unsigned nic_rdma_reach(struct nic *nic, unsigned peer, uint64_t address, size_t bytes);
/* True: that lies in memory of the job that is mapped here too, so a transfer is a plain copy. */
bool nic_rdma_mapped(struct nic *nic, unsigned peer, uint64_t address, size_t bytes);
/* 0, -EFAULT, -EPERM, -ESRCH.  Large transfers: the caller cuts them in pieces to stay responsive. */
int nic_rdma_read(struct nic *nic, unsigned peer, uint64_t from, void *to, size_t bytes);
int nic_rdma_write(struct nic *nic, unsigned peer, const void *from, uint64_t to, size_t bytes);

/* Nanoseconds of a copy of so many bytes by the kernel, the best of a few on this process' own memory; 0: not possible. */
uint64_t nic_kernel_copy_ns(size_t bytes);

/* True if this NIC runs on the model clock. */
bool nic_modelled(const struct nic *nic);

/* True if the ranks of this job outnumber its cores; never on the model clock, where the machine's cores must not
 * decide anything.  Any thread. */
bool nic_oversubscribed(const struct nic *nic);

/* Transfers go on while the host is outside of all calls: not with NIC_PROGRESS_HOST. */
bool nic_has_thread(const struct nic *nic);

/* ------------------------------------------------------- matching store --
 * An associative list (Brightwell, III, without the limits of the hardware): the
 * first match in order of appending wins.  No locks, no I/O, no NIC: one thread
 * at a time per store. */
struct nic_alpu;
struct nic_alpu *nic_alpu_new(void);
void nic_alpu_delete(struct nic_alpu *alpu);
/* Appends an entry: mask bits set are not compared.  0 or -ENOMEM. */
int nic_alpu_append(struct nic_alpu *alpu, uint64_t bits, uint64_t mask, uint32_t tag);
/* Finds and deletes the first entry with ((entry bits ^ bits) & ~(entry mask | mask)) == 0.  Position (number of live
 * entries before it) goes to *position unless NULL and costs a count.  False: none. */
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

/* nic_alpu_match on a NIC's own store, for the model clock, which charges the search and the entries traversed
 * (Brightwell, VI); on the live clock both do the same.  Baton held. */
bool nic_match(struct nic *nic, struct nic_alpu *alpu, uint64_t bits, uint64_t mask, uint32_t *tag);

/* The host takes notice of something that is complete: costs time on the model clock (nicemu/model.h). */
void nic_completion_slow(struct nic *nic);
static inline void nic_completion(struct nic *nic)
{
    if (__builtin_expect(((struct nic_front *)nic)->careful & NIC_CAREFUL_MODEL, 0))
        nic_completion_slow(nic);
}

/* --------------------------------------------------------------- helper -- */

/* A copy of at most 64 bytes between regions that don't overlap, inlined: a call costs as much as such a copy. */
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

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif

#include "nicemu/spad.h"
#include "nicemu/heap.h"
#include "nicemu/sizes.h"
#include "nicemu/remote.h"
#include "nicemu/atomic.h"
#include "nicemu/counter.h"
#include "nicemu/alpu_unit.h"
#include "nicemu/list.h"
#include "nicemu/model.h"
#include "nicemu/explain.h"
#include "nicemu/place.h"
#include "nicemu/profile.h"
#include "nicemu/queue.h"
#include "nicemu/trigger.h"
#include "nicemu/pgas_queue.h"
#include "nicemu/stats.h"

#endif
