/* Help. */
#include "help.h"

#include <stdio.h>

#ifndef PACKAGE_VERSION
#define PACKAGE_VERSION "unknown"
#endif

static const char text[] =
    "usage: mpirun [OPTION]... PROGRAM [ARGUMENT]... [: [OPTION]... PROGRAM [ARGUMENT]...]...\n"
    "\n"
    "Starts the ranks of an MPI job on this machine.  Options may be written with one dash or two.\n"
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
    "  --bind-to core|none       bind ranks to cores, or do not (default: if the job fills more than half of them)\n"
    "  --scratchpad SIZE         of the network interface, per rank: bytes, or with k, M, G (default: 1M)\n"
    "  --heap SIZE|none          memory for MPI_Alloc_mem that all ranks reach (default: 256M, less with many ranks)\n"
    "  --timeout SECONDS         end the job after this time, exit code 124\n"
    "  --no-deadlock-check       do not look for a job in which every rank waits\n"
    "\n"
    "  -h, --help                this text\n"
    "  -V, --version             version\n"
    "\n"
    "Accepted for compatibility: --oversubscribe, --allow-run-as-root, --map-by X, --rank-by X, --mca NAME VALUE,\n"
    "-f, --hostfile, --machinefile FILE, --host, --hosts LIST (all hosts must be this machine).\n"
    "\n"
    "Exit code: that of the first rank that failed, 128 plus the signal if one was killed, else 0.  See mpirun(1).\n";

void help_print(void)
{
    fputs(text, stdout);
}

void help_version(void)
{
    puts("mpirun (libmpi-lite) " PACKAGE_VERSION);
}
