# repeat.awk: Fortran that is the same for several types.
#
#   awk -v form=types|operators|sizeof [-v real10=10] -f repeat.awk
#
# types: handles as derived types.  operators: == and /= of these.  sizeof: MPI_Sizeof for all
# intrinsic types, with REAL(10) where the compiler has it.

BEGIN {
    n = split("Comm Datatype Errhandler File Group Info Message Op Request Session Win", handle)
    if (form == "types") types()
    else if (form == "operators") operators()
    else sizeof()
}

function types(    i) {
    for (i = 1; i <= n; i++) {
        print "  type, bind(C) :: MPI_" handle[i]
        print "    integer :: MPI_VAL"
        print "  end type MPI_" handle[i]
    }
    generic("==", "equal")
    generic("/=", "differ")
}

function generic(operator, suffix,    i) {
    print "  interface operator(" operator ")"
    for (i = 1; i <= n; i++) print "    module procedure " handle[i] "_" suffix
    print "  end interface operator(" operator ")"
    for (i = 1; i <= n; i++) print "  private :: " handle[i] "_" suffix
}

function operators(    i) {
    for (i = 1; i <= n; i++) {
        comparison(handle[i], "equal", "==")
        comparison(handle[i], "differ", "/=")
    }
}

function comparison(type, suffix, operator) {
    print "  elemental logical function " type "_" suffix "(a, b)"
    print "    type(MPI_" type "), intent(in) :: a, b"
    print "    " type "_" suffix " = a%MPI_VAL " operator " b%MPI_VAL"
    print "  end function " type "_" suffix
}

# The procedures' sizes are those that storage has: real(10) has 16 bytes.
function sizeof(    i, part, kinds_of) {
    kinds_of = "integer:1 integer:2 integer:4 integer:8 integer:16 real:4 real:8 real:16" \
        (real10 ? " real:10 complex:10" : "") " complex:4 complex:8 complex:16" \
        " logical:1 logical:2 logical:4 logical:8 logical:16 character:1"
    n = split(kinds_of, handle, " ")
    for (i = 1; i <= n; i++) sub(":", "_", handle[i])
    sizeof_generic("MPI_Sizeof")
    sizeof_generic("PMPI_Sizeof")
    for (i = 1; i <= n; i++) print "  private :: sizeof_" handle[i]
    print "contains"
    for (i = 1; i <= n; i++) {
        split(handle[i], part, "_")
        sizeof_of(handle[i], part[1], part[2])
    }
}

function sizeof_generic(name,    i) {
    print "  interface " name
    for (i = 1; i <= n; i++) print "    module procedure sizeof_" handle[i]
    print "  end interface " name
}

function sizeof_of(name, type, kind) {
    print "  subroutine sizeof_" name "(x, size, ierror)"
    if (type == "character") print "    character(len=*), dimension(..), intent(in) :: x"
    else print "    " type "(kind=" kind "), dimension(..), intent(in) :: x"
    print "    integer, intent(out) :: size"
    print "    integer, optional, intent(out) :: ierror"
    print "    size = " (kind == 10 ? 16 : kind) * (type == "complex" ? 2 : 1)
    print "    if (present(ierror)) ierror = 0"
    print "  end subroutine sizeof_" name
}
