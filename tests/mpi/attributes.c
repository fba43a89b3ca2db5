/* Attributes: what keys and values do, which functions are called, in which order and with what;
 * functions that fail, that call MPI, that nest; the predefined ones; what MPI_Finalize deletes. */
#include "t.h"

/* -- a log of what was called */

struct call { char what; MPI_Comm comm; MPI_Datatype type; int key; void *value, *extra; };
static struct call calls[64];
static int count;

static void expect(int i, char what, int key, void *value, void *extra)
{
    CHECK(i < count);
    SAME(calls[i].what, what);
    SAME(calls[i].key, key);
    CHECK(calls[i].value == value);
    CHECK(calls[i].extra == extra);
}

static int copy(MPI_Comm comm, int key, void *extra, void *in, void *out, int *flag)
{
    calls[count++] = (struct call){ 'c', comm, MPI_DATATYPE_NULL, key, in, extra };
    *(void **)out = (char *)in + 1;
    *flag = 1;
    return MPI_SUCCESS;
}

static int copy_not(MPI_Comm comm, int key, void *extra, void *in, void *out, int *flag)
{
    (void)out;
    calls[count++] = (struct call){ 'n', comm, MPI_DATATYPE_NULL, key, in, extra };
    *flag = 0;
    return MPI_SUCCESS;
}

static int delete(MPI_Comm comm, int key, void *value, void *extra)
{
    calls[count++] = (struct call){ 'd', comm, MPI_DATATYPE_NULL, key, value, extra };
    return MPI_SUCCESS;
}

static int copy_type(MPI_Datatype type, int key, void *extra, void *in, void *out, int *flag)
{
    calls[count++] = (struct call){ 'c', MPI_COMM_NULL, type, key, in, extra };
    *(void **)out = in;
    *flag = 1;
    return MPI_SUCCESS;
}

static int delete_type(MPI_Datatype type, int key, void *value, void *extra)
{
    calls[count++] = (struct call){ 'd', MPI_COMM_NULL, type, key, value, extra };
    return MPI_SUCCESS;
}

static char place[8];       /* addresses to tell apart */

static void *get(MPI_Comm comm, int key)
{
    void *value = &value;
    int flag = -1;
    OK(MPI_Comm_get_attr(comm, key, &value, &flag));
    CHECK(flag == 0 || flag == 1);
    return flag ? value : NULL;
}

/* -- keys and values */

static void check_values(void)
{
    int a, b;
    MPI_Comm comm;
    count = 0;
    OK(MPI_Comm_dup(MPI_COMM_WORLD, &comm));
    OK(MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, delete, &a, &place[7]));
    OK(MPI_Comm_create_keyval(MPI_COMM_DUP_FN, MPI_COMM_NULL_DELETE_FN, &b, NULL));
    CHECK(a != b && a != MPI_KEYVAL_INVALID && b != MPI_KEYVAL_INVALID);
    CHECK(!get(comm, a));
    OK(MPI_Comm_set_attr(comm, a, &place[0]));
    OK(MPI_Comm_set_attr(comm, b, &place[1]));
    CHECK(get(comm, a) == &place[0]);
    CHECK(get(comm, b) == &place[1]);
    CHECK(!get(MPI_COMM_WORLD, a));
    SAME(count, 0);
    OK(MPI_Comm_set_attr(comm, a, &place[2]));      /* the old one goes first */
    SAME(count, 1);
    expect(0, 'd', a, &place[0], &place[7]);
    CHECK(calls[0].comm == comm);
    CHECK(get(comm, a) == &place[2]);
    OK(MPI_Comm_delete_attr(comm, a));
    expect(1, 'd', a, &place[2], &place[7]);
    CHECK(!get(comm, a));
    OK(MPI_Comm_delete_attr(comm, a));              /* nothing is there */
    SAME(count, 2);
    OK(MPI_Comm_set_attr(comm, a, NULL));           /* NULL is a value */
    int flag = 0;
    void *value = place;
    OK(MPI_Comm_get_attr(comm, a, &value, &flag));
    SAME(flag, 1);
    CHECK(!value);
    int number = a;
    OK(MPI_Comm_free_keyval(&a));   /* its value stays, and goes with its function */
    SAME(a, MPI_KEYVAL_INVALID);
    OK(MPI_Comm_get_attr(comm, number, &value, &flag));
    SAME(flag, 1);
    CLASS(MPI_Comm_set_attr(comm, number, NULL), MPI_ERR_KEYVAL);
    int again = number;             /* as a delete function does that frees its key */
    OK(MPI_Comm_free_keyval(&again));
    SAME(again, MPI_KEYVAL_INVALID);
    SAME(count, 2);
    OK(MPI_Comm_free(&comm));
    SAME(count, 3);
    expect(2, 'd', number, NULL, &place[7]);
    CLASS(MPI_Comm_get_attr(MPI_COMM_WORLD, number, &value, &flag), MPI_ERR_KEYVAL);
    CLASS(MPI_Comm_free_keyval(&number), MPI_ERR_KEYVAL);
    OK(MPI_Comm_free_keyval(&b));
}

