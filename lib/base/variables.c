/* The variables of the environment, checked and explained. */
#include "base/nearest.h"
#include "base/variables.h"

#include <stdbool.h>
#include <string.h>

#include "nicemu/variables.h"

/* In the order of the manual; those that the NIC's library reads follow. */
static const struct nic_variable variables[] = {
    { "MPILITE_DEADLOCK", NIC_VARIABLE_USER, true, "on|off", "on",
      "off is the same as --no-deadlock-check; ranks of other launchers read it themselves.",
      NIC_VARIABLE_FIXED },
    { "MPILITE_FINALIZE", NIC_VARIABLE_USER, true, "on|off", "on",
      "off is the same as --no-finalize-check; ranks of other launchers read it themselves.",
      NIC_VARIABLE_FIXED },
    { "MPILITE_INITIAL_ERRHANDLER", NIC_VARIABLE_USER, true,
      "mpi_errors_are_fatal|mpi_errors_abort|mpi_errors_return", "mpi_errors_are_fatal",
      "The error handler that MPI_COMM_WORLD and MPI_COMM_SELF have at first, and that of calls "
      "that may stand before MPI_Init: the same as -initial-errhandler.",
      NIC_VARIABLE_FIXED },
    { "MPILITE_CRASH", NIC_VARIABLE_USER, true, "on|off", "on",
      "off: ranks that crash do not report where; they read it in MPI_Init.",
      NIC_VARIABLE_FIXED },
    { "MPILITE_CHECK", NIC_VARIABLE_USER, true, "1|sync|errors|sync,errors|0|off", "0",
      "1 is the same as --check, which goes before it; the others are its values.",
      NIC_VARIABLE_FIXED },
    { "MPILITE_ATTACH", NIC_VARIABLE_USER, false, "RANKS", NULL,
      "The same as --attach, which goes before it.",
      NIC_VARIABLE_FIXED },
    { "MPILITE_BIND_TO", NIC_VARIABLE_USER, false, "LEVEL[:N]", NULL,
      "The same as --bind-to, which goes before it.",
      NIC_VARIABLE_FIXED },
    { "MPILITE_MAP_BY", NIC_VARIABLE_USER, false, "LEVEL[:pe=N]|ppr:N:LEVEL", NULL,
      "The same as --map-by, which goes before it.",
      NIC_VARIABLE_FIXED },
    { "MPILITE_RANK_BY", NIC_VARIABLE_USER, false, "slot|fill|LEVEL", NULL,
      "The same as --rank-by, which goes before it.",
      NIC_VARIABLE_FIXED },
    { "MPILITE_CPU_SET", NIC_VARIABLE_USER, false, "LIST", NULL,
      "The same as --cpu-set, which goes before it.",
      NIC_VARIABLE_FIXED },
    { "MPILITE_REPORT_BINDINGS", NIC_VARIABLE_USER, false, "0|1", "0",
      "1 is the same as --report-bindings.",
      NIC_VARIABLE_FIXED },
    { "MPILITE_MODEL", NIC_VARIABLE_USER, false, "PROFILE", NULL,
      "The same as --model, which goes before it.",
      NIC_VARIABLE_FIXED },
    { "MPILITE_COMPUTE", NIC_VARIABLE_USER, false, "none|injected|measured[:SCALE]", "injected",
      "The same as --compute, which goes before it.",
      NIC_VARIABLE_FIXED },
    { "MPILITE_MODEL_SERIAL", NIC_VARIABLE_USER, false, "0|1", "0",
      "1 is the same as --model-serial.",
      NIC_VARIABLE_FIXED },
    { "NICEMU_OFFLOAD", NIC_VARIABLE_USER, false, "none|forward|match|all", "all, or the model's",
      "The same as --offload.",
      NIC_VARIABLE_AT_START_ALL },
    { "MPILITE_STATS", NIC_VARIABLE_USER, false, NULL, "off",
      "At the end, in MPI_Finalize, rank 0 shows what the NICs of all ranks did: packets and bytes "
      "by path, lengths of queues when they were searched, messages by protocol, sleeps, refusals. "
      "With 1 a table of sums, smallest and largest values goes to standard error, without figures "
      "that are 0 everywhere; with all each rank's figures follow it. Any other value is the name "
      "of a file that gets every figure with a column per rank, separated by tabs; 0 and off are "
      "the same as nothing. One rank that has the variable is enough, with mpirun or without. A "
      "job that is aborted shows none. If the file cannot be written, rank 0 says why, and "
      "mpirun ends with 1.",
      NIC_VARIABLE_AT_END },
    { "SHMEM_SYMMETRIC_SIZE", NIC_VARIABLE_USER, false, "SIZE", "64m",
      "Bytes of the symmetric heap of each PE, see oshrun(1).",
      NIC_VARIABLE_AT_START_ALL },
    { "SHMEM_VERSION", NIC_VARIABLE_USER, false, "0|1", "0",
      "1: PE 0 shows the version of SHMEM.",
      NIC_VARIABLE_AT_START },
    { "SHMEM_INFO", NIC_VARIABLE_USER, false, "0|1", "0",
      "1: PE 0 shows what the variables of SHMEM are.",
      NIC_VARIABLE_AT_START },
    { "MPILITE_CC", NIC_VARIABLE_USER, false, "COMMAND", NULL,
      "The compiler that mpicc calls, see mpicc(1).",
      NIC_VARIABLE_FIXED },
    { "MPILITE_CXX", NIC_VARIABLE_USER, false, "COMMAND", NULL,
      "The compiler that mpicxx calls, see mpicxx(1).",
      NIC_VARIABLE_FIXED },
    { "MPILITE_FC", NIC_VARIABLE_USER, false, "COMMAND", NULL,
      "The compiler that mpifort calls, see mpifort(1).",
      NIC_VARIABLE_FIXED },
    { "MPILITE_EAGER", NIC_VARIABLE_TRIAL, true, "N", "16384",
      "Messages of up to so many bytes travel with their envelope, to other machines of up to "
      "65536 where the wire is a stream, else 16384.",
      NIC_VARIABLE_AT_START },
    { "MPILITE_RNDV", NIC_VARIABLE_TRIAL, true, "get|put|both|staged|far", "by what is fastest",
      "How longer messages travel.",
      NIC_VARIABLE_AT_START },
    { "MPILITE_STAGED", NIC_VARIABLE_TRIAL, true, "buffers|inbox",
      "buffers, on the model clock inbox",
      "Staged messages go through buffers in the scratchpad, or through the receiver's inbox.",
      NIC_VARIABLE_AT_START },
    { "MPILITE_REFILL", NIC_VARIABLE_TRIAL, true, "claim|leave", "what is measured to be quicker",
      "Who has read a buffer in shared memory that is filled again and again writes into each of "
      "its lines, or does not.",
      NIC_VARIABLE_AT_START },
    { "MPILITE_RMA", NIC_VARIABLE_TRIAL, true, "moved|private|copy|packets",
      "moved, within limits",
      "moved: memory of MPI_Win_create goes to where all ranks of the machine have it mapped, "
      "however much time that takes; private: it stays where it is; copy, packets: so, and it is "
      "reached by the kernel's copy always, or a few bytes by packets whenever that is possible.",
      NIC_VARIABLE_AT_START_ALL },
    { "MPILITE_COLL", NIC_VARIABLE_TRIAL, true, "packets", "by size",
      "No collective goes by shared slots.",
      NIC_VARIABLE_AT_START_ALL },
    { "MPILITE_BARRIER", NIC_VARIABLE_TRIAL, true, "pairwise|gather:N", "by the number of cores",
      "How barriers and all-reductions go where they are packets: in pairs, or along a tree of "
      "this degree; along it commutative reductions to one rank go too.",
      NIC_VARIABLE_AT_START_ALL },
    { "MPILITE_BYPASS", NIC_VARIABLE_TRIAL, true, "none|host|nic", "host, on the model clock none",
      "What is done about ranks that are late. host: the root of a broadcast of up to 4 KB sends "
      "to each rank itself. nic: the NICs send it on, up to 64 KB, whether their hosts have called "
      "or not, and in a reduction that NICs execute all ranks but the root return at once.",
      NIC_VARIABLE_AT_START_ALL },
    { "MPILITE_SEATS", NIC_VARIABLE_TRIAL, false, NULL, "where they are bound",
      "A machine, described as for --topology: ranks are told that they sit as the map drawn for "
      "it says, and run where they run. So one sees what MPI_Cart_create makes of other machines, "
      "on the model clock too.",
      NIC_VARIABLE_FIXED },
    { "MPILITE_SIZE", NIC_VARIABLE_RANK, false, NULL, NULL, "The number of ranks.",
      NIC_VARIABLE_FIXED },
    { "MPILITE_LAUNCHED", NIC_VARIABLE_RANK, false, NULL, NULL, "1.",
      NIC_VARIABLE_FIXED },
    { "MPILITE_JOINED", NIC_VARIABLE_RANK, false, NULL, NULL,
      "1, for what a rank of another launcher starts, which is no rank.",
      NIC_VARIABLE_FIXED },
    { "MPILITE_CHECK_FD", NIC_VARIABLE_RANK, false, NULL, NULL,
      "The descriptor by which a rank under --check tells mpirun what it has found.",
      NIC_VARIABLE_FIXED },
    { "MPILITE_CRASH_FD", NIC_VARIABLE_RANK, false, NULL, NULL,
      "The descriptor by which a rank that crashes tells mpirun where.",
      NIC_VARIABLE_FIXED },
    { "MPILITE_TRACE_FD", NIC_VARIABLE_RANK, false, NULL, NULL,
      "The descriptor of the memory in which ranks leave what they did, for mpirun --trace and "
      "--report.",
      NIC_VARIABLE_FIXED },
    { "MPILITE_PROGRAM", NIC_VARIABLE_RANK, false, NULL, NULL,
      "Which of the programs of the command it is, from 0.",
      NIC_VARIABLE_FIXED },
    { "MPILITE_JOB", NIC_VARIABLE_RANK, false, NULL, NULL,
      "A name of the job, by which its processes are recognised.",
      NIC_VARIABLE_FIXED },
};

