/* The job segment: creation and attachment. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "job/critical_path.h"
#include "job/places.h"
#include "job/modelled.h"
#include "job/protect.h"
#include "job/proxy_box.h"
#include "job/segment.h"
#include "time/governor.h"
#include "nicemu/sizes.h"

enum { PAGE = 4096, SCRATCHPAD_DEFAULT = 1 << 20 };
/* Address space costs nothing until it is touched, but tables that list it, core dumps and memory
 * checkers take notice.  One rank's heap has a whole window of MPI_Win_allocate_shared. */
#define HEAP_DEFAULT (UINT64_C(4) << 30)
#define HEAPS_TOTAL (UINT64_C(64) << 30)
/* of a limited address space the heaps take this part: the program needs the rest */
enum { ADDRESS_SPACE_SHARE = 8 };
/* Scripts name descriptors of one digit, a shell puts its own from 10 on; the higher, the larger is
 * the table of descriptors that each rank starts with a copy of. */
enum { DESCRIPTOR_LEAST = 64 };

static uint64_t page_up(uint64_t n) { return (n + PAGE - 1) & ~(uint64_t)(PAGE - 1); }

static unsigned allowed_cores(void)
{
    cpu_set_t set;
    return sched_getaffinity(0, sizeof set, &set) ? 1 : (unsigned)CPU_COUNT(&set);
}

static const char *step = "";

const char *nic_job_step(void) { return step; }

static int failed(const char *call, int rc)
{
    step = call;
    return rc;
}

static int map_bytes(struct nic_job *j, uint64_t bytes)
{
    j->base = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, j->fd, 0);
    if (j->base == MAP_FAILED)
        return failed("mmap", -errno);
    j->mapped = bytes;
    return 0;
}

static void point_into(struct nic_job *j, const struct nic_job_header *layout)
{
    j->layout = *layout;
    j->ranks = layout->ranks;
    j->state = (struct nic_job_state *)(j->base + layout->state);
    j->publics = (struct nic_public *)(j->base + layout->publics);
    j->ended = (_Atomic uint8_t *)(j->base + layout->ended);
    j->seats = (struct nic_job_seat *)(j->base + layout->seats);
    j->heap = j->mapped == layout->total ? layout->heap : 0;
    nic_governor_point(j->governor, j->base + layout->governor, j->ranks);
    nic_job_keep_small(j);
}

/* What was asked for, else what the profile has. */
static uint64_t scratchpad_wanted(const struct nic_job_config *c)
{
    uint64_t modelled = c->model && c->model->profile ? c->model->profile->scratchpad.bytes : 0;
    return c->scratchpad ? c->scratchpad : modelled ? modelled : SCRATCHPAD_DEFAULT;
}

/* Areas of all ranks from `at` on, with a guard page before each and behind the last.  Returns
 * where they end. */
static uint64_t guarded(uint64_t at, uint64_t bytes, unsigned ranks, uint64_t *first,
                        uint64_t *stride)
{
    *first = page_up(at) + NIC_GUARD_BYTES;
    *stride = page_up(bytes) + NIC_GUARD_BYTES;
    return *first + ranks * *stride;
}

/* Which part of the job is on this machine. */
struct part { unsigned here, machine; bool several; };