/* The program takes values under a freed key away, one by one: the key goes with the last. */
static void check_freed(void)
{
    MPI_Comm comms[2];
    int key;
    void *value;
    int flag;
    count = 0;
    OK(MPI_Comm_create_keyval(copy, delete, &key, &place[7]));
    int number = key;
    OK(MPI_Comm_dup(MPI_COMM_WORLD, &comms[0]));
    OK(MPI_Comm_set_attr(comms[0], key, &place[0]));
    OK(MPI_Comm_free_keyval(&key));
    OK(MPI_Comm_dup(comms[0], &comms[1]));          /* the key still copies */
    SAME(count, 1);
    expect(0, 'c', number, &place[0], &place[7]);
    CHECK(get(comms[1], number) == &place[1]);
    CHECK(!get(MPI_COMM_SELF, number));             /* it lives, with nothing here */
    for (int i = 0; i < 2; i++) {
        CHECK(get(comms[i], number) == &place[i]);
        OK(MPI_Comm_delete_attr(comms[i], number));
        SAME(count, 2 + i);
        expect(1 + i, 'd', number, &place[i], &place[7]);
    }
    CLASS(MPI_Comm_get_attr(comms[0], number, &value, &flag), MPI_ERR_KEYVAL);
    CLASS(MPI_Comm_delete_attr(comms[0], number), MPI_ERR_KEYVAL);
    for (int i = 0; i < 2; i++)
        OK(MPI_Comm_free(&comms[i]));
    SAME(count, 3);
}

/* A ready-made type cannot be freed: its values go only in this way. */
static void check_freed_of_type(void)
{
    int key;
    count = 0;
    OK(MPI_Type_create_keyval(MPI_TYPE_NULL_COPY_FN, delete_type, &key, NULL));
    int number = key;
    OK(MPI_Type_set_attr(MPI_INT, key, &place[3]));
    OK(MPI_Type_free_keyval(&key));
    OK(MPI_Type_delete_attr(MPI_INT, number));
    SAME(count, 1);
    expect(0, 'd', number, &place[3], NULL);
    CLASS(MPI_Type_delete_attr(MPI_INT, number), MPI_ERR_KEYVAL);
}

/* -- duplicates */

