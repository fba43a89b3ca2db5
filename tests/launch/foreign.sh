#!/bin/sh
# A program of another MPI under our mpirun: one warning that names both, and none for programs that
# are in order.
# shellcheck disable=SC1091,SC2015,SC2016,SC2154 # lib.sh is sourced; quoted scripts are for ranks
. "${srcdir:-.}/tests/launch/lib.sh"

# Libraries of those names stand for the real ones: what counts is what a program is linked with.
cc=${CC:-cc}
echo 'int main(void) { return 0; }' >"$work/program.c"
echo 'int needed;' >"$work/library.c"
# make NAME: a program that is linked with a library NAME.
make() {
    $cc -shared -fPIC -Wl,-soname,"$1" -o "$work/$1" "$work/library.c" &&
        $cc -Wl,--no-as-needed -o "$work/with-$1" "$work/program.c" "$work/$1" \
            -Wl,-rpath,"$work" || fail "no program with $1"
}
ours='libmpi_abi.so.1 of libmpi-lite' alone='its ranks knew nothing of each other'
# warned NAME TEXT ARGUMENT...: at the end, of what could only be seen then.
warned() {
    name=$1 text=$2
    shift 2
    run 0 "$@"
    said "mpirun: warning: $name is linked with $text, not with $ours: $alone"
}
# told_first NAME TEXT WHOSE ARGUMENT...: before any rank begins, and with the cure.
told_first() {
    name=$1 text=$2
    cure="compile it with the mpicc beside this mpirun, or start it with the mpirun of $3"
    shift 3
    run 0 "$@"
    said "mpirun: warning: $name is linked with $text, not with $ours: its ranks will know \
nothing of each other ($cure)"
}

for name in libmpich.so.12 libmpi.so.12 libmpi.so.40 libmpi_mpifh.so.40 libmpi_usempif08.so.40 \
    libmpifort.so.12 libmpi_abi.so.1 libmpi_tools.so.1 libm_mpi.so.1 libmpichfort.so.12 \
    libmpichcxx.so.12 libmpicxx.so.12 libmpi_cxx.so.40; do
    make $name
done
for name in libmpich.so.12 libmpichfort.so.12 libmpichcxx.so.12; do
    told_first "$work/with-$name" "$name of MPICH" MPICH -n 3 "$work/with-$name"
done
for name in libmpi.so.40 libmpi_mpifh.so.40 libmpi_usempif08.so.40 libmpi_cxx.so.40; do
    told_first "$work/with-$name" "$name of Open MPI" 'Open MPI' -n 2 "$work/with-$name"
done
for name in libmpi.so.12 libmpifort.so.12 libmpicxx.so.12; do
    told_first "$work/with-$name" "$name of MPICH's ABI" MPICH -n 2 "$work/with-$name"
done
told_first ./with-libmpi.so.40 'libmpi.so.40 of Open MPI' 'Open MPI' -wd "$work" \
    -n 2 ./with-libmpi.so.40
PATH=$PATH:$work told_first with-libmpi.so.40 'libmpi.so.40 of Open MPI' 'Open MPI' \
    -n 2 with-libmpi.so.40
told_first "$work/with-libmpi.so.40" 'libmpi.so.40 of Open MPI' 'Open MPI' -n 2 true \
    : -n 2 "$work/with-libmpi.so.40" : -n 2 "$work/with-libmpich.so.12"
# Of several programs the one is named whose ranks have not called MPI: the others wait for them.
run 1 -n 2 "$tools/mpi_ends" : -n 1 sh -c "$work/with-libmpi.so.40"
told "^mpirun: warning: $work/with-libmpi.so.40 is linked with .* its ranks knew nothing of each"
# What a shell takes for the command: a file that may not be executed is passed over, and what
# stands behind the first that may is none.
mkdir "$work/first" "$work/second"
cp "$work/with-libmpi.so.40" "$work/first/named"
chmod -x "$work/first/named"
cp "$work/with-libm_mpi.so.1" "$work/second/named"
for path in "$work/first:$work/second" "$work/second:$work/third"; do
    PATH=$path:$PATH run 0 -n 2 sh -c 'true; named'
    silent
    mkdir -p "$work/third"
    cp "$work/with-libmpi.so.40" "$work/third/named"
done

# Where it stands in memory is not where it is in the file.
if $cc -no-pie -Wl,--no-as-needed -o "$work/at-home" "$work/program.c" "$work/libmpi.so.40" \
    -Wl,-rpath,"$work" 2>/dev/null; then
    told_first "$work/at-home" 'libmpi.so.40 of Open MPI' 'Open MPI' -n 2 "$work/at-home"
fi

