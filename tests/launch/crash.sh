#!/bin/sh
# A rank that crashes says where, ranks that crash alike together; its signal, exit code and core
# stay what they are without that.
# shellcheck disable=SC1091,SC2154 # lib.sh is sourced
[ "${SANITIZED:-}" ] && { echo 'sanitizers report crashes themselves'; exit 77; }
. "${srcdir:-.}/tests/launch/lib.sh"

program=$PWD/tests/wrong/crashes.t
line=''
command -v addr2line >/dev/null && line=' at crashes\.c:[0-9]+'
# frame NUMBER FUNCTION: one of the test's own.
frame() { told "^    #$1 $2$line \(crashes\.t\+0x[0-9a-f]+\)"; }

# crash CODE WAY WHAT FUNCTION...: ranks 0 to 2 crash alike, and 3 waits.
crash() {
    code=$1 way=$2 what=$3
    shift 3
    run "$code" -n 4 "$program" "$way" 2
    told "was killed by signal $((code - 128)) |were killed by signal $((code - 128)) "
    # One of them may be ended before it has crashed.
    told "^  ranks? [0-2][-,0-2]*: $what"
    [ -z "$line" ] || for function; do told "^    #[0-9]+ $function$line"; done
    [ "$(grep -c '^  rank' "$work/err")" -eq 1 ] || fail "$way: ranks that crash alike are apart"
}
crash 139 null 'SIGSEGV \(nothing is mapped there\) at address 0x0$' store_nowhere null_pointer \
    main
[ -z "$line" ] || frame 0 store_nowhere
crash 136 divide 'SIGFPE \(integer divided by zero\)' divide main
crash 134 abort 'SIGABRT \(raised by itself\)$' aborts main
crash 135 file 'SIGBUS \(no memory behind it\)' beyond_file main
crash 132 illegal 'SIGILL' illegal main
crash 139 sent 'SIGSEGV \(sent by a process\)$' sent main
crash 139 constant 'SIGSEGV \(no permission\) at address 0x' write_constant main
if [ "$(uname -m)" = x86_64 ]; then     # others may not trap
    crash 136 float_divide 'SIGFPE \(divided by zero\)' float_divide main
    crash 136 float_overflow 'SIGFPE \(overflow\)' float_overflow main
    crash 136 float_underflow 'SIGFPE \(underflow\)' float_underflow main
    crash 136 float_invalid 'SIGFPE \(invalid operation\)' float_invalid main
fi
nowhere='SIGSEGV \(no code is there: .*\)'
crash 139 call "$nowhere at address 0x0$" calls_null main
crash 139 data "$nowhere at address 0x" calls_data main
crash 139 wild "$nowhere at address 0xfffffffffffff000$" calls_wild main
crash 139 thread 'SIGSEGV' store_nowhere in_thread
crash 139 overflow 'SIGSEGV \(the stack has overflowed, see ulimit -s\)' recurse
[ -z "$line" ] || told '#[0-9]+ recurse.*, [0-9]+ times or more$'
crash 139 buffer 'SIGSEGV .* at address 0x10$' bad_buffer
[ -z "$line" ] || told '^    #[0-9]+ P?MPI_Send '
# In a thread whose stack is full, if it has waited in MPI; threads that end leave nothing behind.
run 139 -n 2 "$program" thread_overflow
told '^  ranks? [01][-,01]*: SIGSEGV \(the stack has overflowed, see ulimit -s\)'
[ -z "$line" ] || told '#[0-9]+ recurse.*, [0-9]+ times or more$'
# One arena for all: else the library's own thread may have taken theirs, and one more is mapped.
MALLOC_ARENA_MAX=1
export MALLOC_ARENA_MAX
run 0 -n 2 "$program" threads
unset MALLOC_ARENA_MAX
# The numbers go on behind those of a function that calls itself, and end with the program's main.
crash 139 deep 'SIGSEGV \(nothing is mapped there\) at address 0x0$' store_nowhere calls_deep main
if [ "$line" ]; then
    frame 0 store_nowhere
    frame 1 deep
    told "^    #2 deep$line \(crashes\.t\+0x[0-9a-f]+\), 5 times or more$"
    frame 7 calls_deep
    frame 8 main
    grep -qE '#9|_start' "$work/err" && fail 'what has called main is told'
fi
# What was compiled into a function has a line of its own.
crash 139 inlined 'SIGSEGV \(nothing is mapped there\) at address 0x0$' inlined calls_inlined main
if [ "$line" ]; then
    told "^    #0 inlined$line$"
    frame 1 calls_inlined
fi
# With malloc's lock held.
crash 139 malloc SIGSEGV store_nowhere malloc inside_malloc main
crash 134 damage SIGABRT damage main

crash 139 long_name 'SIGSEGV'
told "^    #[0-9]+ far_too_long[0-9_]{148}\.\.\.($line| \()"

# Of a stack that is damaged what can be read.
crash 139 smash "$nowhere at address 0xffffffffffffffff$"
told '^    #0 0xffffffffffffffff$'
told '^    the stack is damaged: no more of it can be read$'
crash 139 inside 'SIGSEGV \(nothing is mapped there\) at address 0x0$' store_nowhere inside_damage
told '^    the stack is damaged: no more of it can be read$'

# Behind a program that closes what it does not know.
if command -v python3 >/dev/null; then
    call='import subprocess, sys; sys.exit(subprocess.run(sys.argv[1:]).returncode and 9)'
    run 9 -n 2 python3 -c "$call" "$program" null
    told '^  ranks? [01][-,01]*: SIGSEGV \(nothing is mapped there\) at address 0x0$'