static void check_copies(void)
{
    int keys[4];
    MPI_Comm one, two, three;
    OK(MPI_Comm_dup(MPI_COMM_WORLD, &one));
    OK(MPI_Comm_create_keyval(copy, delete, &keys[0], &place[5]));
    OK(MPI_Comm_create_keyval(copy_not, delete, &keys[1], &place[6]));
    OK(MPI_Comm_create_keyval(MPI_COMM_DUP_FN, delete, &keys[2], &place[7]));
    OK(MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, delete, &keys[3], NULL));
    for (int i = 0; i < 4; i++)
        OK(MPI_Comm_set_attr(one, keys[i], &place[i]));
    count = 0;
    OK(MPI_Comm_dup(one, &two));
    SAME(count, 2);                                 /* in the order in which they were set */
    expect(0, 'c', keys[0], &place[0], &place[5]);
    expect(1, 'n', keys[1], &place[1], &place[6]);
    CHECK(calls[0].comm == one && calls[1].comm == one);
    CHECK(get(two, keys[0]) == &place[1]);
    CHECK(!get(two, keys[1]));
    CHECK(get(two, keys[2]) == &place[2]);
    CHECK(!get(two, keys[3]));
    OK(MPI_Comm_split(one, 0, t_rank, &three));     /* no duplicate */
    CHECK(!get(three, keys[2]));
    SAME(count, 2);
    OK(MPI_Comm_free(&three));
    OK(MPI_Comm_free(&one));                        /* the last one set is the first to go */
    SAME(count, 6);
    for (int i = 0; i < 4; i++)
        expect(2 + i, 'd', keys[3 - i], &place[3 - i], calls[2 + i].extra);
    OK(MPI_Comm_free(&two));
    SAME(count, 8);
    for (int i = 0; i < 4; i++)
        OK(MPI_Comm_free_keyval(&keys[i]));
}

/* -- types */

static void check_types(void)
{
    int key;
    void *value;
    int flag;
    MPI_Datatype type, dup;
    count = 0;
    OK(MPI_Type_create_keyval(copy_type, delete_type, &key, &place[7]));
    OK(MPI_Type_contiguous(3, MPI_INT, &type));
    OK(MPI_Type_set_attr(type, key, &place[0]));
    OK(MPI_Type_set_attr(MPI_INT, key, &place[1]));
    OK(MPI_Type_dup(type, &dup));
    SAME(count, 1);
    expect(0, 'c', key, &place[0], &place[7]);
    CHECK(calls[0].type == type);
    OK(MPI_Type_get_attr(dup, key, &value, &flag));
    CHECK(flag && value == &place[0]);
    OK(MPI_Type_get_attr(MPI_INT, key, &value, &flag));
    CHECK(flag && value == &place[1]);
    OK(MPI_Type_get_attr(MPI_DOUBLE, key, &value, &flag));
    SAME(flag, 0);
    OK(MPI_Type_delete_attr(MPI_INT, key));
    SAME(count, 2);
    expect(1, 'd', key, &place[1], &place[7]);
    CHECK(calls[1].type == MPI_INT);
    MPI_Datatype copy_of = type;
    OK(MPI_Type_free(&type));
    SAME(count, 3);
    expect(2, 'd', key, &place[0], &place[7]);
    CHECK(calls[2].type == copy_of);
    OK(MPI_Type_set_attr(dup, key, &place[2]));
    SAME(count, 4);
    expect(3, 'd', key, &place[0], &place[7]);
    CHECK(calls[3].type == dup);
    OK(MPI_Type_free(&dup));
    SAME(count, 5);
    expect(4, 'd', key, &place[2], &place[7]);
    CLASS(MPI_Comm_set_attr(MPI_COMM_WORLD, key, NULL), MPI_ERR_KEYVAL);
    CLASS(MPI_Type_set_attr(MPI_DATATYPE_NULL, key, NULL), MPI_ERR_TYPE);
    CLASS(MPI_Type_get_attr(MPI_INT, MPI_TAG_UB, &value, &flag), MPI_ERR_KEYVAL);
    OK(MPI_Type_free_keyval(&key));
}

static int copy_type_fails(MPI_Datatype type, int key, void *extra, void *in, void *out, int *flag)
{
    (void)type, (void)key, (void)extra, (void)in, (void)out, (void)flag;
    return MPI_ERR_OTHER;
}

/* There is no duplicate then. */
static void check_type_fails(void)
{
    int key;
    MPI_Datatype dup = MPI_INT;
    OK(MPI_Type_create_keyval(copy_type_fails, MPI_TYPE_NULL_DELETE_FN, &key, NULL));
    OK(MPI_Type_set_attr(MPI_FLOAT, key, &place[0]));
    CLASS(MPI_Type_dup(MPI_FLOAT, &dup), MPI_ERR_OTHER);
    CHECK(dup == MPI_DATATYPE_NULL);
    OK(MPI_Type_delete_attr(MPI_FLOAT, key));
    OK(MPI_Type_free_keyval(&key));
}

