/* Performance variables: what there is. */
#include <stdio.h>
#include <string.h>

#include "mpi/weak_alias.h"
#include "tool/enumeration.h"
#include "tool/pvar_value.h"
#include "tool/tool.h"

int PMPI_T_pvar_get_num(int *num_pvar)
{
    TOOL_ENTER();
    if (!num_pvar)
        return MPI_T_ERR_INVALID;
    *num_pvar = mpi_tool_pvar_count();
    return MPI_SUCCESS;
}
MPI_WEAK_ALIAS(T_pvar_get_num);

int PMPI_T_pvar_get_info(int pvar_index, char *name, int *name_len, int *verbosity, int *var_class,
                         MPI_Datatype *datatype, MPI_T_enum *enumtype, char *desc, int *desc_len,
                         int *bind, int *readonly, int *continuous, int *atomic)
{
    struct mpi_tool_pvar p;
    char text[256];
    TOOL_ENTER();
    if (!mpi_tool_pvar(pvar_index, &p))
        return MPI_T_ERR_INVALID_INDEX;
    snprintf(text, sizeof text, "%s%s%s", p.text, *p.unit ? ", in " : "", p.unit);
    mpi_tool_string(p.name, name, name_len);
    mpi_tool_string(text, desc, desc_len);
    TOOL_GIVE(verbosity, MPI_T_VERBOSITY_TUNER_BASIC);
    TOOL_GIVE(var_class, p.class);
    TOOL_GIVE(datatype, p.type);
    TOOL_GIVE(enumtype, p.class == MPI_T_PVAR_CLASS_STATE ? mpi_tool_enum(MPI_TOOL_ENUM_STATE, 0)
                                                          : MPI_T_ENUM_NULL);
    TOOL_GIVE(bind, MPI_T_BIND_NO_OBJECT);
    TOOL_GIVE(readonly, !p.counts);
    TOOL_GIVE(continuous, !p.counts);
    TOOL_GIVE(atomic, p.counts);
    return MPI_SUCCESS;
}
MPI_WEAK_ALIAS(T_pvar_get_info);

int PMPI_T_pvar_get_index(const char *name, int var_class, int *pvar_index)
{
    struct mpi_tool_pvar p;
    TOOL_ENTER();
    if (!name || !pvar_index)
        return MPI_T_ERR_INVALID;
    for (int i = 0; mpi_tool_pvar(i, &p); i++)
        if (p.class == var_class && !strcmp(p.name, name)) {
            *pvar_index = i;
            return MPI_SUCCESS;
        }
    return MPI_T_ERR_INVALID_NAME;
}
MPI_WEAK_ALIAS(T_pvar_get_index);
