/* Keyvals, attributes and generalized requests.  Part of all.h. */

#define MPIF_CREATE_KEYVAL(name, object) \
    void F(name##_create_keyval)(mpif_function *copy_fn, mpif_function *delete_fn, int *keyval, \
                                 const MPI_Aint *extra_state, int *ierror) \
    { \
        struct mpif_keyval *k = mpif_keyval_new(copy_fn, delete_fn, *extra_state, false); \
        int result = k ? C(object##_create_keyval)(mpif_##name##_copy, mpif_##name##_delete, \
                                                   keyval, k) \
                       : mpif_no_memory(); \
        mpif_error(ierror, result); \
    }

#define MPIF_SET_ATTR(name, object) \
    void F(name##_set_attr)(const int *name, const int *keyval, const MPI_Aint *attribute_val, \
                            int *ierror) \
    { \
        void *cell = mpif_cell_new(*attribute_val); \
        int result = cell ? C(object##_set_attr)(PMPI_##object##_fromint(*name), *keyval, cell) \
                          : mpif_no_memory(); \
        if (result != MPI_SUCCESS) \
            mpif_cell_free(cell); \
        mpif_error(ierror, result); \
    }

#define MPIF_GET_ATTR(name, object) \
    void F(name##_get_attr)(const int *name, const int *keyval, MPI_Aint *attribute_val, \
                            int *flag, int *ierror) \
    { \
        void *attribute = NULL; \
        int flag_c = 0; \
        int result = C(object##_get_attr)(PMPI_##object##_fromint(*name), *keyval, &attribute, \
                                          &flag_c); \
        if (result == MPI_SUCCESS && flag_c) \
            *attribute_val = mpif_attribute(*keyval, attribute); \
        *flag = flag_c != 0; \
        mpif_error(ierror, result); \
    }

MPIF_CREATE_KEYVAL(comm, Comm)
MPIF_SET_ATTR(comm, Comm)
MPIF_GET_ATTR(comm, Comm)

MPIF_CREATE_KEYVAL(type, Type)
MPIF_SET_ATTR(type, Type)
MPIF_GET_ATTR(type, Type)

MPIF_CREATE_KEYVAL(win, Win)
MPIF_SET_ATTR(win, Win)
MPIF_GET_ATTR(win, Win)

/* -- deprecated: values are default integers --------------------------------------------------- */

void F(keyval_create)(mpif_function *copy_fn, mpif_function *delete_fn, int *keyval,
                      const int *extra_state, int *ierror)
{
    struct mpif_keyval *k = mpif_keyval_new(copy_fn, delete_fn, *extra_state, true);
    int result = k ? C(Keyval_create)(mpif_comm_copy, mpif_comm_delete, keyval, k)
                   : mpif_no_memory();

    mpif_error(ierror, result);
}

void F(attr_put)(const int *comm, const int *keyval, const int *attribute_val, int *ierror)
{
    void *cell = mpif_cell_new(*attribute_val);
    int result = cell ? C(Attr_put)(PMPI_Comm_fromint(*comm), *keyval, cell) : mpif_no_memory();

    if (result != MPI_SUCCESS)
        mpif_cell_free(cell);
    mpif_error(ierror, result);
}

void F(attr_get)(const int *comm, const int *keyval, int *attribute_val, int *flag, int *ierror)
{
    void *attribute = NULL;
    int flag_c = 0;
    int result = C(Attr_get)(PMPI_Comm_fromint(*comm), *keyval, &attribute, &flag_c);

    if (result == MPI_SUCCESS && flag_c)
        *attribute_val = (int)mpif_attribute(*keyval, attribute);
    *flag = flag_c != 0;
    mpif_error(ierror, result);
}

/* -- ready-made functions ---------------------------------------------------------------------- */

#if !MPIF_PROFILED

#define MPIF_READY_MADE(prefix, type) \
    void F(prefix##null_copy_fn)(int *object, int *keyval, type *extra, type *in, type *out, \
                                 int *flag, int *ierror) \
    { \
        (void)object, (void)keyval, (void)extra, (void)in, (void)out; \
        *flag = 0; \
        *ierror = MPI_SUCCESS; \
    } \
    void F(prefix##dup_fn)(int *object, int *keyval, type *extra, type *in, type *out, \
                           int *flag, int *ierror) \
    { \
        (void)object, (void)keyval, (void)extra; \
        *out = *in; \
        *flag = 1; \
        *ierror = MPI_SUCCESS; \
    } \
    void F(prefix##null_delete_fn)(int *object, int *keyval, type *value, type *extra, \
                                   int *ierror) \
    { \
        (void)object, (void)keyval, (void)value, (void)extra; \
        *ierror = MPI_SUCCESS; \
    }

MPIF_READY_MADE(comm_, MPI_Aint)
MPIF_READY_MADE(type_, MPI_Aint)
MPIF_READY_MADE(win_, MPI_Aint)
MPIF_READY_MADE(, int)

#endif

/* -- generalized requests ---------------------------------------------------------------------- */

void F(grequest_start)(mpif_function *query_fn, mpif_function *free_fn, mpif_function *cancel_fn,
                       const MPI_Aint *extra_state, int *request, int *ierror)
{
    struct mpif_grequest *g = malloc(sizeof *g);
    MPI_Request request_c = MPI_REQUEST_NULL;
    int result;

    if (g) {
        *g = (struct mpif_grequest){ query_fn, free_fn, cancel_fn, *extra_state };
        result = C(Grequest_start)(mpif_grequest_query, mpif_grequest_free, mpif_grequest_cancel,
                                   g, &request_c);
        if (result)
            free(g);
    } else
        result = mpif_no_memory();
    *request = PMPI_Request_toint(request_c);
    mpif_error(ierror, result);
}