/* They stay as long as the type has a handle of the program's. */
static void check_two_handles(void)
{
    int key, length, flag;
    void *value;
    MPI_Datatype type, outer, again;
    count = 0;
    OK(MPI_Type_create_keyval(MPI_TYPE_NULL_COPY_FN, delete_type, &key, NULL));
    OK(MPI_Type_contiguous(3, MPI_INT, &type));
    OK(MPI_Type_contiguous(2, type, &outer));
    OK(MPI_Type_set_attr(type, key, &place[0]));
    OK(MPI_Type_get_contents(outer, 1, 0, 1, &length, NULL, &again));
    OK(MPI_Type_free(&type));
    SAME(count, 0);
    OK(MPI_Type_get_attr(again, key, &value, &flag));
    CHECK(flag && value == &place[0]);
    OK(MPI_Type_free(&again));
    SAME(count, 1);
    OK(MPI_Type_free(&outer));
    OK(MPI_Type_free_keyval(&key));
}

/* -- functions that fail */

static int code_of_copy, code_of_delete;

static int copy_fails(MPI_Comm comm, int key, void *extra, void *in, void *out, int *flag)
{
    (void)comm, (void)key, (void)extra;
    *(void **)out = in;
    *flag = 1;
    return code_of_copy;
}

static int delete_fails(MPI_Comm comm, int key, void *value, void *extra)
{
    (void)comm, (void)key, (void)value, (void)extra;
    count++;
    return code_of_delete;
}

static void check_failures(void)
{
    int first, key;
    MPI_Comm comm, dup;
    OK(MPI_Comm_dup(MPI_COMM_WORLD, &comm));
    OK(MPI_Comm_create_keyval(copy, delete, &first, NULL));
    OK(MPI_Comm_create_keyval(copy_fails, delete_fails, &key, NULL));
    OK(MPI_Comm_set_attr(comm, first, &place[1]));
    OK(MPI_Comm_set_attr(comm, key, &place[0]));
    code_of_copy = MPI_ERR_INTERN;      /* which the call returns */
    count = 0;
    CLASS(MPI_Comm_dup(comm, &dup), MPI_ERR_INTERN);
    CHECK(dup == MPI_COMM_NULL);
    SAME(count, 2);                 /* what had been copied is deleted */
    expect(1, 'd', first, &place[2], NULL);
    code_of_copy = MPI_SUCCESS;
    code_of_delete = MPI_ERR_ARG;
    CLASS(MPI_Comm_delete_attr(comm, key), MPI_ERR_ARG);
    CHECK(get(comm, key) == &place[0]);
    CLASS(MPI_Comm_set_attr(comm, key, &place[3]), MPI_ERR_ARG);
    CHECK(get(comm, key) == &place[0]);
    CLASS(MPI_Comm_free(&comm), MPI_ERR_ARG);
    CHECK(comm != MPI_COMM_NULL);
    OK(MPI_Barrier(comm));          /* it is still one */
    code_of_delete = MPI_SUCCESS;
    OK(MPI_Comm_free(&comm));
    OK(MPI_Comm_free_keyval(&key));
    OK(MPI_Comm_free_keyval(&first));
}

/* The same of a duplicate that is made while the call goes on; there is no request then, either. */
static void check_idup_fails(void)
{
    int first, key;
    MPI_Comm comm, dup;
    MPI_Request request = MPI_REQUEST_NULL;
    OK(MPI_Comm_dup(MPI_COMM_WORLD, &comm));
    OK(MPI_Comm_create_keyval(copy, delete, &first, NULL));
    OK(MPI_Comm_create_keyval(copy_fails, MPI_COMM_NULL_DELETE_FN, &key, NULL));
    OK(MPI_Comm_set_attr(comm, first, &place[1]));
    OK(MPI_Comm_set_attr(comm, key, &place[0]));
    code_of_copy = MPI_ERR_INTERN;
    count = 0;
    CLASS(MPI_Comm_idup(comm, &dup, &request), MPI_ERR_INTERN);
    CHECK(request == MPI_REQUEST_NULL);
    SAME(count, 2);
    expect(0, 'c', first, &place[1], NULL);
    expect(1, 'd', first, &place[2], NULL);
    code_of_copy = MPI_SUCCESS;
    OK(MPI_Comm_idup(comm, &dup, &request));
    OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
    CHECK(get(dup, first) == &place[2]);
    OK(MPI_Comm_free(&dup));
    OK(MPI_Comm_free(&comm));
    OK(MPI_Comm_free_keyval(&key));
    OK(MPI_Comm_free_keyval(&first));
}