enum { OWN = sizeof variables / sizeof *variables, FAR = 4 };

const struct nic_variable *mpi_variable_at(unsigned i)
{
    return i < OWN ? &variables[i] : nic_variable_at(i - OWN);
}

/* -- names */

static const struct nic_variable *by_name(const char *name, size_t bytes)
{
    const struct nic_variable *v;
    for (unsigned i = 0; (v = mpi_variable_at(i)); i++)
        if (!strncmp(v->name, name, bytes) && !v->name[bytes])
            return v;
    return NULL;
}

static const char *name_at(unsigned i)
{
    const struct nic_variable *v = mpi_variable_at(i);
    return v ? v->name : NULL;
}

static bool begins_as_ours(const char *name)
{
    return !strncmp(name, "MPILITE_", 8) || !strncmp(name, "NICEMU_", 7);
}

/* -- values */

/* Whether the value is one alternative, of which N at the end is a number. */
static bool is(const char *value, const char *alternative, size_t bytes)
{
    bool number = bytes && alternative[bytes - 1] == 'N';
    size_t words = number ? bytes - 1 : bytes;
    if (strncmp(value, alternative, words))
        return false;
    const char *rest = value + words;
    return number ? *rest && strspn(rest, "0123456789") == strlen(rest) : !*rest;
}

