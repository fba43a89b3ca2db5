/* Contexts, and the order of what they have started. */
#include "shmem/context.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#include "shmem/error.h"
#include "shmem/queue.h"

struct shmem_context mpi_shmem_default = { .alive = MPI_SHMEM_ALIVE };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct shmem_context *contexts;      /* under lock; the default one apart */
static struct shmem_context *spare;         /* destroyed: not freed, so that use of one is seen */

struct shmem_context *mpi_shmem_context_of(const char *call, shmem_ctx_t ctx, int *pe)
{
    mpi_shmem_check_up(call);
    if (ctx == SHMEM_CTX_DEFAULT)
        return &mpi_shmem_default;
    if (ctx == SHMEM_CTX_INVALID || (uintptr_t)ctx % _Alignof(struct shmem_context)
        || ctx->alive != MPI_SHMEM_ALIVE)
        mpi_shmem_die(call, "%p is no context (SHMEM_CTX_INVALID, or destroyed?)", (void *)ctx);
    if (pe && ctx->team) {
        if ((unsigned)*pe >= (unsigned)ctx->n)
            mpi_shmem_die(call, "PE %d is not in 0..%d, those of the context's team", *pe,
                          ctx->n - 1);
        *pe = ctx->pes[*pe];
    }
    return ctx;
}

/* -- waiting for all */

struct waiting { const char *call; const struct shmem_context *c; };

static const char *note(void *argument, char *text, size_t size)
{
    const struct waiting *w = argument;
    snprintf(text, size, "%s: %u transfers are under way", w->call, w->c->under_way);
    return text;
}

/* Stores and atomic instructions of this thread come before what is behind the fence; where all
 * memory is mapped that is all.  On the model clock programs poll with it. */
void mpi_shmem_quiet(struct shmem_context *c, const char *call)
{
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
    if (likely(mpi_shmem.local))
        return;
    struct waiting waiting = { call, c };
    struct nic_wait wait = { .note = note, .argument = &waiting };
    mpi_shmem_queue_quiet(call);
    mpi_door.nic_enter(mpi_shmem.nic);
    if (mpi_shmem.modelled)
        mpi_door.nic_step(mpi_shmem.nic);
    while (c->under_way)
        mpi_door.nic_wait_turn(mpi_shmem.nic, &wait);
    mpi_door.nic_leave(mpi_shmem.nic);
}

void mpi_shmem_quiet_all(const char *call)
{
    mpi_shmem_quiet(&mpi_shmem_default, call);
    if (mpi_shmem.local)
        return;
    pthread_mutex_lock(&lock);
    for (struct shmem_context *c = contexts; c; c = c->next)
        mpi_shmem_quiet(c, call);
    pthread_mutex_unlock(&lock);
}

void pshmem_quiet(void)
{
    SHMEM_ENTER("shmem_quiet");
    mpi_shmem_quiet(&mpi_shmem_default, "shmem_quiet");
}
SHMEM_ALIAS(quiet);

/* Of no context nothing is under way. */
void pshmem_ctx_quiet(shmem_ctx_t ctx)
{
    SHMEM_ENTER("shmem_ctx_quiet");
    if (ctx != SHMEM_CTX_INVALID)
        mpi_shmem_quiet(mpi_shmem_context_of("shmem_ctx_quiet", ctx, NULL), "shmem_ctx_quiet");
}
SHMEM_ALIAS(ctx_quiet);

/* Stores come one behind the other.  What the NIC does is not ordered: it is waited for. */
static void fence(struct shmem_context *c, const char *call)
{
    if (likely(mpi_shmem.local))
        __atomic_thread_fence(__ATOMIC_ACQ_REL);
    else
        mpi_shmem_quiet(c, call);
}

void pshmem_fence(void)
{
    SHMEM_ENTER("shmem_fence");
    fence(&mpi_shmem_default, "shmem_fence");
}
SHMEM_ALIAS(fence);

void pshmem_ctx_fence(shmem_ctx_t ctx)
{
    SHMEM_ENTER("shmem_ctx_fence");
    if (ctx != SHMEM_CTX_INVALID)
        fence(mpi_shmem_context_of("shmem_ctx_fence", ctx, NULL), "shmem_ctx_fence");
}
SHMEM_ALIAS(ctx_fence);

/* -- life */

static struct shmem_context *new_context(void)
{
    pthread_mutex_lock(&lock);
    struct shmem_context *c = spare;
    if (c)
        spare = c->next;
    pthread_mutex_unlock(&lock);
    return c ? c : malloc(sizeof *c);
}

/* It is in no list. */
static void retire(struct shmem_context *c)
{
    c->alive = 0;
    pthread_mutex_lock(&lock);
    c->next = spare;
    spare = c;
    pthread_mutex_unlock(&lock);
}

int mpi_shmem_context_new(const struct shmem_context *what, shmem_ctx_t *ctx)
{
    struct shmem_context *c = new_context();
    *ctx = SHMEM_CTX_INVALID;
    if (!c)
        return -1;
    *c = *what;
    c->alive = MPI_SHMEM_ALIVE;
    pthread_mutex_lock(&lock);
    c->next = contexts;
    contexts = c;
    pthread_mutex_unlock(&lock);
    *ctx = c;
    return 0;
}

int pshmem_ctx_create(long options, shmem_ctx_t *ctx)
{
    SHMEM_ENTER("shmem_ctx_create");
    return mpi_shmem_context_new(&(struct shmem_context){ .options = options }, ctx);
}
SHMEM_ALIAS(ctx_create);

/* Takes it out of the list; false: it is not there. */
static bool forget(struct shmem_context *c)
{
    pthread_mutex_lock(&lock);
    struct shmem_context **link = &contexts;
    while (*link && *link != c)
        link = &(*link)->next;
    bool found = *link != NULL;
    if (found)
        *link = c->next;
    pthread_mutex_unlock(&lock);
    return found;
}

void pshmem_ctx_destroy(shmem_ctx_t ctx)
{
    const char *call = "shmem_ctx_destroy";
    SHMEM_ENTER(call);
    if (ctx == SHMEM_CTX_INVALID)
        return;
    if (ctx == SHMEM_CTX_DEFAULT)
        mpi_shmem_die(call, "SHMEM_CTX_DEFAULT can't be destroyed");
    if (!forget(ctx))
        mpi_shmem_die(call, "%p is no context (destroyed before?)", (void *)ctx);
    mpi_shmem_quiet(ctx, call);
    retire(ctx);
}
SHMEM_ALIAS(ctx_destroy);

void mpi_shmem_contexts_end(struct shmem_team *team, const char *call)
{
    struct shmem_context *c = contexts, *next;
    for (; c; c = next) {
        next = c->next;
        if (team && c->team != team)
            continue;
        mpi_shmem_quiet(c, call);
        forget(c);
        retire(c);
    }
    for (; !team && (c = spare); free(c))
        spare = c->next;
}
