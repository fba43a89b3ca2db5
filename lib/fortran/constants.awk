# constants.awk: constants and addresses that are none, from the description (table.awk).
#
#   awk -v form=mpif|base|handles|f08 -f read.awk -f constants.awk TABLE
#
# mpif: mpif.h, which is right in fixed and in free form.  base: what the modules mpi and mpi_f08
# share.  handles and f08: handles as mpi has them, and as mpi_f08 has them.

function before() {
    if (form == "mpif") {
        print "!     Made from mpi.h: constants of MPI, in fixed or free form."
    }
    if (form == "f08" || form == "handles") return
    parameter_is("integer", "MPI_INTEGER_KIND", 4)
    parameter_is("integer", "MPI_ADDRESS_KIND", 8)
    parameter_is("integer", "MPI_OFFSET_KIND", 8)
    parameter_is("integer", "MPI_COUNT_KIND", 8)
    parameter_is("integer", "MPI_STATUS_SIZE", 8)
    parameter_is("integer", "MPI_SOURCE", 1)
    parameter_is("integer", "MPI_TAG", 2)
    parameter_is("integer", "MPI_ERROR", 3)
    if (form == "mpif") {
        print "!     Default integers have 4 bytes (no -fdefault-integer-8), or"
        print "!     the second line from here does not compile."
        parameter_is("integer", "MPI_DEFAULT_INTEGER_HAS_4_BYTES", "4/(8-kind(0))")
        parameter_is("logical", "MPI_SUBARRAYS_SUPPORTED", ".false.")
        parameter_is("logical", "MPI_ASYNC_PROTECTS_NONBLOCKING", ".false.")
    }
}

function parameter_is(type, name, value) {
    if (form == "mpif") {
        print "      " type " " name
        print "      parameter (" name "=" value ")"
    } else print "  " type ", parameter :: " name " = " value
}

function constant() {
    if (is_handle(kind)) {
        if (form == "f08")
            print "  type(MPI_" kind "), parameter :: " name " = MPI_" kind "(" value ")"
        else if (form != "base") parameter_is("integer", name, value)
    } else if (form == "mpif" || form == "base")
        parameter_is(kind == "offset" ? "integer(kind=8)" : "integer", name, value)
}

function procedure(    p, type) {
    if (form != "mpif" || result == "int") return
    type = result == "double" ? "real(kind=8)" : "integer(kind=8)"
    for (p = 0; p < 2; p++) {
        print "      " type " " (p ? "P" : "") "MPI_" toupper(name)
        print "      external " (p ? "P" : "") "MPI_" toupper(name)
    }
}

# Each in a common block of its own, which the library knows by its address.
function block(name, common, shape, type) {
    if (type == "") type = "integer"
    if (form == "mpif") {
        print "      " type " " name shape
        print "      common /MPILITE_" common "/ " name
    } else {
        print "  " type " :: " name shape
        print "  common /mpilite_" tolower(common) "/ " name
    }
}

function after(    i) {
    if (form == "f08") {
        block("MPI_STATUS_IGNORE", "STATUS_IGNORE", "", "type(MPI_Status)")
        block("MPI_STATUSES_IGNORE", "STATUSES_IGNORE", "(1)", "type(MPI_Status)")
    } else if (form != "base") {
        block("MPI_STATUS_IGNORE", "STATUS_IGNORE", "(8)")
        block("MPI_STATUSES_IGNORE", "STATUSES_IGNORE", "(8,1)")
    }
    if (form == "base" || form == "mpif") {
        block("MPI_BOTTOM", "BOTTOM", "")
        block("MPI_IN_PLACE", "IN_PLACE", "")
        block("MPI_BUFFER_AUTOMATIC", "BUFFER_AUTOMATIC", "")
        block("MPI_UNWEIGHTED", "UNWEIGHTED", "(1)")
        block("MPI_WEIGHTS_EMPTY", "WEIGHTS_EMPTY", "(1)")
        block("MPI_ERRCODES_IGNORE", "ERRCODES_IGNORE", "(1)")
        block("MPI_ARGV_NULL", "ARGV_NULL", "(1)", "character(len=1)")
        block("MPI_ARGVS_NULL", "ARGVS_NULL", "(1,1)", "character(len=1)")
    }
    if (form != "mpif") return
    n = split("NULL_COPY_FN DUP_FN NULL_DELETE_FN" \
              " COMM_NULL_COPY_FN COMM_DUP_FN COMM_NULL_DELETE_FN" \
              " TYPE_NULL_COPY_FN TYPE_DUP_FN TYPE_NULL_DELETE_FN" \
              " WIN_NULL_COPY_FN WIN_DUP_FN WIN_NULL_DELETE_FN", given, " ")
    for (i = 1; i <= n; i++) print "      external MPI_" given[i]
}