fi

# Different crashes are apart.
run 139 -n 1 "$program" null : -n 1 "$program" overflow
told '^  rank [01]: SIGSEGV'

run 139 --grace 1000000 -n 5 "$program" apart
told '^  rank 0: SIGSEGV \(nothing is mapped there\) at address 0x0$'
told '^  ranks 1-2: SIGSEGV \(nothing is mapped there\) at address 0x(10|20) and others$'
told '^  rank 3: SIGSEGV \(nothing is mapped there\) at address 0x0$'
told '^  rank 4: SIGFPE \(integer divided by zero\)'
grep -q 'other way' "$work/err" && fail 'four ways to crash are more'
run 139 --grace 1000000 -n 7 "$program" apart
told '^  and 2 other ways to crash$'
[ "$(grep -c '^  rank' "$work/err")" -eq 4 ] || fail 'not four ways to crash'

# Names of C++ are as they stand in the source.
cat >"$work/program.cc" <<'TEXT'
#include <mpi.h>
namespace solver {
struct grid { void step(int *at); };
__attribute__((noinline)) void grid::step(int *at) { *at = 1; }
}
int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    solver::grid().step(argc > 9 ? &argc : nullptr);
    return MPI_Finalize();
}
TEXT
if [ "$line" ] && "$PWD/bin/mpicxx" -g -O1 -o "$work/program" "$work/program.cc" 2>/dev/null; then
    run 139 -n 1 "$work/program"
    told '^    #0 solver::grid::step\(int\*\) at program\.cc:4 \(program\+0x'
fi

# The program's own handler is not in the way of ours, nor ours in its; a child is no rank.
run 77 -n 2 "$program" own
grep -q SIG "$work/err" && fail 'a report beside the handler of the program'
run 5 -n 2 "$program" child
grep -q SIG "$work/err" && fail 'a report of a child'

# Without mpirun each says it by itself, and dies of its signal.
"$program" null 2>"$work/err"
[ $? -eq 139 ] || fail 'not killed by its signal'
told '^rank 0 \(pid [0-9]+\): SIGSEGV \(nothing is mapped there\) at address 0x0$'
told '^  #1 .*crashes\.t\+0x[0-9a-f]+\)$'

# A call that is wrong: who called it, and nothing of a rank whose call was right.
if ldd "$program" | grep -q libmpi_abi; then
    run 15 -n 2 "$PWD/tests/wrong/truncation.t"
    told '^  rank 1: MPI_Recv$'
    [ -z "$line" ] || told '^    #0 main at truncation\.c:[0-9]+ '
    [ "$(grep -c '^  rank [01]:' "$work/err")" -eq 1 ] || fail 'more than one wrong call'
    run 6 -n 3 "$PWD/tests/wrong/bad_rank.t"
    told '^  ranks? [-0-2,]*: MPI_Send$'
    run 6 -n 1 "$PWD/tests/wrong/mistakes.t" outside_of_dup
    told '^  rank 0: MPI_Send on MPI_COMM_WORLD dup #1, made at .*mistakes\.t\+0x[0-9a-f]+\)?$'
    [ -z "$line" ] || told 'MPI_Send on .*, made at mistakes\.c:[0-9]+ \(mistakes'
    MPILITE_CRASH=off run 15 -n 2 "$PWD/tests/wrong/truncation.t"
    grep -q '#0' "$work/err" && fail 'who called what with MPILITE_CRASH=off'
fi

# Where it is not wanted, and where nothing more is known.
MPILITE_CRASH=off run 139 -n 2 "$program" null
grep -q SIGSEGV "$work/err" && fail 'a report with MPILITE_CRASH=off'
run 139 --quiet -n 2 "$program" null
silent
mkdir "$work/empty"
PATH=$work/empty run 139 -n 2 "$program" null
told '^    #0 .* \(crashes\.t\+0x[0-9a-f]+\)$'
told '^    #[0-9]+ main\+0x[0-9a-f]+ |^    #[0-9]+ \? \(crashes'

# Of a function whose name a stripped library does not have none is said, nor the nearest one's.
cat >"$work/library.c" <<'TEXT'
static int inner(int *at);
int (*hidden)(int *) = inner;
int exported_before(int *at) { return at ? *at : 0; }
static int inner(int *at) { return *at = 1; }
int exported_behind(void) { return hidden(0) + 1; }
TEXT
cat >"$work/program.c" <<'TEXT'
#include <mpi.h>
int exported_behind(void);
int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    return exported_behind();
}
TEXT
if command -v strip >/dev/null &&
    ${CC:-cc} -O1 -fno-toplevel-reorder -fPIC -shared -o "$work/libother.so" "$work/library.c" &&
    strip "$work/libother.so" &&
    "$PWD/bin/mpicc" -o "$work/program" "$work/program.c" "$work/libother.so" \
        -Wl,-rpath,"$work"; then
    run 139 -n 1 "$work/program"
    told '^    #0 \? \(libother\.so\+0x'
    told '^    #1 exported_behind.* \(libother\.so\+0x'
fi

# A descriptor that the program has closed, and that is something else now, is left alone.
CRASH_FILE=$work/file run 139 -n 2 "$program" closes
told 'rank . \(pid [0-9]+\): SIGSEGV'
[ ! -s "$work/file" ] || fail 'a report in a file of the program'
exit 0
