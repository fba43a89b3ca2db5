/* Help. */
#include "launch/command/help.h"

#include <stdio.h>

#include "base/variables.h"

#ifndef PACKAGE_VERSION
#define PACKAGE_VERSION "unknown"
#endif

static const char text[] =
    "usage: mpirun [OPTION]... PROGRAM [ARGUMENT]... [: [OPTION]... PROGRAM [ARGUMENT]...]...\n"
    "\n"
    "Starts the ranks of an MPI job on this machine.  Options may be written with one dash or "
        "two.\n"
    "\n"
    "What to start\n"
    "  -n, -np, -c N             number of ranks (default: the cores that may be used)\n"
    "  -wd, -wdir DIR            working directory\n"
    "  -x NAME[=VALUE]           environment variable for this program\n"
    "  -env NAME VALUE           the same\n"
    "  -genv NAME VALUE          environment variable for all programs\n"
    "  :                         another program with options of its own, in the same job\n"
    "\n"
    "Input and output\n"
    "  --stdin RANK|all|none     who reads standard input (default: 0)\n"
    "  -l, --tag-output          start each line of output with the rank, \"[3] \"\n"
    "  -q, --quiet               no warnings, and no message when ranks fail\n"
    "  -v, --verbose             say what is started where\n"
    "\n"
    "Running\n"
    "  --scratchpad SIZE         of the network interface, per rank: bytes, or with k, M, G "
        "(default: 1M, or the model's)\n"
    "  --heap SIZE|none          memory for MPI_Alloc_mem that all ranks reach (default: 256M, "
        "less with many ranks)\n"
    "  --timeout SECONDS         end the job after this time, exit code 124\n"
    "  --grace SECONDS           from a signal that is to end ranks to the next, stronger one "
        "(default: 0.25)\n"
    "  --offload none|match|all  what the network interface does by itself: nothing, matching of "
        "messages, and\n"
    "                            collectives too (default: all)\n"
    "  --no-deadlock-check       do not look for a job in which every rank waits\n"
    "  --no-finalize-check       ranks may end with exit code 0 after MPI_Init without "
        "MPI_Finalize\n"
    "\n"
    "Virtual time\n"
    "  --model PROFILE           run on the model clock, with what PROFILE says that things cost: "
        "a name or a\n"
    "                            path, see nicinfo(1)\n"
    "  --set SECTION.KEY=VALUE   change a number of the profile\n"
    "  --compute none|injected|measured[:SCALE]  what the program takes between its MPI calls: "
        "nothing, what it says with\n"
    "                            MPIX_Compute (default), or the time that the processor took, "
        "which is not the same each time\n"
    "  --model-hash              print what all that happened comes to, in one number\n"
    "  --model-log FILE          write each event to FILE\n"
    "  --model-serial            one rank at a time: slower, for checks\n"
    "  --explain[=K]             say where the time of the K slowest messages went (default: 10), "
        "and of each rank\n"
    "  --explain-file FILE       write that to FILE, as tab-separated values in picoseconds\n"
    "\n"
    "Where to run\n"
    "  --bind-to LEVEL[:N]       bind each rank to an object, or to N of them: none, hwthread, "
        "core, l2cache, l3cache,\n"
    "                            numa, socket (default: core, if the job fills more than half of "
        "the machine)\n"
    "  --map-by LEVEL[:pe=N]     place ranks in turns on the objects of a level, with N cores "
        "each: slot (core after\n"
    "                            core, the default), hwthread, core, l2cache, l3cache, numa, "
        "socket, node\n"
    "  --map-by ppr:N:LEVEL      N ranks on each object\n"
    "  --rank-by slot|fill       number ranks as they are placed, or object by object\n"
    "  --cpu-set, --cpu-list LIST  use these processors only, as in 0,4-7\n"
    "  --report-bindings         draw on standard error where each rank and its NIC's thread may "
        "run\n"
    "  --dry-run                 draw that and start nothing; --topology TEXT: for another "
        "machine, which hwloc's\n"
    "                            description (\"socket:2 core:8 pu:2\") or an XML file tells\n"
    "\n"
    "  -h, --help                this text\n"
    "  --help-environment        the variables of the environment that are read\n"
    "  -V, --version             version\n"
    "\n"
    "Accepted for compatibility: --oversubscribe, --allow-run-as-root, --mca NAME VALUE,\n"
    "-f, --hostfile, --machinefile FILE, --host, --hosts LIST (all hosts must be this machine).\n"
    "\n"
    "Exit code: that of the first rank that failed, 128 plus the signal if one was killed, else "
        "0.  See mpirun(1).\n";

void help_print(void)
{
    fputs(text, stdout);
}

void help_version(void)
{
    puts("mpirun (libmpi-lite) " PACKAGE_VERSION);
}

void help_environment(void)
{
    mpi_variables_print(stdout);
}
