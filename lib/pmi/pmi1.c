/* PMI-1: lines of "key=value", each answered by one. */
#include "pmi/server.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "pmi/mapping.h"
#include "pmi/why.h"

/* Receives an answer, which says that it is `command`; rc: what it says besides, 0 if nothing. */
static int answer(struct mpi_pmi *p, const char *command, char *text, size_t size, int *rc)
{
    int error = mpi_pmi_receive(&p->channel, text, size);
    if (error)
        return error;
    if (!mpi_pmi_field_is(text, ' ', "cmd", command))
        return mpi_pmi_failed(-EPROTO, "PMI-1: '%.80s' in place of %s", text, command);
    *rc = 0;
    if (strstr(text, " rc=") && !mpi_pmi_field_number(text, ' ', "rc", -INT_MAX, INT_MAX, rc))
        return mpi_pmi_failed(-EPROTO, "PMI-1: '%.80s' has no result", text);
    return 0;
}

/* Of what must succeed. */
static int good_answer(struct mpi_pmi *p, const char *command, char *text, size_t size)
{
    int rc, error = answer(p, command, text, size, &rc);
    if (!error && rc)
        return mpi_pmi_failed(-EPROTO, "PMI-1: the launcher refuses: '%.80s'", text);
    return error;
}

static int ask(struct mpi_pmi *p, const char *question, const char *command, char *text,
               size_t size)
{
    int rc = mpi_pmi_send(&p->channel, "%s", question);
    return rc ? rc : good_answer(p, command, text, size);
}

/* What does not fit is cut by some servers, without a word. */
static int check_maxes(struct mpi_pmi *p)
{
    char text[PMI_MESSAGE_MAX];
    int key, value, rc = ask(p, "cmd=get_maxes", "maxes", text, sizeof text);
    if (rc)
        return rc;
    if (!mpi_pmi_field_number(text, ' ', "keylen_max", PMI_KEY_MAX, 1 << 30, &key)
        || !mpi_pmi_field_number(text, ' ', "vallen_max", PMI_VALUE_MAX + 1, 1 << 30, &value))
        return mpi_pmi_failed(-EPROTO, "PMI-1: names or values are too short: '%.80s'", text);
    return 0;
}

static int open_server(struct mpi_pmi *p)
{
    char text[PMI_MESSAGE_MAX];
    int rc = ask(p, "cmd=init pmi_version=1 pmi_subversion=1", "response_to_init", text,
                 sizeof text);
    if (!rc)
        rc = check_maxes(p);
    if (!rc)
        rc = ask(p, "cmd=get_my_kvsname", "my_kvsname", text, sizeof text);
    if (!rc && !mpi_pmi_field(text, ' ', "kvsname", p->kvs, sizeof p->kvs))
        rc = mpi_pmi_failed(-EPROTO, "PMI-1: no name in '%.80s'", text);
    if (!rc)
        rc = ask(p, "cmd=get_appnum", "appnum", text, sizeof text);
    if (!rc && !mpi_pmi_field_number(text, ' ', "appnum", 0, 1 << 30, &p->appnum))
        p->appnum = 0;
    return rc;
}

static int put(struct mpi_pmi *p, const char *key, const char *value)
{
    char text[PMI_MESSAGE_MAX];
    int rc = mpi_pmi_send(&p->channel, "cmd=put kvsname=%s key=%s value=%s", p->kvs, key, value);
    return rc ? rc : good_answer(p, "put_result", text, sizeof text);
}

static int fence(struct mpi_pmi *p)
{
    char text[PMI_MESSAGE_MAX];
    return ask(p, "cmd=barrier_in", "barrier_out", text, sizeof text);
}

static int get(struct mpi_pmi *p, unsigned rank, const char *key, char *value, size_t room)
{
    char text[PMI_MESSAGE_MAX];
    int found, rc = mpi_pmi_send(&p->channel, "cmd=get kvsname=%s key=%s", p->kvs, key);
    (void)rank;
    if (!rc)
        rc = answer(p, "get_result", text, sizeof text, &found);
    if (rc)
        return rc;
    if (found)
        return mpi_pmi_failed(-ENOENT, "PMI-1: nobody has put %s", key);
    if (!mpi_pmi_field(text, ' ', "value", value, room))
        return mpi_pmi_failed(-EPROTO, "PMI-1: no value of %s in '%.80s'", key, text);
    return 0;
}

static int map(struct mpi_pmi *p)
{
    char text[PMI_MESSAGE_MAX];
    int rc = get(p, 0, "PMI_process_mapping", text, sizeof text);
    return rc == -ENOENT || (!rc && !*text) ? -ENOENT : rc
           ? rc : mpi_pmi_mapping_read(text, p->node, p->size);
}

static void end(struct mpi_pmi *p, int code, const char *text)
{
    (void)text;
    mpi_pmi_send(&p->channel, "cmd=abort exitcode=%d", code);
}

static int close_server(struct mpi_pmi *p)
{
    char text[PMI_MESSAGE_MAX];
    int rc = ask(p, "cmd=finalize", "finalize_ack", text, sizeof text);
    close(p->channel.fd);
    return rc;
}

const struct pmi_server mpi_pmi1 = { "PMI-1", open_server, map, put, fence, get, end,
                                     close_server };
