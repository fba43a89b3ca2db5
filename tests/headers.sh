#!/bin/sh
# mpi.h as C and C++ programs include it: no warning from any constant or declaration under strict
# flags, by each compiler and standard that is here; what is missing or removed is an error where it
# is called, and only there, that says what to do.
set -u
: "${srcdir:=.}" "${CC:=cc}"
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
trap 'exit 1' HUP INT TERM
failed=0

fail() { echo "headers: $*"; failed=1; }

# -- warnings --------------------------------------------------------------------------------------

# Each constant, as a program uses it.
{
    echo '#include <mpi.h>'
    echo 'void use(void);'
    echo 'void use(void)'
    echo '{'
    sed -n 's/^#define \(MPIX\{0,1\}_[A-Z][A-Za-z0-9_]*\) .*/\1/p' "$srcdir/include/mpi.h" |
        grep -vE '^MPI_(H_ABI|ABI_[A-Z]+)$' | sed 's/.*/    (void)&;/'
    echo '    (void)MPI_ABI_VERSION; (void)MPI_ABI_SUBVERSION;'
    echo '}'
    cat <<'TEXT'
int call(void);
int call(void)
{
    int n = 0;
    MPI_Request request = MPI_REQUEST_NULL;
    MPI_Init(&n, MPI_ARGVS_NULL);
    MPI_Recv(&n, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Waitall(1, &request, MPI_STATUSES_IGNORE);
    MPI_Allreduce(MPI_IN_PLACE, &n, 1, MPI_INT, MPI_SUM, MPI_COMM_SELF);
    return MPI_Finalize();
}
TEXT
} >"$work/all.c"
cp "$work/all.c" "$work/all.cc"
[ "$(wc -l <"$work/all.c")" -gt 300 ] || fail "too few constants found"

# clean SOURCE COMPILER FLAGS...
clean() {
    source=$1
    shift
    "$@" -Wall -Wextra -pedantic -Werror -I"$srcdir/include" -c -o "$work/all.o" "$source" \
        2>"$work/said" && return
    fail "$* warns:"
    head -n 12 "$work/said"
}

knows() { echo 'int x;' >"$work/x.c"; "$@" -c -o "$work/x.o" "$work/x.c" 2>/dev/null; }

for cc in gcc clang; do
    command -v $cc >/dev/null || { echo "no $cc: not looked at"; continue; }
    for std in c99 c11 c2x; do
        knows $cc -std=$std && clean "$work/all.c" $cc -std=$std -Wcast-qual -Wstrict-prototypes
    done
done
strict='-Wold-style-cast -Wzero-as-null-pointer-constant'
for cxx in g++ clang++; do
    command -v $cxx >/dev/null || { echo "no $cxx: not looked at"; continue; }
    useless=
    [ $cxx = clang++ ] || useless=-Wuseless-cast
    for std in c++11 c++20; do
        # shellcheck disable=SC2086 # lists of flags
        clean "$work/all.cc" $cxx -std=$std $strict $useless
    done
done

# -- what is missing -------------------------------------------------------------------------------

# refused WORDS STATEMENT: by each compiler, with the words in the message.
refused() {
    printf '#include <mpi.h>\nint f(void);\nint f(void)\n{\n    %s\n    return 0;\n}\n' "$2" \
        >"$work/call.c"
    cp "$work/call.c" "$work/call.cc"
    for compiler in gcc clang g++ clang++; do
        command -v $compiler >/dev/null || continue
        case $compiler in *++) source=call.cc ;; *) source=call.c ;; esac
        if $compiler -O0 -I"$srcdir/include" -c -o "$work/call.o" "$work/$source" \
            2>"$work/said"; then
            fail "$compiler compiles: $2"
        elif ! grep -qF "$1" "$work/said"; then
            fail "$compiler does not say '$1' of: $2"
            head -n 5 "$work/said"
        fi
    done
}

accepted() {
    printf '#include <mpi.h>\n%s\n' "$1" >"$work/call.c"
    cp "$work/call.c" "$work/call.cc"
    for compiler in "gcc -O0" "gcc -O2" clang g++ clang++; do
        command -v "${compiler%% *}" >/dev/null || continue
        case $compiler in *++) source=call.cc ;; *) source=call.c ;; esac
        $compiler -Wall -Wextra -Werror -I"$srcdir/include" -c -o "$work/call.o" "$work/$source" \
            2>"$work/said" && continue
        fail "$compiler refuses: $1"
        head -n 5 "$work/said"
    done
}

refused 'no MPI-IO' 'MPI_File file; MPI_File_open(MPI_COMM_WORLD, "x", 0, MPI_INFO_NULL, &file);'
refused 'no MPI-IO' 'MPI_File file = MPI_FILE_NULL; PMPI_File_close(&file);'
refused 'with mpirun' 'MPI_Close_port("port");'
refused 'MPI_Get_address' 'MPI_Aint a; int x; MPI_Address(&x, &a);'
refused 'MPI_Type_create_hvector' 'MPI_Datatype t; MPI_Type_hvector(1, 1, 8, MPI_INT, &t);'
refused 'MPI_Comm_set_errhandler' 'MPI_Errhandler_set(MPI_COMM_WORLD, MPI_ERRORS_RETURN);'
refused 'MPI_Type_create_resized' 'MPI_Datatype t = MPI_UB; (void)t;'

accepted 'int f(void); int f(void) { return sizeof(MPI_File) + sizeof(MPI_Win) == 16; }'
accepted 'int MPI_File_close(MPI_File *fh) { *fh = MPI_FILE_NULL; return MPI_SUCCESS; }'
accepted 'int f(int n); int f(int n) { return n == MPI_MODE_RDONLY || n == MPI_LOCK_SHARED; }'

# As configure asks: without mpi.h, by linking.
for name in MPI_File_open MPI_Address MPI_Comm_spawn; do
    printf 'char %s();\nint main(void) { return %s(); }\n' $name $name >"$work/link.c"
    $CC -std=gnu11 -c -o "$work/link.o" "$work/link.c" 2>/dev/null ||
        fail "a question for $name does not compile"
    if [ -e .libs/libmpi_abi.so ] && $CC -o "$work/link" "$work/link.o" -L.libs -lmpi_abi \
        2>/dev/null; then
        fail "$name is in the library"
    fi
done

exit "$failed"