/* Errors are those of the communicator that the call is on. */

static MPI_Comm raised_on;
static int raised_code;

static void note_error(MPI_Comm *comm, int *code, ...)
{
    raised_on = *comm;
    raised_code = *code;
}

#define RAISED(call, class) \
    do { \
        raised_on = MPI_COMM_NULL; \
        raised_code = MPI_SUCCESS; \
        CLASS(call, class); \
        CHECK(raised_on == comm); \
        CLASS(raised_code, class); \
    } while (0)

static void check_raised(void)
{
    int key, none = MPI_KEYVAL_INVALID, flag;
    void *value;
    MPI_Comm comm, dup;
    MPI_Request request;
    MPI_Errhandler handler;
    OK(MPI_Comm_create_errhandler(note_error, &handler));
    OK(MPI_Comm_dup(MPI_COMM_WORLD, &comm));
    OK(MPI_Comm_set_errhandler(comm, handler));
    OK(MPI_Errhandler_free(&handler));
    OK(MPI_Comm_create_keyval(copy_fails, delete_fails, &key, NULL));
    OK(MPI_Comm_set_attr(comm, key, &place[0]));
    code_of_copy = MPI_ERR_INTERN;
    code_of_delete = MPI_ERR_ARG;
    RAISED(MPI_Comm_dup(comm, &dup), MPI_ERR_INTERN);
    RAISED(MPI_Comm_idup(comm, &dup, &request), MPI_ERR_INTERN);
    RAISED(MPI_Comm_set_attr(comm, key, &place[1]), MPI_ERR_ARG);
    RAISED(MPI_Comm_delete_attr(comm, key), MPI_ERR_ARG);
    RAISED(MPI_Comm_free(&comm), MPI_ERR_ARG);
    RAISED(MPI_Comm_set_attr(comm, none, NULL), MPI_ERR_KEYVAL);
    RAISED(MPI_Comm_get_attr(comm, none, &value, &flag), MPI_ERR_KEYVAL);
    RAISED(MPI_Comm_delete_attr(comm, none), MPI_ERR_KEYVAL);
    code_of_copy = code_of_delete = MPI_SUCCESS;
    OK(MPI_Comm_free(&comm));
    OK(MPI_Comm_free_keyval(&key));
}

/* -- functions that call MPI: one sets another value, duplicates and frees a communicator with
 * values, and deletes a second value of the communicator that is being freed */

static int inner, outer;

static int delete_nests(MPI_Comm comm, int key, void *value, void *extra)
{
    MPI_Comm dup;
    (void)extra;
    calls[count++] = (struct call){ 'o', comm, MPI_DATATYPE_NULL, key, value, NULL };
    CHECK(get(comm, inner) == &place[1]);
    CLASS(MPI_Comm_delete_attr(comm, key), MPI_ERR_KEYVAL);     /* that is under way */
    OK(MPI_Comm_delete_attr(comm, inner));
    OK(MPI_Comm_dup(MPI_COMM_SELF, &dup));
    OK(MPI_Comm_set_attr(dup, inner, &place[4]));
    OK(MPI_Comm_free(&dup));
    return MPI_SUCCESS;
}

static void check_nesting(void)
{
    MPI_Comm comm;
    count = 0;
    OK(MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, delete, &inner, NULL));
    OK(MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, delete_nests, &outer, NULL));
    OK(MPI_Comm_dup(MPI_COMM_WORLD, &comm));
    OK(MPI_Comm_set_attr(comm, inner, &place[1]));
    OK(MPI_Comm_set_attr(comm, outer, &place[2]));
    OK(MPI_Comm_free(&comm));
    SAME(count, 3);
    expect(0, 'o', outer, &place[2], NULL);
    expect(1, 'd', inner, &place[1], NULL);
    expect(2, 'd', inner, &place[4], NULL);
    OK(MPI_Comm_free_keyval(&inner));
    OK(MPI_Comm_free_keyval(&outer));
}