# All of it inside, without a dynamic section.
for inside in 'ompi_mpi_init Open MPI' 'MPIR_CVAR_INIT MPICH'; do
    echo "const char name[] = \"${inside%% *}\"; int main(void) { return name[0] == 0; }" \
        >"$work/static.c"
    $cc -O0 -static -o "$work/static" "$work/static.c" 2>/dev/null || continue
    told_first "$work/static" "the static library of ${inside#* }" "${inside#* }" \
        -n 2 "$work/static"
done
# The real ones.
for peer in mpich openmpi; do
    command -v mpicc.$peer >/dev/null || continue
    echo '#include <mpi.h>
        int main(int n, char **v) { MPI_Init(&n, &v); return MPI_Finalize(); }' >"$work/real.c"
    mpicc.$peer -o "$work/real" "$work/real.c" 2>/dev/null || continue
    OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 run 0 -n 2 "$work/real"
    told "^mpirun: warning: .* is linked with libmp.* of (MPICH|Open MPI).* start it with"
done

# What mpirun loads into ranks lets such a program be: its functions are those of the other MPI.
cat >"$work/library.c" <<'TEXT'
int PMPI_Init(int *argc, char ***argv) { return (void)argc, (void)argv, 0; }
int PMPI_Finalize(void) { return 0; }
int PMPI_Comm_size(int comm, int *size) { return *size = 7, comm != 0x44000000; }
int MPI_Init(int *argc, char ***argv) { return PMPI_Init(argc, argv); }
int MPI_Finalize(void) { return PMPI_Finalize(); }
int MPI_Comm_size(int comm, int *size) { return PMPI_Comm_size(comm, size); }
TEXT
cat >"$work/program.c" <<'TEXT'
int MPI_Init(int *argc, char ***argv), MPI_Finalize(void), MPI_Comm_size(int comm, int *size);
int main(int argc, char **argv)
{
    int size = 0, bad = MPI_Init(&argc, &argv) || MPI_Comm_size(0x44000000, &size);
    return bad || MPI_Finalize() || size != 7;
}
TEXT
make libmpich.so.13
if [ -z "${SANITIZED:-}" ] && [ -e "$PWD/.libs/libmpilite_check.so" ]; then
    run 0 --check -n 1 "$work/with-libmpich.so.13"
    told '^check: rank 0: nothing is checked, as the program.s MPI is libmpich\.so\.13$'
    run 0 --trace "$work/trace.json" -n 1 "$work/with-libmpich.so.13"
fi

# Behind a shell, whose script names it.
behind() { warned "$work/with-libmpi.so.40" 'libmpi.so.40 of Open MPI' -n 2 "$@"; }
behind sh -c "$work/with-libmpi.so.40"
behind sh -ec "cd /; X='1 2' exec '$work/with-libmpi.so.40' -x >/dev/null"
behind sh -c "if true && ! test -d /no; then command true; fi; ($work/with-libmpi.so.40)"
behind sh -c 'exec "$0" -x' "$work/with-libmpi.so.40"
behind /bin/sh -e -c 'exec "$@"' sh "$work/with-libmpi.so.40" -x
PATH=$PATH:$work warned with-libmpi.so.40 'libmpi.so.40 of Open MPI' -n 2 \
    sh -c 'true; with-libmpi.so.40 1'
warned ./with-libmpi.so.40 'libmpi.so.40 of Open MPI' -wd "$work" -n 2 sh -c ./with-libmpi.so.40
for script in "ls $work/with-libmpi.so.40" "echo '; $work/with-libmpi.so.40'" \
    "test -f $work/with-libmpi.so.40 || $work/none" 'true "$0"' '$1' '' ';' "$work"; do
    "$mpirun" -n 2 sh -c "$script" "$work/with-libmpi.so.40" >"$work/out" 2>"$work/err"
    grep warning "$work/err" && fail "a warning of $script"
done