/* explain: as in the header. */
static struct nic_job_header layout(const struct nic_job_config *c, const struct part *part,
                                    uint64_t explain)
{
    unsigned here = part->here;
    struct nic_job_header h = { .version = NIC_JOB_VERSION, .ranks = c->ranks, .here = here,
                                .machine = part->machine, .header_bytes = sizeof h,
                                .explain = explain };
    h.cores = c->cores ? c->cores : allowed_cores();
    h.scratchpad = page_up(scratchpad_wanted(c));
    h.settings = page_up(sizeof h);
    h.ended = page_up(h.settings + sizeof(struct nic_governor_settings));
    h.seats = (h.ended + c->ranks + 7) & ~UINT64_C(7);
    uint64_t seats_end = h.seats + c->ranks * sizeof(struct nic_job_seat);
    h.machines = part->several ? seats_end : 0;
    h.owned = page_up(seats_end + (part->several ? c->ranks * sizeof(uint16_t) : 0));
    h.owned_stride = page_up(sizeof(struct nic_owned) + nic_explain_bytes((unsigned)explain));
    h.state = h.owned + here * h.owned_stride;
    h.publics = h.state + PAGE;
    h.governor = page_up(h.publics + c->ranks * sizeof(struct nic_public));
    uint64_t end = h.governor + nic_governor_bytes(c->ranks) + nic_proxy_boxes_bytes(c->ranks);
    end = guarded(end, sizeof(struct nic_ring), here, &h.rings, &h.ring_stride);
    end = guarded(end, h.scratchpad, here, &h.scratchpads, &h.scratchpad_stride);
    h.heap = c->heap / PAGE * PAGE;
    h.heaps = h.total = end;
    if (h.heap)
        h.total = guarded(end, h.heap, here, &h.heaps, &h.heap_stride);
    h.magic = NIC_JOB_MAGIC;
    return h;
}

static struct part part_of(const struct nic_job_config *c)
{
    struct part part = { .here = c->ranks };
    if (!c->machines)
        return part;
    part.here = 0;
    for (unsigned r = 0; r < c->ranks; r++)
        part.here += c->machines->of[r] == c->machines->here;
    if (part.here < c->ranks)
        part = (struct part){ .here = part.here, .machine = c->machines->here, .several = true };
    return part;
}

static uint64_t limit_of(__rlimit_resource_t which)
{
    struct rlimit l;
    return getrlimit(which, &l) || l.rlim_cur == RLIM_INFINITY ? UINT64_MAX : l.rlim_cur;
}

static uint64_t heap_unasked(const struct nic_job_config *c, unsigned here)
{
    uint64_t bytes = HEAPS_TOTAL / here < HEAP_DEFAULT ? HEAPS_TOTAL / here : HEAP_DEFAULT;
    return bytes < c->heap_least ? c->heap_least : bytes;
}

/* Bytes of heap per rank to begin with: what was asked for, or what so many ranks have, less where
 * the address space is limited. */
static uint64_t heap_wanted(const struct nic_job_config *c, unsigned here)
{
    uint64_t space = limit_of(RLIMIT_AS), bytes = c->heap ? c->heap : heap_unasked(c, here);
    if (c->heap == NIC_HEAP_OFF)
        return 0;
    if (space == UINT64_MAX || bytes < space / ADDRESS_SPACE_SHARE / here)
        return bytes;
    return space / ADDRESS_SPACE_SHARE / here;
}

/* Memory that the file system of a file has no room for would be missed later, by SIGBUS.  Memory
 * without a name has no such limit. */
static bool has_room(int fd, uint64_t bytes)
{
    struct statvfs v;
    return fstatvfs(fd, &v) || !v.f_blocks || bytes / v.f_frsize < v.f_bavail;
}

/* A file without a name, for where the kernel does not give memory without one. */
static int open_nameless(const char *folder)
{
    char name[512];
    int fd = open(folder, O_TMPFILE | O_RDWR | O_EXCL, 0600);
    if (fd >= 0 || snprintf(name, sizeof name, "%s/nicemu-job.XXXXXX", folder) >= (int)sizeof name)
        return fd;
    fd = mkstemp(name);
    if (fd >= 0)
        unlink(name);
    return fd;
}

/* A file beyond the limit of file sizes would bring the signal
 * SIGXFSZ: so the limit is asked for first. */
