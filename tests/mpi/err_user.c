/* Error classes, codes and texts that the program adds: their classes and texts, handlers that see
 * them, what can be taken back and when; and that random additions and removals agree with a plain
 * list of them. */
#include <stdbool.h>

#include "t.h"

static int calls, last_code;

static void note(MPI_Comm *comm, int *code, ...)
{
    (void)comm;
    calls++;
    last_code = *code;
}

static void text_is(int code, const char *want)
{
    char text[MPI_MAX_ERROR_STRING];
    int length = -1;
    OK(MPI_Error_string(code, text, &length));
    if (strcmp(text, want))
        FAIL("the text of %d is '%s', should be '%s'", code, text, want);
    SAME(length, strlen(want));
}

static void class_is(int code, int want)
{
    int class = -1;
    OK(MPI_Error_class(code, &class));
    SAME(class, want);
}

/* What will be allocated next is not 0: what is read there without having been written shows. */
static void leave_garbage(void)
{
    enum { BLOCKS = 6, BYTES = 256 };
    volatile char *block[BLOCKS];
    for (int i = 0; i < BLOCKS; i++) {
        block[i] = t_alloc(BYTES);
        for (int k = 0; k < BYTES; k++)
            block[i][k] = 1;
    }
    for (int i = 0; i < BLOCKS; i++)
        free((char *)block[i]);
}

/* Before MPI_Init, which changes nothing. */
static int early_class, early_code;

static void before_init(void)
{
    leave_garbage();
    OK(MPI_Add_error_class(&early_class));
    OK(MPI_Add_error_code(early_class, &early_code));
    OK(MPI_Add_error_string(early_code, "made before MPI_Init"));
    CHECK(early_class > MPI_ERR_LASTCODE && early_code > early_class);
}

static void meaning(void)
{
    int class, code, of_rank;
    CLASS(MPI_Error_class(early_code + 1, &class), MPI_ERR_ARG);        /* none yet */
    class_is(early_class, early_class);
    class_is(early_code, early_class);
    text_is(early_code, "made before MPI_Init");
    text_is(early_class, "");
    OK(MPI_Add_error_class(&class));
    OK(MPI_Add_error_code(class, &code));
    OK(MPI_Add_error_code(MPI_ERR_RANK, &of_rank));
    CHECK(class > early_code && code > class && of_rank > code);
    class_is(code, class);
    class_is(of_rank, MPI_ERR_RANK);
    OK(MPI_Add_error_string(code, "first"));
    OK(MPI_Add_error_string(code, "second"));
    text_is(code, "second");
    OK(MPI_Add_error_string(class, ""));
    text_is(class, "");
    OK(MPI_Remove_error_string(class));
    OK(MPI_Remove_error_string(code));
    text_is(code, "");
    OK(MPI_Remove_error_code(code));
    OK(MPI_Remove_error_class(class));
    OK(MPI_Remove_error_code(of_rank));
}

static void wrong(void)
{
    char *long_text = t_alloc(MPI_MAX_ERROR_STRING + 1);
    int class, code, other;
    OK(MPI_Add_error_class(&class));
    OK(MPI_Add_error_code(class, &code));
    OK(MPI_Add_error_string(code, "text"));
    CLASS(MPI_Add_error_class(NULL), MPI_ERR_ARG);
    CLASS(MPI_Add_error_code(class, NULL), MPI_ERR_ARG);
    CLASS(MPI_Add_error_code(code, &other), MPI_ERR_ARG);       /* a code is no class */
    CLASS(MPI_Add_error_code(MPI_SUCCESS, &other), MPI_ERR_ARG);
    CLASS(MPI_Add_error_code(-1, &other), MPI_ERR_ARG);
    CLASS(MPI_Add_error_string(MPI_ERR_RANK, "mine"), MPI_ERR_ARG);
    CLASS(MPI_Add_error_string(code + 1, "nobody's"), MPI_ERR_ARG);
    CLASS(MPI_Add_error_string(code, NULL), MPI_ERR_ARG);
    memset(long_text, 'x', MPI_MAX_ERROR_STRING);
    long_text[MPI_MAX_ERROR_STRING] = 0;
    CLASS(MPI_Add_error_string(code, long_text), MPI_ERR_ARG);
    long_text[MPI_MAX_ERROR_STRING - 1] = 0;
    OK(MPI_Add_error_string(code, long_text));
    text_is(code, long_text);
    CLASS(MPI_Remove_error_class(class), MPI_ERR_ARG);          /* has a code */
    CLASS(MPI_Remove_error_code(code), MPI_ERR_ARG);            /* has a text */
    CLASS(MPI_Remove_error_code(class), MPI_ERR_ARG);
    CLASS(MPI_Remove_error_class(code), MPI_ERR_ARG);
    CLASS(MPI_Remove_error_class(MPI_ERR_RANK), MPI_ERR_ARG);
    CLASS(MPI_Remove_error_string(class), MPI_ERR_ARG);         /* has none */
    CLASS(MPI_Remove_error_string(MPI_ERR_RANK), MPI_ERR_ARG);
    OK(MPI_Remove_error_string(code));
    OK(MPI_Remove_error_code(code));
    CLASS(MPI_Remove_error_code(code), MPI_ERR_ARG);
    OK(MPI_Remove_error_class(class));
    CLASS(MPI_Add_error_code(class, &other), MPI_ERR_ARG);
    CLASS(MPI_Error_class(code, &other), MPI_ERR_ARG);
    free(long_text);
}

