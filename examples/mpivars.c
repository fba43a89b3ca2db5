/* What the library tells of itself: its control variables with their values, performance variables
 * and event types, by category, as any tool can ask for them (MPI standard, "Tool Support").
 *
 *     mpivars [-v]            -v: with descriptions
 *     mpirun -n 4 mpivars     rank 0 prints */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NAME = 64, TEXT = 1200, DEPTH = 8 };

static int verbose;

static void line(int depth, const char *name, const char *value, const char *text)
{
    printf("%*s%-*s %s\n", 2 * depth, "", 34 - 2 * depth, name, value);
    if (verbose && *text)
        printf("%*s%s\n", 2 * depth + 6, "", text);
}

/* -- control variables */

static void item_name(MPI_T_enum e, int value, char name[NAME])
{
    int length = NAME;
    snprintf(name, NAME, "%d", value);
    if (e != MPI_T_ENUM_NULL)
        MPI_T_enum_get_item(e, value, NULL, name, &length);
}

static void control(int index, int depth)
{
    char name[NAME], text[TEXT], word[NAME];
    int name_length = NAME, text_length = TEXT, count;
    MPI_Datatype type;
    MPI_T_enum e;
    MPI_T_cvar_handle handle;

    MPI_T_cvar_get_info(index, name, &name_length, NULL, &type, &e, text, &text_length, NULL, NULL);
    MPI_T_cvar_handle_alloc(index, NULL, &handle, &count);
    if (type == MPI_CHAR) {
        char *value = calloc((size_t)count + 1, 1);
        MPI_T_cvar_read(handle, value);
        line(depth, name, *value ? value : "-", text);
        free(value);
    } else {
        int value;
        MPI_T_cvar_read(handle, &value);
        item_name(e, value, word);
        line(depth, name, word, text);
    }
    MPI_T_cvar_handle_free(&handle);
}

/* -- performance variables */

static const char *class_name(int class)
{
    static const char *const names[] = {
        "state", "level", "size", "percentage", "high water", "low water", "counter", "aggregate",
        "timer", "generic",
    };
    return names[class - MPI_T_PVAR_CLASS_STATE];
}

static void performance(MPI_T_pvar_session session, int index, int depth)
{
    char name[NAME], text[TEXT], value[2 * NAME], word[NAME];
    int name_length = NAME, text_length = TEXT, class, count;
    union { int i; unsigned long long u; double d; } number;
    MPI_Datatype type;
    MPI_T_enum e;
    MPI_T_pvar_handle handle;

    MPI_T_pvar_get_info(index, name, &name_length, NULL, &class, &type, &e, text, &text_length,
                        NULL, NULL, NULL, NULL);
    MPI_T_pvar_handle_alloc(session, index, NULL, &handle, &count);
    MPI_T_pvar_read(session, handle, &number);
    item_name(e, type == MPI_INT ? number.i : 0, word);
    if (type == MPI_DOUBLE)
        snprintf(value, sizeof value, "%s, %g", class_name(class), number.d);
    else if (type == MPI_INT)
        snprintf(value, sizeof value, "%s, %s", class_name(class), word);
    else
        snprintf(value, sizeof value, "%s, %llu", class_name(class), number.u);
    line(depth, name, value, text);
    MPI_T_pvar_handle_free(session, &handle);
}

/* -- event types */

static void event(int index, int depth)
{
    char name[NAME], text[TEXT], item[NAME], elements[TEXT] = "event:";
    int name_length = NAME, text_length = TEXT, items = 0;
    MPI_T_enum e;

    MPI_T_event_get_info(index, name, &name_length, NULL, NULL, NULL, NULL, &e, NULL, text,
                         &text_length, NULL);
    MPI_T_enum_get_info(e, &items, NULL, NULL);
    for (int i = 0; i < items; i++) {
        item_name(e, i, item);
        strncat(elements, " ", sizeof elements - strlen(elements) - 1);
        strncat(elements, item, sizeof elements - strlen(elements) - 1);
    }
    line(depth, name, elements, text);
}

/* -- the tree */

static int *room(int count) { return malloc(((size_t)count + 1) * sizeof(int)); }

static void category(MPI_T_pvar_session session, int index, int depth)
{
    char name[NAME], text[TEXT];
    int name_length = NAME, text_length = TEXT, cvars, pvars, events, below;

    MPI_T_category_get_info(index, name, &name_length, text, &text_length, &cvars, &pvars, &below);
    MPI_T_category_get_num_events(index, &events);
    printf("%*s[%s] %s\n", 2 * depth, "", name, text);
    int *cvar = room(cvars), *pvar = room(pvars), *type = room(events), *child = room(below);
    MPI_T_category_get_cvars(index, cvars, cvar);
    MPI_T_category_get_pvars(index, pvars, pvar);
    MPI_T_category_get_events(index, events, type);
    MPI_T_category_get_categories(index, below, child);
    for (int i = 0; i < cvars; i++)
        control(cvar[i], depth + 1);
    for (int i = 0; i < pvars; i++)
        performance(session, pvar[i], depth + 1);
    for (int i = 0; i < events; i++)
        event(type[i], depth + 1);
    for (int i = 0; i < below && depth < DEPTH; i++)
        category(session, child[i], depth + 1);
    free(cvar);
    free(pvar);
    free(type);
    free(child);
}

static void usage(FILE *to)
{
    fputs("usage: mpivars [-v]\n"
          "  -v  with descriptions\n"
          "Prints what the library tells of itself: control variables, performance\n"
          "variables with their values, event types.\n", to);
}

/* False: the program ends with *code. */
static int options(int argc, char **argv, int rank, int *code)
{
    int help = argc == 2 && !strcmp(argv[1], "--help");
    verbose = argc == 2 && !strcmp(argv[1], "-v");
    if (argc == 1 || verbose)
        return 1;
    *code = help ? 0 : 2;
    if (rank == 0)
        usage(help ? stdout : stderr);
    return 0;
}

int main(int argc, char **argv)
{
    int provided, rank, code = 0;
    MPI_T_pvar_session session;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (!options(argc, argv, rank, &code)) {
        MPI_Finalize();
        return code;
    }
    MPI_T_init_thread(MPI_THREAD_SINGLE, &provided);
    MPI_T_pvar_session_create(&session);
    if (rank == 0)
        category(session, 0, 0);
    MPI_T_pvar_session_free(&session);
    MPI_T_finalize();
    MPI_Finalize();
    return 0;
}
