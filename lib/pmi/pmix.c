/* PMIx: a library of the launcher's, which is loaded when a launcher asks for it.  Programs that
 * are started otherwise do without. */
#include "pmi/server.h"

#ifdef HAVE_PMIX
#include <dlfcn.h>
#include <errno.h>
#include <pmix.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "pmi/why.h"

/* Its functions. */
#define CALLS(X) \
    X(Init) X(Finalize) X(Put) X(Commit) X(Fence) X(Get) X(Abort) X(Error_string)
#define CALL_POINTER(name) __typeof__(PMIx_##name) *name;
static struct { CALLS(CALL_POINTER) void *library; } pmix;

static pmix_proc_t self;

static int failed(const char *call, pmix_status_t rc)
{
    return mpi_pmi_failed(rc == PMIX_ERR_NOT_FOUND ? -ENOENT : -EPROTO, "PMIx: %s: %s", call,
                          pmix.Error_string(rc));
}

/* The launcher's own library first: where it is not the one of this machine, it has said so by
 * LD_LIBRARY_PATH. */
static int load(void)
{
    if (pmix.library)
        return 0;
    pmix.library = dlopen("libpmix.so.2", RTLD_NOW | RTLD_LOCAL);
    if (!pmix.library)
        return mpi_pmi_failed(-ELIBACC, "PMIx: %s", dlerror());
#define CALL_FIND(name) \
    if (!(pmix.name = (__typeof__(pmix.name))dlsym(pmix.library, "PMIx_" #name))) \
        return mpi_pmi_failed(-ELIBBAD, "PMIx: libpmix.so.2 has no PMIx_" #name);
    CALLS(CALL_FIND)
    return 0;
}

/* Asks about a rank, or about the job (PMIX_RANK_WILDCARD). */
static pmix_status_t ask(pmix_rank_t rank, const char *key, pmix_value_t **value)
{
    pmix_proc_t who = { .rank = rank };
    memcpy(who.nspace, self.nspace, sizeof who.nspace);
    pmix_status_t rc = pmix.Get(&who, key, NULL, 0, value);
    return !rc && !*value ? PMIX_ERR_NOT_FOUND : rc;
}

static int ask_number(pmix_rank_t rank, const char *key, uint32_t most, uint32_t *number)
{
    pmix_value_t *value = NULL;
    pmix_status_t rc = ask(rank, key, &value);
    if (rc)
        return failed(key, rc);
    bool good = value->type == PMIX_UINT32 && value->data.uint32 <= most;
    *number = good ? value->data.uint32 : 0;
    free(value);
    return good ? 0 : mpi_pmi_failed(-EPROTO, "PMIx: the value of %s makes no sense", key);
}

static int open_server(struct mpi_pmi *p)
{
    uint32_t size = 0, appnum = 0;
    int rc = load();
    if (rc)
        return rc;
    pmix_status_t status = pmix.Init(&self, NULL, 0);
    if (status)
        return failed("PMIx_Init", status);
    if ((rc = ask_number(PMIX_RANK_WILDCARD, PMIX_JOB_SIZE, PMI_RANKS_MAX, &size)))
        return rc;
    if (!size || self.rank >= size)
        return mpi_pmi_failed(-EPROTO, "PMIx: this is rank %u of %u", (unsigned)self.rank, size);
    p->rank = self.rank;
    p->size = size;
    p->appnum = ask_number(self.rank, PMIX_APPNUM, 1 << 30, &appnum) ? 0 : (int)appnum;
    return 0;
}

/* A string, to be freed; NULL: there is none. */
static char *ask_text(pmix_rank_t rank, const char *key)
{
    pmix_value_t *value = NULL;
    char *text = NULL;
    pmix_status_t rc = ask(rank, key, &value);
    if (rc) {
        failed(key, rc);
        return NULL;
    }
    if (value->type == PMIX_STRING)
        text = value->data.string;
    free(value);
    if (!text)
        mpi_pmi_failed(-EPROTO, "PMIx: the value of %s makes no sense", key);
    return text;
}

/* The first rank that the launcher calls a neighbour of this one: names are the launcher's, too,
 * and all ranks are told the same. */
static int map_names(struct mpi_pmi *p)
{
    char **name = calloc(p->size, sizeof *name);
    unsigned r = 0;
    if (!name)
        return mpi_pmi_failed(-ENOMEM, "no memory for %u ranks", p->size);
    for (; r < p->size && (name[r] = ask_text(r, PMIX_HOSTNAME)); r++)
        for (unsigned first = p->node[r] = r; first-- > 0;)
            if (p->node[first] == first && !strcmp(name[first], name[r]))
                p->node[r] = first;
    int rc = r == p->size ? 0 : -EPROTO;
    for (unsigned i = 0; i < r; i++)
        free(name[i]);
    free(name);
    return rc;
}

/* Open MPI 4 tells numbers of nodes only of ranks that are near. */
static int map(struct mpi_pmi *p)
{
    int rc = 0;
    for (unsigned r = 0; r < p->size && !rc; r++)
        rc = ask_number(r, PMIX_NODEID, UINT32_MAX, &p->node[r]);
    return rc == -ENOENT ? map_names(p) : rc;
}

static int put(struct mpi_pmi *p, const char *key, const char *value)
{
    char copy[PMI_VALUE_MAX + 1];
    (void)p;
    snprintf(copy, sizeof copy, "%s", value);
    pmix_value_t v = { .type = PMIX_STRING, .data.string = copy };
    pmix_status_t rc = pmix.Put(PMIX_GLOBAL, key, &v);
    return rc ? failed("PMIx_Put", rc) : 0;
}

/* Nothing is collected: who wants something gets it when it is needed. */
static int fence(struct mpi_pmi *p)
{
    (void)p;
    pmix_status_t rc = pmix.Commit();
    if (!rc)
        rc = pmix.Fence(NULL, 0, NULL, 0);
    return rc ? failed("PMIx_Fence", rc) : 0;
}

static int get(struct mpi_pmi *p, unsigned rank, const char *key, char *text, size_t room)
{
    (void)p;
    pmix_value_t *value = NULL;
    pmix_status_t status = ask(rank, key, &value);
    if (status)
        return failed(key, status);
    bool good = value->type == PMIX_STRING && value->data.string
                && strlen(value->data.string) < room;
    if (good)
        strcpy(text, value->data.string);
    if (value->type == PMIX_STRING)
        free(value->data.string);
    free(value);
    return good ? 0 : mpi_pmi_failed(-EPROTO, "PMIx: the value of %s makes no sense", key);
}

static void end(struct mpi_pmi *p, int code, const char *text)
{
    (void)p;
    pmix.Abort(code, text, NULL, 0);
}

static int close_server(struct mpi_pmi *p)
{
    (void)p;
    pmix_status_t rc = pmix.Finalize(NULL, 0);
    return rc ? failed("PMIx_Finalize", rc) : 0;
}

bool mpi_pmix_wanted(void) { return getenv("PMIX_NAMESPACE") && getenv("PMIX_RANK"); }

const struct pmi_server mpi_pmix = { "PMIx", open_server, map, put, fence, get, end,
                                     close_server };

#else

bool mpi_pmix_wanted(void) { return false; }

const struct pmi_server mpi_pmix = { .name = "PMIx" };

#endif