/* -- functions that free the object itself, which has to stay until they have returned */

static MPI_Comm doomed_comm;
static MPI_Datatype doomed_type;

static int delete_frees(MPI_Comm comm, int key, void *value, void *extra)
{
    MPI_Comm same = comm;
    (void)key, (void)value, (void)extra;
    count++;
    CHECK(comm == doomed_comm);
    CLASS(MPI_Comm_free(&same), MPI_ERR_KEYVAL);
    CHECK(same == comm);
    return MPI_SUCCESS;
}

static int copy_frees(MPI_Comm comm, int key, void *extra, void *in, void *out, int *flag)
{
    MPI_Comm same = comm;
    (void)key, (void)extra, (void)in, (void)out;
    count++;
    *flag = 0;
    CHECK(comm == doomed_comm);
    CLASS(MPI_Comm_free(&same), MPI_ERR_KEYVAL);
    return MPI_SUCCESS;
}

static int delete_frees_type(MPI_Datatype type, int key, void *value, void *extra)
{
    MPI_Datatype same = type;
    (void)key, (void)value, (void)extra;
    count++;
    CHECK(type == doomed_type);
    CLASS(MPI_Type_free(&same), MPI_ERR_KEYVAL);
    CHECK(same == type);
    return MPI_SUCCESS;
}

static void check_freeing(void)
{
    int key, of_types;
    MPI_Comm dup;
    MPI_Request request;
    count = 0;
    OK(MPI_Comm_create_keyval(copy_frees, delete_frees, &key, NULL));
    OK(MPI_Comm_dup(MPI_COMM_WORLD, &doomed_comm));
    for (int i = 0; i < 2; i++)
        OK(MPI_Comm_set_attr(doomed_comm, key, &place[i]));
    OK(MPI_Comm_delete_attr(doomed_comm, key));
    OK(MPI_Comm_set_attr(doomed_comm, key, &place[2]));
    SAME(count, 2);
    OK(MPI_Comm_dup(doomed_comm, &dup));
    OK(MPI_Comm_free(&dup));
    OK(MPI_Comm_idup(doomed_comm, &dup, &request));
    OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
    OK(MPI_Comm_free(&dup));
    SAME(count, 4);
    OK(MPI_Barrier(doomed_comm));
    OK(MPI_Comm_free(&doomed_comm));
    SAME(count, 5);
    OK(MPI_Comm_free_keyval(&key));
    OK(MPI_Type_create_keyval(MPI_TYPE_NULL_COPY_FN, delete_frees_type, &of_types, NULL));
    OK(MPI_Type_contiguous(3, MPI_INT, &doomed_type));
    OK(MPI_Type_set_attr(doomed_type, of_types, &place[0]));
    OK(MPI_Type_free(&doomed_type));
    SAME(count, 6);
    OK(MPI_Type_free_keyval(&of_types));
}

/* -- predefined, old names, wrong arguments */

static int number(int key)
{
    int *value = NULL, flag = 0, *again;
    OK(MPI_Comm_get_attr(MPI_COMM_WORLD, key, &value, &flag));
    SAME(flag, 1);
    OK(MPI_Attr_get(MPI_COMM_WORLD, key, &again, &flag));
    CHECK(flag && again == value);
    return *value;
}

/* Each machine has a clock of its own, the model one for all. */
static void check_clock(void)
{
    MPI_Comm near;
    int beside;
    OK(MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &near));
    OK(MPI_Comm_size(near, &beside));
    OK(MPI_Comm_free(&near));
    SAME(number(MPI_WTIME_IS_GLOBAL), beside == t_size || MPI_Wtick() == 1e-12);
}

