/* Functions whose strings have a length of their own, of which C counts the final zero and Fortran
 * does not; and those that only Fortran has.  Part of all.h. */

void F(info_get)(const int *info, const char *key, const int *valuelen, char *value, int *flag,
                 int *ierror, size_t key_len, size_t value_len)
{
    struct mpif_text key_t;
    const char *key_c = mpif_text(&key_t, key, key_len, true);
    char *value_c = mpif_room(*valuelen);
    int flag_c = 0, result;

    if (key_c && value_c)
        result = C(Info_get)(PMPI_Info_fromint(*info), key_c, *valuelen, value_c, &flag_c);
    else
        result = mpif_no_memory();
    if (result == MPI_SUCCESS && flag_c)
        mpif_pad(value, value_len, value_c);
    *flag = flag_c != 0;
    free(value_c);
    mpif_text_free(&key_t);
    mpif_error(ierror, result);
}

void F(info_get_string)(const int *info, const char *key, int *buflen, char *value, int *flag,
                        int *ierror, size_t key_len, size_t value_len)
{
    struct mpif_text key_t;
    const char *key_c = mpif_text(&key_t, key, key_len, true);
    char *value_c = mpif_room(*buflen);
    int flag_c = 0, asked = *buflen, room = asked > 0 ? asked + 1 : asked, result;

    if (key_c && value_c)
        result = C(Info_get_string)(PMPI_Info_fromint(*info), key_c, &room, value_c, &flag_c);
    else
        result = mpif_no_memory();
    if (result == MPI_SUCCESS && flag_c) {
        *buflen = room - 1;
        if (asked > 0)
            mpif_pad(value, value_len, value_c);
    }
    *flag = flag_c != 0;
    free(value_c);
    mpif_text_free(&key_t);
    mpif_error(ierror, result);
}

void F(session_get_nth_pset)(const int *session, const int *info, const int *n, int *pset_len,
                             char *pset_name, int *ierror, size_t pset_name_len)
{
    char *name_c = mpif_room(*pset_len);
    int asked = *pset_len, room = asked > 0 ? asked + 1 : asked;
    int result = MPI_ERR_NO_MEM;

    if (name_c)
        result = C(Session_get_nth_pset)(PMPI_Session_fromint(*session), PMPI_Info_fromint(*info),
                                         *n, &room, name_c);
    else
        result = mpif_no_memory();
    if (result == MPI_SUCCESS) {
        *pset_len = room - 1;
        if (asked > 0)
            mpif_pad(pset_name, pset_name_len, name_c);
    }
    free(name_c);
    mpif_error(ierror, result);
}

/* -- only in Fortran --------------------------------------------------------------------------- */

/* What the compiler knows of `buf` ends at a call of another library. */
void F(f_sync_reg)(void *buf)
{
    (void)buf;
}

void F(f_sync_reg_f08ts)(CFI_cdesc_t *buf)
{
    (void)buf;
}

/* MPI_Alloc_mem with a TYPE(C_PTR), of the module mpi. */
void F(alloc_mem_cptr)(const MPI_Aint *size, const int *info, void **baseptr, int *ierror)
{
    mpif_error(ierror, C(Alloc_mem)(*size, PMPI_Info_fromint(*info), baseptr));
}

/* The same of memory that windows have. */
#define MPIF_ALLOCATE_CPTR(name, Name) \
    void F(win_##name##_cptr)(const MPI_Aint *size, const int *disp_unit, const int *info, \
                              const int *comm, void **baseptr, int *win, int *ierror) \
    { \
        MPI_Win win_c = MPI_WIN_NULL; \
        int result = C(Win_##Name)(*size, *disp_unit, PMPI_Info_fromint(*info), \
                                   PMPI_Comm_fromint(*comm), baseptr, &win_c); \
        *win = PMPI_Win_toint(win_c); \
        mpif_error(ierror, result); \
    }
MPIF_ALLOCATE_CPTR(allocate, allocate)
MPIF_ALLOCATE_CPTR(allocate_shared, allocate_shared)

void F(win_shared_query_cptr)(const int *win, const int *rank, MPI_Aint *size, int *disp_unit,
                              void **baseptr, int *ierror)
{
    mpif_error(ierror, C(Win_shared_query)(PMPI_Win_fromint(*win), *rank, size, disp_unit,
                                           baseptr));
}

/* Statuses have one form, so these copy; the modules have their own. */
void F(status_f2f08)(const MPI_Status *f_status, MPI_Status *f08_status, int *ierror)
{
    *f08_status = *f_status;
    mpif_error(ierror, MPI_SUCCESS);
}

void F(status_f082f)(const MPI_Status *f08_status, MPI_Status *f_status, int *ierror)
{
    *f_status = *f08_status;
    mpif_error(ierror, MPI_SUCCESS);
}
