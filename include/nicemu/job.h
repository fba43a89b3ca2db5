/* nicemu/job.h: a job as a launcher sees it, and what its ranks leave there for the launcher.
 *
 * A job is one sparse memory file shared by all its ranks: a header, and per rank a public line, an
 * inbox ring, a scratchpad and a heap.  The launcher creates it and the ranks inherit the
 * descriptor; nothing has a name in a file system, so nothing is left behind after a crash.
 *
 * Any thread may call; calls on one struct nic_job for different ranks do not disturb each
 * other. */
#ifndef NICEMU_JOB_H
#define NICEMU_JOB_H

#include "../nicemu.h"

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

/* What nic_job_create or nic_job_attach failed at last: a system call, or in words; "" if it was
 * none. */
const char *nic_job_step(void);

/* Opens the job behind an inherited descriptor.  -EPROTO if it is no job of this version. */
int nic_job_attach(int fd, struct nic_job **job);

/* The descriptor (close-on-exec is clear, so that ranks inherit it; a number above those that
 * shells and programs take). */
int nic_job_fd(const struct nic_job *job);
unsigned nic_job_ranks(const struct nic_job *job);

/* Processors that the job may use. */
unsigned nic_job_cores(const struct nic_job *job);

/* Bytes per rank.  Of the heap as it is mapped in this process: 0 where it has no room for it. */
size_t nic_job_scratchpad_bytes(const struct nic_job *job);
size_t nic_job_heap_bytes(const struct nic_job *job);

/* As nic_job_close, but the memory stays mapped until the process ends: for programs that still
 * have pointers into it. */
void nic_job_leave(struct nic_job *job);

/* The environment by which nic_job_from_environment finds a rank's place: a launcher sets both for
 * each rank before exec.  It is consumed, and the descriptor closed on exec. */
#define NIC_ENV_JOB_FD "NICEMU_JOB_FD"  /* the job's descriptor: decimal, or as of nic_fd_name */
#define NIC_ENV_RANK "NICEMU_RANK"      /* decimal rank */

/* A name by which a process that comes from this one finds a file that this one has open: by the
 * descriptor that it has inherited, or, where a program between them has closed that or made it
 * something else, in /proc, as long as this process has it open.  NIC_FD_NAME bytes are enough. */
enum { NIC_FD_NAME = 96 };
void nic_fd_name(int fd, char *name, size_t size);
/* A descriptor of this process by such a name or a decimal number; -EBADF: there is none, -EINVAL:
 * it is no name. */
int nic_fd_find(const char *name);

/* -------------------------------------------------------------- joining -- */

/* Ranks that a foreign launcher has started find each other's memory by what that tells them: the
 * first one of a machine creates the job, the others attach.  Each of these calls comes before
 * nic_open. */

/* A number of the job by which those who attach see that it is the right one, and none of another
 * machine that is called the same. */
void nic_job_set_token(struct nic_job *job, uint64_t token);
uint64_t nic_job_token(const struct nic_job *job);

/* Adds the processors that the calling process may use to those of the job; and takes what all
 * have added for its processors and cores. */
void nic_job_add_cpus(struct nic_job *job);
void nic_job_count_cpus(struct nic_job *job);

/* The calling process is this rank until it ends, however that comes: any process that has the job
 * sees it (nic_job_held), in whatever namespace. 0, or -errno where files cannot be locked. */
int nic_job_hold(struct nic_job *job, unsigned rank);
bool nic_job_held(const struct nic_job *job, unsigned rank);

/* The number of that process, as it is seen here; 0: there is none, or it is not seen. */
int nic_job_holder(const struct nic_job *job, unsigned rank);

/* ---------------------------------------------------------------- ranks -- */

/* Life of a rank, as it shows in its public line. */
enum nic_rank_state {
    NIC_RANK_ABSENT,            /* no NIC opened yet */
    NIC_RANK_OPEN,              /* nic_open done */
    NIC_RANK_CLOSED,            /* nic_close done: it left in order */
};
enum nic_rank_state nic_job_rank_state(const struct nic_job *job, unsigned rank);
/* It has opened its NIC, and will do nothing more with it: it is closed, or its process, of this
 * machine, is no more. */
bool nic_job_rank_gone(const struct nic_job *job, unsigned rank);

/* From a launcher: what it started as that rank has ended, and nothing of it will open a NIC any
 * more; whether it said so.  If the rank never opened its NIC, or has not closed it, nobody waits
 * any more for what it might do; on the model clock the job then has no hash unless it never opened
 * it. */