static void check_predefined(void)
{
    int key = MPI_TAG_UB, in = -1;
    int bound = number(MPI_TAG_UB);
    CHECK(bound >= 32767);
    OK(MPI_Sendrecv(&t_rank, 1, MPI_INT, t_rank, bound, &in, 1, MPI_INT, t_rank, bound,
                    MPI_COMM_WORLD, MPI_STATUS_IGNORE));
    SAME(in, t_rank);
    SAME(number(MPI_HOST), MPI_PROC_NULL);
    SAME(number(MPI_IO), MPI_ANY_SOURCE);
    check_clock();
    SAME(number(MPI_UNIVERSE_SIZE), t_size);
    SAME(number(MPI_APPNUM), 0);
    int last = number(MPI_LASTUSEDCODE), added;
    CHECK(last >= MPI_ERR_LASTCODE);
    OK(MPI_Add_error_class(&added));
    CHECK(added > last);
    SAME(number(MPI_LASTUSEDCODE), added);
    CLASS(MPI_Comm_set_attr(MPI_COMM_WORLD, MPI_TAG_UB, &in), MPI_ERR_KEYVAL);
    CLASS(MPI_Comm_delete_attr(MPI_COMM_WORLD, MPI_HOST), MPI_ERR_KEYVAL);
    CLASS(MPI_Comm_free_keyval(&key), MPI_ERR_KEYVAL);
    SAME(key, MPI_TAG_UB);
}

static void check_old_names(void)
{
    int key, flag;
    void *value;
    MPI_Comm dup;
    OK(MPI_Keyval_create(MPI_DUP_FN, delete, &key, &place[7]));
    OK(MPI_Attr_put(MPI_COMM_WORLD, key, &place[1]));
    OK(MPI_Comm_dup(MPI_COMM_WORLD, &dup));
    OK(MPI_Attr_get(dup, key, &value, &flag));
    CHECK(flag && value == &place[1]);
    count = 0;
    OK(MPI_Attr_delete(MPI_COMM_WORLD, key));
    OK(MPI_Comm_free(&dup));
    SAME(count, 2);
    OK(MPI_Keyval_free(&key));
    SAME(key, MPI_KEYVAL_INVALID);
    OK(MPI_Keyval_create(MPI_NULL_COPY_FN, MPI_NULL_DELETE_FN, &key, NULL));
    OK(MPI_Keyval_free(&key));
}

static void check_errors(void)
{
    int key, flag, bad = 12345678;
    void *value;
    OK(MPI_Comm_create_keyval(MPI_COMM_DUP_FN, delete, &key, NULL));
    CLASS(MPI_Comm_create_keyval(MPI_COMM_DUP_FN, delete, NULL, NULL), MPI_ERR_ARG);
    CLASS(MPI_Comm_set_attr(MPI_COMM_NULL, key, NULL), MPI_ERR_COMM);
    CLASS(MPI_Comm_get_attr(MPI_COMM_WORLD, key, NULL, &flag), MPI_ERR_ARG);
    CLASS(MPI_Comm_get_attr(MPI_COMM_WORLD, key, &value, NULL), MPI_ERR_ARG);
    CLASS(MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_KEYVAL_INVALID, &value, &flag), MPI_ERR_KEYVAL);
    CLASS(MPI_Comm_get_attr(MPI_COMM_WORLD, bad, &value, &flag), MPI_ERR_KEYVAL);
    CLASS(MPI_Comm_get_attr(MPI_COMM_WORLD, -5, &value, &flag), MPI_ERR_KEYVAL);
    CLASS(MPI_Comm_free_keyval(&bad), MPI_ERR_KEYVAL);
    CLASS(MPI_Comm_free_keyval(NULL), MPI_ERR_ARG);
    CLASS(MPI_Type_free_keyval(&key), MPI_ERR_KEYVAL);
    OK(MPI_Comm_free_keyval(&key));
    CLASS(MPI_Comm_free_keyval(&key), MPI_ERR_KEYVAL);
}

/* -- many, at random, against a table */

enum { KEYS = 12, COMMS = 3, STEPS = 600 };

