/* Contexts of teams. */
#include "shmem/context.h"
#include "shmem/error.h"
#include "shmem/team.h"

int pshmem_team_create_ctx(shmem_team_t team, long options, shmem_ctx_t *ctx)
{
    const char *call = "shmem_team_create_ctx";
    SHMEM_ENTER(call);
    *ctx = SHMEM_CTX_INVALID;
    if (team == SHMEM_TEAM_INVALID)
        return -1;
    struct shmem_team *t = mpi_shmem_team(call, team);
    return mpi_shmem_context_new(&(struct shmem_context){ .team = t, .pes = t->pes, .n = t->n,
                                                          .options = options }, ctx);
}
SHMEM_ALIAS(team_create_ctx);

int pshmem_ctx_get_team(shmem_ctx_t ctx, shmem_team_t *team)
{
    const char *call = "shmem_ctx_get_team";
    SHMEM_ENTER(call);
    *team = SHMEM_TEAM_INVALID;
    if (ctx == SHMEM_CTX_INVALID)
        return -1;
    const struct shmem_context *c = mpi_shmem_context_of(call, ctx, NULL);
    *team = c->team ? mpi_shmem_team_handle(c->team) : SHMEM_TEAM_WORLD;
    return 0;
}
SHMEM_ALIAS(ctx_get_team);