# Loaded while it runs, as an interpreter does: mpirun looks again and again, ever more seldom, so
# the program stays for longer if that was too short.
cat >"$work/loads.c" <<'TEXT'
#include <dlfcn.h>
#include <stdlib.h>
#include <unistd.h>
int main(int argc, char **argv)
{
    usleep(300000);
    int bad = argc < 4 || !dlopen(argv[1], RTLD_NOW);
    sleep(argc < 4 ? 0 : (unsigned)atoi(argv[2]));
    return bad ? 9 : atoi(argv[3]);
}
TEXT
$cc -o "$work/loads" "$work/loads.c" -ldl || fail 'no program that loads a library'
alone_then="not $ours: $alone (what it loads, as mpi4py, is to be built with the mpicc beside this \
mpirun)"
# loads NAME CODE COMMAND...: with the library and how long to stay behind the command.
loads() {
    name=$1 code=$2
    shift 2
    for stay in 1 5 20 60; do
        run "$code" -n 2 "$@" "$work/libmpi.so.40" $stay "$code"
        ! grep -q ' has loaded ' "$work/err" || break
    done
    grep -v 'exited with code' "$work/err" >"$work/rest"
    mv "$work/rest" "$work/err"
    said "mpirun: warning: $name has loaded libmpi.so.40 of Open MPI, $alone_then"
}
loads "$work/loads" 0 "$work/loads"
loads "$work/loads" 3 "$work/loads"
loads sh 0 sh -c '"$0" "$@"; true' "$work/loads"
# Nobody is warned of a library that is no MPI's, of ranks that have come to us, or by -q.
run 0 -n 2 "$work/loads" "$work/libm_mpi.so.1" 1 0
silent
run 0 -q -n 2 "$work/loads" "$work/libmpi.so.40" 1 0
silent
run 0 -n 2 sh -c '"$0" "$1" 1 0; exec "$2"' "$work/loads" "$work/libmpi.so.40" "$tools/mpi_ends"
silent
# Nor of what another launcher has started.
run 0 -n 2 awk "BEGIN { system(\"$work/loads $work/libmpi.so.40 1 0\") }"
silent

# In order: one rank, quiet, programs without MPI, scripts, ours, and names that only look alike.
run 0 -n 1 "$work/with-libmpich.so.12"
silent
run 0 -q -n 2 "$work/with-libmpich.so.12"
silent
for program in true "$work/with-libmpi_abi.so.1" "$work/with-libmpi_tools.so.1" \
    "$work/with-libm_mpi.so.1" "$tools/mpi_ends"; do
    run 0 -n 2 "$program"
    silent
done
run 0 -n 2 sh -c 'exec hostname >/dev/null'
silent
printf '#!/bin/sh\n' >"$work/script"
chmod +x "$work/script"
run 0 -n 2 "$work/script"
silent

# Files that only begin like a program, cut anywhere: nobody reads past their end.  They cannot be
# started, so they take the place of a program that runs.
for bytes in 4 20 64 100 700 1000 4000 9000 12000 14000; do
    head -c $bytes "$work/with-libmpich.so.12" >"$work/cut"
    rm -f "$work/changes" "$work/up"
    cp "$(command -v sh)" "$work/changes"
    run 0 -n 2 "$work/changes" -c 'test "$NICEMU_RANK" = 0 || { : >"$2"; exit 0; }
        until test -f "$2"; do sleep 0.02; done
        mv "$0" "$1"' "$work/cut" "$work/changes" "$work/up"
    [ ! -e "$work/cut" ] || fail 'the program was not replaced'
done

# What a launcher around mpirun has told its rank is not told to ours.
out=$(PMI_FD=9 PMI_RANK=0 PMI_SIZE=3 PMIX_NAMESPACE=x PMIX_RANK=0 "${mpirun:-bin/mpirun}" -n 1 \
    sh -c 'echo "${PMI_FD-}${PMI_RANK-}${PMI_SIZE-}${PMIX_NAMESPACE-}${PMIX_RANK-}."')
[ "$out" = . ] || fail "ranks get '$out' of the launcher around mpirun"

# A launcher of another version of ours lays the job out otherwise.
head -c 100000 /dev/zero >"$work/job"
NICEMU_JOB_FD=9 NICEMU_RANK=0 "$tools/mpi_ends" 9<"$work/job" >/dev/null 2>"$work/err"
[ $? -eq 1 ] || fail 'a job of another version: exit code is not 1'
said 'Fatal error in MPI_Init: mpirun is not of the version of this library that the program has '\
'found: start it with the mpirun that was installed with that library'

# A helper of ours that another MPI's rank starts is alone, and says nothing of it: not by PMIx
# either, which need not be there.  Files of that launcher are where no other one takes them away.
echo '#include <mpi.h>
    #include <stdlib.h>
    int main(int n, char **v)
    {
        MPI_Init(&n, &v);
        int status = system(v[1]);
        MPI_Finalize();
        return status != 0;
    }' >"$work/starts.c"
for peer in mpich openmpi; do
    command -v mpirun.$peer >/dev/null || continue
    mpicc.$peer -o "$work/starts" "$work/starts.c" 2>/dev/null || continue
    OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 TMPDIR=$work mpirun.$peer -n 2 \
        "$work/starts" "'$tools/mpi_ends' >'$work/helper'" \
        >"$work/out" 2>"$work/err" || fail "a helper inside $peer: exit code $?"
    grep -iE 'libmpi-lite|warning' "$work/err" && fail "a helper inside $peer is warned of"
done
exit 0
