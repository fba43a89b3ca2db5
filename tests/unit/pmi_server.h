/* A launcher's server in a thread: PMI-1 or PMI-2 as mpiexec.hydra and Slurm have them, for one
 * client at the other end of a socket, with mistakes on demand. */
#ifndef PMI_SERVER_H
#define PMI_SERVER_H

#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum { KEYS = 256, TEXT = 4096 };

struct pmi_fake {
    int version;                /* 1, 2 */
    bool slurm;                 /* results come first, lengths stand on the left */
    bool chopped;               /* byte by byte */
    const char *map;            /* NULL: none */
    int dies_after;             /* answers; -1: it stays */
    int wrong_at;               /* number of the answer that is `wrong` instead; -1: none */
    const char *wrong;
    void (*at_barrier)(struct pmi_fake *, int);     /* NULL, or before it answers to the nth one */
    int barriers;
    int ends[2];
    int answers, keys, aborted; /* how many, and the code of an abort; -1: none */
    bool finalized, long_value;
    char asked[TEXT];           /* the last question */
    char key[KEYS][80], value[KEYS][TEXT];
    pthread_t thread;
};

static inline bool pmi_fake_all(int fd, char *to, size_t bytes)
{
    for (ssize_t n; bytes; to += n, bytes -= (size_t)n)
        if ((n = read(fd, to, bytes)) <= 0)
            return false;
    return true;
}

/* Reads a question. */
static inline bool pmi_fake_read(struct pmi_fake *s, bool framed, char *text)
{
    char length[7] = "";
    size_t n = 0;
    if (framed) {
        if (!pmi_fake_all(s->ends[1], length, 6))
            return false;
        n = (size_t)atoi(length);
        text[n] = 0;
        return pmi_fake_all(s->ends[1], text, n);
    }
    while (pmi_fake_all(s->ends[1], text + n, 1) && text[n] != '\n' && n < TEXT - 1)
        n++;
    bool whole = text[n] == '\n';
    text[n] = 0;
    return whole;
}

static inline void pmi_fake_write(struct pmi_fake *s, const char *text, size_t bytes)
{
    for (size_t n = s->chopped ? 1 : bytes; bytes; text += n, bytes -= n) {
        n = n < bytes ? n : bytes;
        if (send(s->ends[1], text, n, MSG_NOSIGNAL) != (ssize_t)n)
            return;
    }
}

/* Answers: "RESULT FIELDS" or the other way round, as a line or behind a length.  False: it is
 * dead. */
static inline bool pmi_fake_answer(struct pmi_fake *s, bool framed, const char *command, int rc,
                                   const char *fields)
{
    char text[2 * TEXT], message[2 * TEXT + 16], result[32];
    const char *sep = framed ? ";" : " ";
    if (s->dies_after >= 0 && s->answers >= s->dies_after)
        return false;
    snprintf(result, sizeof result, "rc=%d", rc);
    bool some = *fields;
    if (s->answers == s->wrong_at)
        snprintf(text, sizeof text, "%s", s->wrong);
    else if (s->slurm)
        snprintf(text, sizeof text, "cmd=%s%s%s%s%s%s", command, sep, result, some ? sep : "",
                 fields, framed ? sep : "");
    else
        snprintf(text, sizeof text, "cmd=%s%s%s%s%s%s", command, some ? sep : "", fields, sep,
                 result, framed ? sep : "");
    if (framed)
        snprintf(message, sizeof message, s->slurm ? "%-6zu%s" : "%6zu%s", strlen(text), text);
    else
        snprintf(message, sizeof message, "%s\n", text);
    pmi_fake_write(s, message, strlen(message));
    s->answers++;
    return true;
}

/* The value of "NAME=" in a question. */
static inline const char *pmi_fake_field(const char *text, const char *name, char *value)
{
    const char *at = strstr(text, name);
    size_t n = at ? strcspn(at + strlen(name), " ;") : 0;
    memcpy(value, at ? at + strlen(name) : "", n);
    value[n] = 0;
    return value;
}

static inline const char *pmi_fake_find(struct pmi_fake *s, const char *key)
{
    for (int i = 0; i < s->keys; i++)
        if (!strcmp(s->key[i], key))
            return s->value[i];
    return NULL;
}

static inline void pmi_fake_put(struct pmi_fake *s, const char *text)
{
    char key[TEXT];
    snprintf(s->key[s->keys], sizeof *s->key, "%.79s", pmi_fake_field(text, "key=", key));
    pmi_fake_field(text, "value=", s->value[s->keys]);
    s->long_value |= strlen(s->value[s->keys]) > 512 || strlen(s->key[s->keys]) > 63;
    s->keys += s->keys < KEYS - 1;
}

/* As much as real servers pass on. */
static inline bool pmi_fake_get(struct pmi_fake *s, const char *text, bool framed,
                                const char *command)
{
    char key[TEXT], fields[TEXT + 32];
    pmi_fake_field(text, "key=", key);
    const char *value = strcmp(key, "PMI_process_mapping") ? pmi_fake_find(s, key) : s->map;
    if (framed)
        snprintf(fields, sizeof fields, value ? "found=TRUE;value=%s" : "found=FALSE",
                 value ? value : "");
    else if (value)
        snprintf(fields, sizeof fields, "%svalue=%s", s->slurm ? "" : "msg=success ", value);
    else
        snprintf(fields, sizeof fields, s->slurm ? "" : "msg=key_%s_not_found value=unknown", key);
    return pmi_fake_answer(s, framed, command, value || framed ? 0 : s->slurm ? 1 : -1, fields);
}