static bool is_one_of(const char *value, const char *alternatives)
{
    for (const char *a = alternatives; *a; a += *a == '|') {
        size_t bytes = strcspn(a, "|");
        if (is(value, a, bytes))
            return true;
        a += bytes;
    }
    return false;
}

/* -- checking */

static bool wrong_name(const char *name, size_t bytes, char *text, size_t size)
{
    const char *meant = mpi_nearest_name(name_at, name, bytes, FAR);
    int n = snprintf(text, size, "%.*s is no variable of this library", (int)bytes, name);
    if (meant && n > 0 && (size_t)n < size)
        snprintf(text + n, size - (size_t)n, ": did you mean %s?", meant);
    return true;
}

/* Those that nobody looks at on the live clock. */
static bool is_of_model(const struct nic_variable *v)
{
    return !strcmp(v->name, "MPILITE_COMPUTE") || !strcmp(v->name, "MPILITE_MODEL_SERIAL")
        || !strcmp(v->name, "NICEMU_BOOT");
}

static bool wrong_clock(const struct nic_variable *v, char *text, size_t size)
{
    snprintf(text, size, "%s has no effect on the live clock: it goes with mpirun --model",
             v->name);
    return true;
}

static bool wrong(const char *assignment, bool modelled, char *text, size_t size)
{
    size_t bytes = strcspn(assignment, "=");
    if (!begins_as_ours(assignment))
        return false;
    const struct nic_variable *v = by_name(assignment, bytes);
    if (!v)
        return wrong_name(assignment, bytes, text, size);
    const char *value = assignment[bytes] ? assignment + bytes + 1 : "";
    if (*value && !modelled && is_of_model(v))
        return wrong_clock(v, text, size);
    if (!v->listed || !*value || is_one_of(value, v->values))
        return false;
    snprintf(text, size, "%s=%s has no effect: the value must be %s", v->name, value, v->values);
    return true;
}