static void check_random(void)
{
    int keys[KEYS];
    void *table[COMMS][KEYS] = { { NULL } };
    MPI_Comm comms[COMMS];
    uint32_t state = 77u + (uint32_t)t_rank;
    for (int i = 0; i < KEYS; i++)
        OK(MPI_Comm_create_keyval(i % 2 ? MPI_COMM_DUP_FN : MPI_COMM_NULL_COPY_FN,
                                  MPI_COMM_NULL_DELETE_FN, &keys[i], NULL));
    for (int i = 0; i < COMMS; i++)
        OK(MPI_Comm_dup(MPI_COMM_SELF, &comms[i]));
    for (int step = 0; step < STEPS; step++) {
        int c = (int)(t_random(&state) % COMMS), k = (int)(t_random(&state) % KEYS);
        void *value = &place[t_random(&state) % 8];
        switch (t_random(&state) % 8) {
        case 0: {       /* replaced by a duplicate of another */
            int from = (c + 1) % COMMS;
            OK(MPI_Comm_free(&comms[c]));
            OK(MPI_Comm_dup(comms[from], &comms[c]));
            for (int i = 0; i < KEYS; i++)
                table[c][i] = i % 2 ? table[from][i] : NULL;
            break;
        }
        case 1: case 2:
            OK(MPI_Comm_delete_attr(comms[c], keys[k]));
            table[c][k] = NULL;
            break;
        default:
            OK(MPI_Comm_set_attr(comms[c], keys[k], value));
            table[c][k] = value;
        }
        for (int i = 0; i < COMMS * KEYS; i++)
            CHECK(get(comms[i / KEYS], keys[i % KEYS]) == table[i / KEYS][i % KEYS]);
    }
    for (int i = 0; i < KEYS; i++)
        OK(MPI_Comm_free_keyval(&keys[i]));
    for (int i = 0; i < COMMS; i++)
        OK(MPI_Comm_free(&comms[i]));
}

/* -- what MPI_Finalize deletes: of MPI_COMM_SELF first, the last one set first; at the second one
 * the function fails, which MPI_Finalize returns, and at the last one.  All the others are called
 * in any case. */

static int last_seen = 3;
static const int at_end[] = { MPI_ERR_TAG, MPI_SUCCESS, MPI_ERR_DIMS, MPI_SUCCESS };

static int delete_at_end(MPI_Comm comm, int key, void *value, void *extra)
{
    int flag, rank;
    (void)key, (void)extra;
    CHECK(value == &place[last_seen]);
    CHECK(comm == (last_seen ? MPI_COMM_SELF : MPI_COMM_WORLD));
    OK(MPI_Finalized(&flag));
    SAME(flag, 0);
    OK(MPI_Comm_rank(MPI_COMM_WORLD, &rank));       /* it all still works */
    OK(MPI_Sendrecv(&rank, 1, MPI_INT, rank, 0, &flag, 1, MPI_INT, rank, 0, MPI_COMM_WORLD,
                    MPI_STATUS_IGNORE));
    SAME(flag, rank);
    CLASS(MPI_Finalize(), MPI_ERR_OTHER);           /* that is under way */
    return at_end[last_seen--];
}

int main(int argc, char **argv)
{
    int key[4];
    t_start(&argc, &argv);
    t_errors_return();
    check_values();
    check_freed();
    check_freed_of_type();
    check_copies();
    check_types();
    check_two_handles();
    check_type_fails();
    check_failures();
    check_idup_fails();
    check_raised();
    check_nesting();
    check_freeing();
    check_predefined();
    check_old_names();
    check_errors();
    check_random();
    for (int i = 0; i < 4; i++) {
        OK(MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, delete_at_end, &key[i], NULL));
        OK(MPI_Comm_set_attr(i ? MPI_COMM_SELF : MPI_COMM_WORLD, key[i], &place[i]));
        OK(MPI_Comm_free_keyval(&key[i]));
    }
    OK(MPI_Barrier(MPI_COMM_WORLD));
    CLASS(MPI_Finalize(), MPI_ERR_DIMS);
    if (last_seen != -1) {
        fprintf(stderr, "%d values were not deleted\n", last_seen + 1);
        return 1;
    }
    return 0;
}