static int make_file(struct nic_job *j, const struct nic_job_header *h)
{
    if (h->total > limit_of(RLIMIT_FSIZE) || h->total > INT64_MAX)
        return failed("the limit of file sizes (ulimit -f)", -EFBIG);
    if (!has_room(j->fd, h->total))
        return failed("the file system", -EFBIG);
    return ftruncate(j->fd, (off_t)h->total) < 0 ? failed("ftruncate", -errno)
           : map_bytes(j, h->total);
}

/* Tries with half of the heap as long as there is no room, and at last without. */
static int make_segment(struct nic_job *j, const struct nic_job_config *config,
                        struct nic_job_header *h)
{
    struct nic_job_config c = *config;
    struct part part = part_of(config);
    int rc;
    c.heap = heap_wanted(config, part.here);
    for (;; c.heap /= 2) {
        if (c.heap < NIC_HEAP_MIN)
            c.heap = 0;
        *h = layout(&c, &part, c.model ? c.model->explain : 0);
        rc = make_file(j, h);
        if (!c.heap || (rc != -ENOMEM && rc != -EFBIG))
            return rc;
    }
}

/* Takes over fd; call: what it comes from. */
static int make_in(struct nic_job *j, int fd, const char *call,
                   const struct nic_job_config *config, struct nic_job_header *h)
{
    j->fd = fd;
    if (fd < 0)
        return failed(call, -errno);
    int rc = make_segment(j, config, h);
    if (rc) {
        close(fd);
        j->fd = -1;
    }
    return rc;
}

/* In memory without a name; where that is refused, in a file of a memory file system, or of any.
 * The size of the first is one thing that no rank may change: who reads behind its end is
 * killed. */
static int make_anywhere(struct nic_job *j, const struct nic_job_config *config,
                         struct nic_job_header *h)
{
    const char *folder = getenv("TMPDIR");
    int fd = memfd_create("nicemu-job", MFD_ALLOW_SEALING);
    int rc = make_in(j, fd, "memfd_create", config, h);
    if (!rc)
        fcntl(fd, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL);
    if (fd >= 0 || (rc != -EPERM && rc != -ENOSYS && rc != -EACCES))
        return rc;
    if (make_in(j, open_nameless("/dev/shm"), "/dev/shm", config, h)
        && make_in(j, open_nameless(folder && *folder ? folder : "/tmp"), "TMPDIR", config, h))
        return failed("neither memfd_create nor a file in /dev/shm or TMPDIR", rc);
    return 0;
}

/* Shells and programs take low numbers for their own, and would close the job's. */
static void raise_descriptor(struct nic_job *j)
{
    int high = fcntl(j->fd, F_DUPFD, DESCRIPTOR_LEAST);
    if (high < 0)
        return;
    close(j->fd);
    j->fd = high;
}

/* With room for what a process knows of the governor; the file is still to be opened. */
static struct nic_job *new_job(int fd)
{
    struct nic_job *j = calloc(1, sizeof *j);
    if (j && !(j->governor = calloc(1, sizeof *j->governor))) {
        free(j);
        return NULL;
    }
    if (j)
        j->fd = fd;
    return j;
}

static bool machines_sound(const struct nic_job_config *c)
{
    for (unsigned r = 0; r < c->ranks; r++)
        if (c->machines->of[r] >= c->ranks)
            return false;
    return part_of(c).here;
}

/* Written where the table belongs before anybody else has the file. */
static void write_machines(struct nic_job *j, const struct nic_job_header *h,
                           const struct nic_machines *machines)
{
    if (h->machines)
        memcpy(j->base + h->machines, machines->of, h->ranks * sizeof *machines->of);
}