void mpi_variables_check(char *const *list, bool modelled, void (*warn)(const char *text))
{
    char text[256];
    for (; list && *list; list++)
        if (wrong(*list, modelled, text, sizeof text))
            warn(text);
}

/* -- the manual */

enum { COLUMNS = 76, INDENT = 4 };

/* Words that fit into a line, line by line. */
static void print_wrapped(FILE *out, const char *text)
{
    size_t used = 0;
    while (*text) {
        size_t bytes = strcspn(text, " ");
        if (used && used + 1 + bytes > COLUMNS) {
            fputc('\n', out);
            used = 0;
        }
        used += (size_t)fprintf(out, "%*s", used ? 1 : INDENT, "");
        used += fwrite(text, 1, bytes, out);
        text += bytes + (text[bytes] == ' ');
    }
    fputc('\n', out);
}

void mpi_variable_describe(const struct nic_variable *v, char *text, size_t size)
{
    const char *values = v->values, *standard = v->standard;
    snprintf(text, size, "%s%s%s%s%s%s%s", v->text, values ? " Values: " : "",
             values ? values : "", values ? "." : "", standard ? " Default: " : "",
             standard ? standard : "", standard ? "." : "");
}

static void print_one(FILE *out, const struct nic_variable *v)
{
    char text[1200];
    mpi_variable_describe(v, text, sizeof text);
    fprintf(out, "%s\n", v->name);
    print_wrapped(out, text);
}

void mpi_variables_print(FILE *out)
{
    static const char *const heads[] = {
        [NIC_VARIABLE_USER] = "Variables that mpirun and MPI programs read:",
        [NIC_VARIABLE_TRIAL] = "To look into a problem, and for tests:",
        [NIC_VARIABLE_RANK] = "Each rank finds these:",
    };
    const struct nic_variable *v;
    for (int use = NIC_VARIABLE_USER; use <= NIC_VARIABLE_RANK; use++) {
        fprintf(out, "%s%s\n", use ? "\n" : "", heads[use]);
        for (unsigned i = 0; (v = mpi_variable_at(i)); i++)
            if ((int)v->use == use)
                print_one(out, v);
    }
}
