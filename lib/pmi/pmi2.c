/* The wire of PMI-2: fields between semicolons, behind a length.  It begins as PMI-1 does. */
#include "pmi/server.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "pmi/mapping.h"
#include "pmi/why.h"

static int answer(struct mpi_pmi *p, const char *command, char *text, size_t size)
{
    int code, rc = mpi_pmi_receive(&p->channel, text, size);
    if (rc)
        return rc;
    if (!mpi_pmi_field_is(text, ';', "cmd", command))
        return mpi_pmi_failed(-EPROTO, "PMI-2: '%.80s' in place of %s", text, command);
    if (!mpi_pmi_field_number(text, ';', "rc", -INT_MAX, INT_MAX, &code) || code)
        return mpi_pmi_failed(-EPROTO, "PMI-2: the launcher refuses: '%.80s'", text);
    return 0;
}

/* The version is agreed upon in lines. */
static int begin(struct mpi_pmi *p)
{
    char text[PMI_MESSAGE_MAX];
    int code, rc = mpi_pmi_send(&p->channel, "cmd=init pmi_version=2 pmi_subversion=0");
    if (!rc)
        rc = mpi_pmi_receive(&p->channel, text, sizeof text);
    if (rc)
        return rc;
    if (!mpi_pmi_field_is(text, ' ', "cmd", "response_to_init")
        || !mpi_pmi_field_number(text, ' ', "rc", 0, 0, &code))
        return mpi_pmi_failed(-EPROTO, "PMI-2: the launcher refuses: '%.80s'", text);
    p->channel.framed = true;
    return 0;
}

/* Who we are stands here, too, and has to be the same. */
static int check_place(struct mpi_pmi *p, const char *text)
{
    int rank, size;
    if (!mpi_pmi_field_number(text, ';', "rank", 0, PMI_RANKS_MAX, &rank)
        || (unsigned)rank != p->rank)
        return mpi_pmi_failed(-EPROTO, "PMI-2: rank %u is another one in '%.80s'", p->rank, text);
    if (mpi_pmi_field_number(text, ';', "size", 1, PMI_RANKS_MAX, &size)
        && (unsigned)size != p->size)
        return mpi_pmi_failed(-EPROTO, "PMI-2: %u ranks are not those of '%.80s'", p->size, text);
    if (!mpi_pmi_field_number(text, ';', "appnum", 0, 1 << 30, &p->appnum))
        p->appnum = 0;
    return 0;
}

static int open_server(struct mpi_pmi *p)
{
    char text[PMI_MESSAGE_MAX];
    const char *job = getenv("PMI_JOBID");
    job = job && !strpbrk(job, ";=") ? job : "";
    int rc = begin(p);
    if (!rc)
        rc = mpi_pmi_send(&p->channel, "cmd=fullinit;pmijobid=%.*s;pmirank=%u;threaded=FALSE;",
                          PMI_KVS_MAX, job, p->rank);
    if (!rc)
        rc = answer(p, "fullinit-response", text, sizeof text);
    snprintf(p->kvs, sizeof p->kvs, "%s", job);
    return rc ? rc : check_place(p, text);
}

static int put(struct mpi_pmi *p, const char *key, const char *value)
{
    char text[PMI_MESSAGE_MAX];
    int rc = mpi_pmi_send(&p->channel, "cmd=kvs-put;key=%s;value=%s;", key, value);
    return rc ? rc : answer(p, "kvs-put-response", text, sizeof text);
}

static int fence(struct mpi_pmi *p)
{
    char text[PMI_MESSAGE_MAX];
    int rc = mpi_pmi_send(&p->channel, "cmd=kvs-fence;");
    return rc ? rc : answer(p, "kvs-fence-response", text, sizeof text);
}

static int value_of(const char *text, const char *key, char *value, size_t room)
{
    if (!mpi_pmi_field_is(text, ';', "found", "TRUE"))
        return mpi_pmi_failed(-ENOENT, "PMI-2: nobody has put %s", key);
    if (!mpi_pmi_field(text, ';', "value", value, room))
        return mpi_pmi_failed(-EPROTO, "PMI-2: no value of %s in '%.80s'", key, text);
    return 0;
}

static int get(struct mpi_pmi *p, unsigned rank, const char *key, char *value, size_t room)
{
    char text[PMI_MESSAGE_MAX];
    (void)rank;
    int rc = mpi_pmi_send(&p->channel, "cmd=kvs-get;jobid=%s;srcid=-1;key=%s;", p->kvs, key);
    if (!rc)
        rc = answer(p, "kvs-get-response", text, sizeof text);
    return rc ? rc : value_of(text, key, value, room);
}

static int map(struct mpi_pmi *p)
{
    char text[PMI_MESSAGE_MAX], value[PMI_MESSAGE_MAX];
    int rc = mpi_pmi_send(&p->channel, "cmd=info-getjobattr;key=PMI_process_mapping;");
    if (!rc)
        rc = answer(p, "info-getjobattr-response", text, sizeof text);
    if (!rc)
        rc = value_of(text, "PMI_process_mapping", value, sizeof value);
    return rc ? rc : mpi_pmi_mapping_read(value, p->node, p->size);
}

/* Servers look for the code in nothing: it is that of the process, which exits behind this. */
static void end(struct mpi_pmi *p, int code, const char *text)
{
    mpi_pmi_send(&p->channel, "cmd=abort;isworld=TRUE;msg=%.200s (exit code %d);",
                 strpbrk(text, ";=\n") ? "aborted" : text, code);
}

static int close_server(struct mpi_pmi *p)
{
    char text[PMI_MESSAGE_MAX];
    int rc = mpi_pmi_send(&p->channel, "cmd=finalize;");
    if (!rc)
        rc = answer(p, "finalize-response", text, sizeof text);
    close(p->channel.fd);
    return rc;
}

const struct pmi_server mpi_pmi2 = { "PMI-2", open_server, map, put, fence, get, end,
                                     close_server };
