/* The job segment: creation and attachment. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "job/critical_path.h"
#include "job/modelled.h"
#include "job/proxy_box.h"
#include "job/segment.h"
#include "time/governor.h"

enum { PAGE = 4096, SCRATCHPAD_DEFAULT = 1 << 20, HEAP_DEFAULT = 256 << 20 };
/* Address space costs nothing until it is touched, but tables that list it, core dumps and memory checkers take notice. */
#define HEAPS_TOTAL (UINT64_C(16) << 30)
enum { ADDRESS_SPACE_SHARE = 8 };       /* of a limited address space the heaps take this part: the program needs the rest */

static uint64_t page_up(uint64_t n) { return (n + PAGE - 1) & ~(uint64_t)(PAGE - 1); }
static uint64_t ring_stride(void) { return page_up(sizeof(struct nic_ring)); }
static uint64_t region_stride(void) { return page_up(sizeof(struct nic_region_table)); }

static unsigned allowed_cores(void)
{
    cpu_set_t set;
    return sched_getaffinity(0, sizeof set, &set) ? 1 : (unsigned)CPU_COUNT(&set);
}

static int map_bytes(struct nic_job *j, uint64_t bytes)
{
    j->base = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, j->fd, 0);
    if (j->base == MAP_FAILED)
        return -errno;
    j->mapped = bytes;
    j->header = (struct nic_job_header *)j->base;
    return 0;
}

static void point_into(struct nic_job *j)
{
    j->ranks = j->header->ranks;
    j->publics = (struct nic_public *)(j->base + j->header->publics);
    j->notes = (struct nic_note *)(j->base + j->header->notes);
    j->ring_stride = ring_stride();
    j->region_stride = region_stride();
    j->heap = j->mapped == j->header->total ? j->header->heap : 0;
}

/* What was asked for, else what the profile has. */
static uint64_t scratchpad_wanted(const struct nic_job_config *c)
{
    uint64_t modelled = c->model && c->model->profile ? c->model->profile->scratchpad.bytes : 0;
    return c->scratchpad ? c->scratchpad : modelled ? modelled : SCRATCHPAD_DEFAULT;
}

/* explain: as in the header. */
static struct nic_job_header layout(const struct nic_job_config *c, uint64_t explain)
{
    struct nic_job_header h = { .version = NIC_JOB_VERSION, .ranks = c->ranks, .header_bytes = sizeof h, .explain = explain };
    h.cores = c->cores ? c->cores : allowed_cores();
    h.scratchpad = page_up(scratchpad_wanted(c));
    h.publics = PAGE;
    h.notes = page_up(h.publics + c->ranks * sizeof(struct nic_public));
    h.rings = page_up(h.notes + c->ranks * sizeof(struct nic_note));
    h.regions = h.rings + c->ranks * ring_stride();
    h.governor = h.regions + c->ranks * region_stride();
    h.explained = page_up(h.governor + nic_governor_bytes(c->ranks) + nic_governor_errands_bytes(c->ranks));
    h.scratchpads = page_up(h.explained + c->ranks * nic_explain_bytes((unsigned)explain));
    h.heap = c->heap / PAGE * PAGE;
    h.heaps = h.scratchpads + c->ranks * h.scratchpad;
    h.total = h.heaps + c->ranks * h.heap;
    h.magic = NIC_JOB_MAGIC;
    return h;
}

static uint64_t limit_of(__rlimit_resource_t which)
{
    struct rlimit l;
    return getrlimit(which, &l) || l.rlim_cur == RLIM_INFINITY ? UINT64_MAX : l.rlim_cur;
}

/* Bytes of heap per rank to begin with: what was asked for, less where limits or the number of ranks say so. */
static uint64_t heap_wanted(const struct nic_job_config *c)
{
    uint64_t total = c->heap ? UINT64_MAX : HEAPS_TOTAL, space = limit_of(RLIMIT_AS), bytes = c->heap ? c->heap : HEAP_DEFAULT;
    if (c->heap == NIC_HEAP_OFF)
        return 0;
    if (space != UINT64_MAX && space / ADDRESS_SPACE_SHARE < total)
        total = space / ADDRESS_SPACE_SHARE;
    return bytes < total / c->ranks ? bytes : total / c->ranks;
}