int nic_job_create(const struct nic_job_config *config, struct nic_job **job)
{
    struct nic_job_header h;
    if (config->ranks < 1 || config->ranks > NIC_MAX_RANKS
        || scratchpad_wanted(config) > NIC_SCRATCHPAD_MAX
        || (config->heap > NIC_HEAP_MAX && config->heap != NIC_HEAP_OFF))
        return -EINVAL;
    if (config->machines && !machines_sound(config))
        return failed("the table of machines", -EINVAL);
    if (config->model && part_of(config).several)
        return failed("the model clock, which has one machine", -EINVAL);
    struct nic_job *j = new_job(-1);
    if (!j)
        return -ENOMEM;
    int rc = make_anywhere(j, config, &h);
    if (rc) {
        nic_job_leave(j);
        return rc;
    }
    raise_descriptor(j);
    sched_getaffinity(0, sizeof h.cpus, (cpu_set_t *)h.cpus);
    memcpy(j->base, &h, sizeof h);
    write_machines(j, &h, config->machines);
    point_into(j, &h);
    rc = nic_job_find_places(j);
    if (!rc && config->model)
        rc = nic_job_model_init(j, config->model);
    if (rc) {
        nic_job_close(j);
        return rc;
    }
    *job = j;
    return 0;
}

/* The header of a foreign file is checked against what this version
 * would lay out: no offset of it is trusted. */
static bool header_is_ours(const struct nic_job_header *h, off_t file_size)
{
    struct nic_job_config c = { .ranks = h->ranks, .cores = h->cores, .scratchpad = h->scratchpad,
                                .heap = h->heap };
    struct part part = { .here = h->here, .machine = h->machine, .several = h->machines };
    if (h->magic != NIC_JOB_MAGIC || h->version != NIC_JOB_VERSION || h->ranks < 1
        || h->ranks > NIC_MAX_RANKS || !h->cores
        || h->scratchpad < NIC_SCRATCHPAD_MIN || h->scratchpad > NIC_SCRATCHPAD_MAX
            || h->heap > NIC_HEAP_MAX || h->explain > NIC_EXPLAIN_MAX
            || (part.several ? !h->here || h->here >= h->ranks : h->here != h->ranks))
        return false;
    struct nic_job_header want = layout(&c, &part, h->explain);
    return !memcmp(h, &want, offsetof(struct nic_job_header, cpus))
           && (uint64_t)file_size == want.total;
}

/* The texts of a foreign file end, and no number leads out of a table, whatever it says. */
static struct nic_governor_settings settings_of(const struct nic_job *j)
{
    struct nic_governor_settings set;
    memcpy(&set, j->base + j->layout.settings, sizeof set);
    set.log[sizeof set.log - 1] = '\0';
    if (set.groups > NIC_GROUPS || set.groups > j->ranks)
        set.groups = 0;
    set.profile.name[sizeof set.profile.name - 1] = '\0';
    for (unsigned i = 0; i < NIC_PROFILE_OWN_MOST; i++) {
        struct nic_profile_own *own = &set.profile.own[i];
        own->name[sizeof own->name - 1] = own->value[sizeof own->value - 1] = '\0';
    }
    return set;
}

int nic_job_attach(int fd, struct nic_job **job)
{
    struct stat st;
    struct nic_job_header h;
    if (fstat(fd, &st) < 0)
        return -errno;
    ssize_t got = pread(fd, &h, sizeof h, 0);
    if (got < 0 && errno != ESPIPE)
        return failed("pread", -errno);
    if (got != sizeof h || !header_is_ours(&h, st.st_size))
        return -EPROTO;
    struct nic_job *j = new_job(fd);
    if (!j)
        return -ENOMEM;
    int rc = map_bytes(j, h.total);
    /* a process with a limit of its own does without the heaps */
    if (rc == -ENOMEM && h.heap)
        rc = map_bytes(j, h.heaps - NIC_GUARD_BYTES);
    if (rc) {
        j->fd = -1;     /* stays the caller's */
        nic_job_leave(j);
        return rc;
    }
    point_into(j, &h);
    j->governor->set = settings_of(j);
    nic_nodes_set(&j->governor->node, j->governor->set.profile.node.ranks);
    if ((rc = nic_job_find_places(j))) {
        j->fd = -1;
        nic_job_close(j);
        return rc;
    }
    *job = j;
    return 0;
}