/* Handlers get the program's codes as they are.  Older programs know the types of handlers by these
 * names. */
static void handlers(void)
{
    MPI_Comm_errhandler_fn *handle = note;
    MPI_Win_errhandler_fn *none = NULL;
    MPI_Errhandler handler;
    MPI_Comm dup;
    OK(MPI_Comm_dup(MPI_COMM_WORLD, &dup));
    CHECK(!none);
    OK(MPI_Comm_create_errhandler(handle, &handler));
    OK(MPI_Comm_set_errhandler(dup, handler));
    OK(MPI_Errhandler_free(&handler));
    OK(MPI_Comm_call_errhandler(dup, early_code));
    SAME(calls, 1);
    SAME(last_code, early_code);
    class_is(last_code, early_class);
    OK(MPI_Comm_call_errhandler(dup, early_class));
    SAME(last_code, early_class);
    OK(MPI_Comm_free(&dup));
}

/* Against a list: class of each code, whether it is there, whether it has a text. */
enum { STEPS = 3000, MOST = 64 };
struct model { int code, class, codes; bool text; } list[MOST];

static void step(uint32_t *seed, int *used, int *last)
{
    int at = *used ? (int)(t_random(seed) % (uint32_t)*used) : 0, code = 0;
    struct model *m = &list[at];
    bool is_class = m->class == m->code;
    switch (t_random(seed) % 5) {
    case 0:
    case 1:
        if (*used == MOST || (*used && !is_class))
            return;
        if (*used && t_random(seed) % 2)
            OK(MPI_Add_error_code(m->code, &code));
        else
            OK(MPI_Add_error_class(&code));
        CHECK(code > *last);            /* numbers never come again */
        *last = code;
        int class;
        OK(MPI_Error_class(code, &class));
        m->codes += class != code;
        list[(*used)++] = (struct model){ .code = code, .class = class };
        return;
    case 2:
        if (*used)
            OK(MPI_Add_error_string(m->code, "text"));
        m->text = *used;
        return;
    case 3:
        if (*used)
            CLASS(MPI_Remove_error_string(m->code), m->text ? MPI_SUCCESS : MPI_ERR_ARG);
        m->text = false;
        return;
    default:
        if (!*used)
            return;
        bool may = !m->codes && !m->text;
        code = is_class ? MPI_Remove_error_class(m->code) : MPI_Remove_error_code(m->code);
        SAME(code, may ? MPI_SUCCESS : MPI_ERR_ARG);
        if (!may)
            return;
        for (int i = 0; i < *used; i++)
            list[i].codes -= !is_class && list[i].code == m->class;
        *m = list[--*used];
    }
}

static void at_random(void)
{
    uint32_t seed = 7 + (uint32_t)t_rank;
    int used = 0, last = early_code;
    OK(MPI_Add_error_class(&last));
    for (int i = 0; i < STEPS; i++) {
        step(&seed, &used, &last);
        for (int k = 0; k < used && i % 50 == 0; k++) {
            class_is(list[k].code, list[k].class);
            text_is(list[k].code, list[k].text ? "text" : "");
        }
    }
}

/* The codes of the tool interface have texts of their own, and are their own classes. */
static void tool_codes(void)
{
    char text[MPI_MAX_ERROR_STRING], before[MPI_MAX_ERROR_STRING] = "";
    int length;
    for (int code = MPI_T_ERR_CANNOT_INIT; code <= MPI_T_ERR_PVAR_NO_ATOMIC; code++) {
        class_is(code, code);
        OK(MPI_Error_string(code, text, &length));
        CHECK(!strncmp(text, "MPI_T_ERR_", 10) && strcmp(text, before));
        strcpy(before, text);
    }
    CLASS(MPI_Error_class(MPI_T_ERR_PVAR_NO_ATOMIC + 1, &length), MPI_ERR_ARG);
}

int main(int argc, char **argv)
{
    before_init();
    t_start(&argc, &argv);
    t_errors_return();
    meaning();
    wrong();
    handlers();
    at_random();
    tool_codes();
    return t_end();
}