/* A file beyond the limit of file sizes would bring the signal SIGXFSZ: so the limit is asked for first. */
static int make_file(struct nic_job *j, const struct nic_job_header *h)
{
    if (h->total > limit_of(RLIMIT_FSIZE) || h->total > INT64_MAX)
        return -EFBIG;
    return ftruncate(j->fd, (off_t)h->total) < 0 ? -errno : map_bytes(j, h->total);
}

/* Tries with half of the heap as long as there is no room, and at last without. */
static int make_segment(struct nic_job *j, const struct nic_job_config *config, struct nic_job_header *h)
{
    struct nic_job_config c = *config;
    int rc;
    c.heap = heap_wanted(config);
    for (;; c.heap /= 2) {
        if (c.heap < NIC_HEAP_MIN)
            c.heap = 0;
        *h = layout(&c, c.model ? c.model->explain : 0);
        rc = make_file(j, h);
        if (!c.heap || (rc != -ENOMEM && rc != -EFBIG))
            return rc;
    }
}

int nic_job_create(const struct nic_job_config *config, struct nic_job **job)
{
    struct nic_job_header h;
    if (config->ranks < 1 || config->ranks > NIC_MAX_RANKS || scratchpad_wanted(config) > NIC_SCRATCHPAD_MAX
        || (config->heap > NIC_HEAP_MAX && config->heap != NIC_HEAP_OFF))
        return -EINVAL;
    struct nic_job *j = calloc(1, sizeof *j);
    if (!j)
        return -ENOMEM;
    j->fd = memfd_create("nicemu-job", 0);
    int rc = j->fd < 0 ? -errno : make_segment(j, config, &h);
    if (rc) {
        if (j->fd >= 0)
            close(j->fd);
        free(j);
        return rc;
    }
    sched_getaffinity(0, sizeof h.cpus, (cpu_set_t *)h.cpus);
    memcpy(j->header, &h, sizeof h);
    point_into(j);
    rc = config->model ? nic_job_model_init(j, config->model) : 0;
    if (rc) {
        nic_job_close(j);
        return rc;
    }
    *job = j;
    return 0;
}

/* The header of a foreign file is checked against what this version would lay out: no offset of it is trusted. */
static bool header_is_ours(const struct nic_job_header *h, off_t file_size)
{
    struct nic_job_config c = { .ranks = h->ranks, .cores = h->cores, .scratchpad = h->scratchpad, .heap = h->heap };
    if (h->magic != NIC_JOB_MAGIC || h->version != NIC_JOB_VERSION || h->ranks < 1 || h->ranks > NIC_MAX_RANKS
        || h->scratchpad < NIC_SCRATCHPAD_MIN || h->scratchpad > NIC_SCRATCHPAD_MAX || h->heap > NIC_HEAP_MAX || h->explain > NIC_EXPLAIN_MAX)
        return false;
    struct nic_job_header want = layout(&c, h->explain);
    return h->cores && h->header_bytes == want.header_bytes && h->scratchpad == want.scratchpad && h->heap == want.heap && h->publics == want.publics
        && h->notes == want.notes && h->rings == want.rings && h->regions == want.regions && h->governor == want.governor && h->explained == want.explained && h->scratchpads == want.scratchpads
        && h->heaps == want.heaps && h->total == want.total
        && (uint64_t)file_size == want.total;
}

int nic_job_attach(int fd, struct nic_job **job)
{
    struct stat st;
    struct nic_job_header h;
    if (fstat(fd, &st) < 0)
        return -errno;
    if (pread(fd, &h, sizeof h, 0) != sizeof h || !header_is_ours(&h, st.st_size))
        return -EPROTO;
    struct nic_job *j = calloc(1, sizeof *j);
    if (!j)
        return -ENOMEM;
    j->fd = fd;
    int rc = map_bytes(j, h.total);
    if (rc == -ENOMEM && h.heap)        /* a process with a limit of its own does without the heaps */
        rc = map_bytes(j, h.heaps);
    if (rc) {
        free(j);
        return rc;
    }
    point_into(j);
    *job = j;
    return 0;
}