void nic_job_rank_ended(struct nic_job *job, unsigned rank);
bool nic_job_has_ended(const struct nic_job *job, unsigned rank);

/* How many programs each rank has begun, one after the other (see nic_open); 1 before the first. */
unsigned nic_job_programs(const struct nic_job *job);

/* Records that `rank` ends the job with exit code `code`; the first call of a job wins and returns
 * true.  Nothing ends by it: a rank leaves by exit, and the launcher that sees it ends the
 * others. */
bool nic_job_set_abort(struct nic_job *job, unsigned rank, int code);

/* True if the job was aborted; rank and code may be NULL. */
bool nic_job_aborted(const struct nic_job *job, unsigned *rank, int *code);

/* Records that `rank` could not write what it was asked for: its job has not done all that it
 * should. */
void nic_job_set_lost(struct nic_job *job, unsigned rank);
bool nic_job_lost(const struct nic_job *job, unsigned rank);

/* A word that the program of `rank` shows to the others of its machine: 0 until it is set. */
void nic_job_set_mark(struct nic_job *job, unsigned rank, uint32_t mark);
uint32_t nic_job_mark(const struct nic_job *job, unsigned rank);

/* ---------------------------------------------------------------- waits -- */

/* Sets the note of one's own rank (cut at NIC_NOTE_BYTES - 1). */
enum { NIC_NOTE_BYTES = 256 };
void nic_job_set_note(struct nic_job *job, unsigned rank, const char *text);

/* A line of text that says what a rank waits for ("receive from rank 3"), or "".  Writes at most
 * size bytes, always terminated; a torn text is possible while the rank runs.  A byte that is no
 * part of a printable character is '?'. */
void nic_job_rank_note(const struct nic_job *job, unsigned rank, char *text, size_t size);

/* The same for a remark, which stands as long as nobody sets another one, whatever the rank waits
 * for, and after its end: what went wrong there before, say. */
enum { NIC_REMARK_BYTES = 192 };
void nic_job_set_remark(struct nic_job *job, unsigned rank, const char *text);
void nic_job_rank_remark(const struct nic_job *job, unsigned rank, char *text, size_t size);

/* Threads of an open rank, by their numbers in /proc/PROCESS/task: a rank goes on by itself as long
 * as one that may call is outside of all waits.  What waits sleeps on the futex at `word`. */
struct nic_rank_threads {
    int process;                /* in which the NIC is open */
    int one;                    /* the only one that calls (nic_one_host), 0: any may */
    int nic, runtime;           /* never call: the NIC's own, the thread sanitizer's; 0: none */
    int watch;                  /* nor does the one that sleeps on the wire to other machines */
    unsigned waiting;           /* how many sleep in a wait of this NIC */
    bool inside;                /* model clock: the host is in a call, though it may sleep there */
    bool polls;                 /* the NIC's own thread never sleeps (NIC_PROGRESS_THREAD) ... */
    uint32_t idle;              /* ... but counts here when it finds nothing to do; it wraps */
    uint64_t word;              /* an address in the rank's process */
};
/* False: the rank is not open, or not here.  It is the rank that says so: a stray store may have
 * spoilt it. */
bool nic_job_rank_threads(const struct nic_job *job, unsigned rank,
                          struct nic_rank_threads *threads);

/* What has passed between an open rank and other machines, in frames: those that wait to leave, or
 * are not known to have arrived, are under way, as are reads. */
struct nic_rank_wire { uint32_t under_way, sent, came; };
/* False: nothing has. */
bool nic_job_rank_wire(const struct nic_job *job, unsigned rank, struct nic_rank_wire *wire);

/* A number that stays the same between two calls only if in between every open rank slept in a
 * wait, nobody sent anything, all inboxes were empty and nothing was under way between machines,
 * as far as the ranks here know; 0 if that is not so now.  Two equal
 * non-zero answers some 100 ms apart mean that the job cannot go on by itself, if all threads that
 * may call are waiting (nic_job_rank_threads). */
uint64_t nic_job_standstill(const struct nic_job *job);
/* Never 0.  The same at two standstills: nothing has come of what was done in between, for no host
 * has got a packet, nor waits for anything else. */
uint64_t nic_job_progress(const struct nic_job *job);

/* Rings the bell of every open rank here, as anybody may at any time: each looks once more at what
 * it waits for, also at what others have left without ringing, and sleeps again. */
void nic_job_nudge(const struct nic_job *job);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif
#endif