/* One question of PMI-1. */
static inline bool pmi_fake_turn1(struct pmi_fake *s, const char *text)
{
    char code[TEXT];
    if (!strncmp(text, "cmd=init ", 9))
        return pmi_fake_answer(s, false, "response_to_init", 0, "pmi_version=1 pmi_subversion=1");
    if (!strncmp(text, "cmd=get_maxes", 13))
        return pmi_fake_answer(s, false, "maxes", 0,
                               "kvsname_max=256 keylen_max=64 vallen_max=1024");
    if (!strncmp(text, "cmd=get_my_kvsname", 18))
        return pmi_fake_answer(s, false, "my_kvsname", 0, "kvsname=kvs_1_0");
    if (!strncmp(text, "cmd=get_appnum", 14))
        return pmi_fake_answer(s, false, "appnum", 0, s->slurm ? "appnum=-1" : "appnum=3");
    if (!strncmp(text, "cmd=get ", 8))
        return pmi_fake_get(s, text, false, "get_result");
    if (!strncmp(text, "cmd=barrier_in", 14) && s->at_barrier)
        s->at_barrier(s, ++s->barriers);
    if (!strncmp(text, "cmd=barrier_in", 14))
        return pmi_fake_answer(s, false, "barrier_out", 0, "");
    if (!strncmp(text, "cmd=abort ", 10))
        return s->aborted = atoi(pmi_fake_field(text, "exitcode=", code)), false;
    if (!strncmp(text, "cmd=put ", 8)) {
        pmi_fake_put(s, text);
        return pmi_fake_answer(s, false, "put_result", 0, "");
    }
    s->finalized = !strcmp(text, "cmd=finalize");
    return s->finalized && pmi_fake_answer(s, false, "finalize_ack", 0, "") && false;
}

static inline bool pmi_fake_turn2(struct pmi_fake *s, const char *text)
{
    char value[TEXT];
    if (!strncmp(text, "cmd=fullinit;", 13)) {
        if (strcmp(pmi_fake_field(text, "pmijobid=", value), "7.0")
            || strcmp(pmi_fake_field(text, "pmirank=", value), "1"))
            return pmi_fake_answer(s, true, "fullinit-response", 14, "");
        return pmi_fake_answer(s, true, "fullinit-response", 0, "pmi-version=2;pmi-subversion=0;"
                               "rank=1;size=4;appnum=3;debugged=FALSE");
    }
    if (!strncmp(text, "cmd=info-getjobattr;", 20))
        return pmi_fake_get(s, text, true, "info-getjobattr-response");
    if (!strncmp(text, "cmd=kvs-get;", 12) && strcmp(pmi_fake_field(text, "jobid=", value), "7.0"))
        return pmi_fake_answer(s, true, "kvs-get-response", 14, "");
    if (!strncmp(text, "cmd=kvs-get;", 12))
        return pmi_fake_get(s, text, true, "kvs-get-response");
    if (!strncmp(text, "cmd=kvs-fence;", 14))
        return pmi_fake_answer(s, true, "kvs-fence-response", 0, "");
    if (!strncmp(text, "cmd=abort;", 10))
        return s->aborted = 1, false;
    if (!strncmp(text, "cmd=kvs-put;", 12)) {
        pmi_fake_put(s, text);
        return pmi_fake_answer(s, true, "kvs-put-response", 0, "");
    }
    s->finalized = !strcmp(text, "cmd=finalize;");
    return s->finalized && pmi_fake_answer(s, true, "finalize-response", 0, "") && false;
}

static inline void *pmi_fake_serve(void *server)
{
    struct pmi_fake *s = server;
    char text[2 * TEXT];
    bool framed = false;
    while (pmi_fake_read(s, framed, text)) {
        snprintf(s->asked, sizeof s->asked, "%.*s", TEXT - 1, text);
        if (framed ? !pmi_fake_turn2(s, text) : s->version == 1 && !pmi_fake_turn1(s, text))
            break;
        if (!framed && s->version == 2) {
            if (!pmi_fake_answer(s, false, "response_to_init", 0, "pmi_version=2"))
                break;
            framed = true;
        }
    }
    shutdown(s->ends[1], SHUT_RDWR);
    return NULL;
}

/* Rank 1 of 4 finds it in its environment. */
static inline void pmi_fake_begin(struct pmi_fake *s)
{
    char fd[16];
    s->answers = s->keys = s->barriers = 0;
    s->aborted = -1;
    s->finalized = s->long_value = false;
    if (socketpair(AF_UNIX, SOCK_STREAM, 0, s->ends)
        || pthread_create(&s->thread, NULL, pmi_fake_serve, s))
        abort();
    snprintf(fd, sizeof fd, "%d", s->ends[0]);
    setenv("PMI_FD", fd, 1);
    setenv("PMI_RANK", "1", 1);
    setenv("PMI_SIZE", "4", 1);
    s->version == 2 ? setenv("PMI_JOBID", "7.0", 1) : unsetenv("PMI_JOBID");
}

/* closed: the client has closed its end. */
static inline void pmi_fake_end(struct pmi_fake *s, bool closed)
{
    if (!closed)
        shutdown(s->ends[0], SHUT_RDWR);
    pthread_join(s->thread, NULL);
    if (!closed)
        close(s->ends[0]);
    close(s->ends[1]);
}

#endif
