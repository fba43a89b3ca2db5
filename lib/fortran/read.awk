# read.awk: reads what table.awk prints, for the scripts that make something of it.  They define
# constant() and procedure(), which find here:
#
#   name kind value                                   of a constant
#   name result notes tell_before tell_after          of a function, and of its arguments 1..count
#   fortran[] c[] kinds[] intent[] shape[] size[] remark[]
#
# before() and after() are called around all.

BEGIN { FS = "\t"; before() }

$1 == "C" { name = $2; kind = $3; value = $4; constant(); next }

$1 == "F" {
    if (reading) finish()
    reading = 1
    name = $2; result = $3; notes = $4; tell_before = $5; tell_after = $6; count = 0
    next
}

$1 == "A" {
    count++
    fortran[count] = $2; c[count] = $3; kinds[count] = $4; intent[count] = $5
    shape[count] = $6; size[count] = $7; remark[count] = $8
}

END {
    if (reading) finish()
    after()
}

# What follows from an argument list.
function finish(    i) {
    large = name ~ /_c$/
    special = notes ~ /special/
    silent = notes ~ /silent/ || result != "int"
    choices = logicals = forgotten = pointers = starts = 0
    for (i = 1; i <= count; i++) {
        if (kinds[i] == "choice") choices++
        if (kinds[i] == "logical") logicals++
        if (remark[i] ~ /forgotten/) forgotten++
        if (remark[i] ~ /pointer/) pointers++
        if (kinds[i] == "Request" && intent[i] == "out") starts = i
    }
    # Do choice buffers of mpi_f08 come as descriptors of arrays?  gfortran needs bind(C) for these,
    # where no standard allows a default LOGICAL: with -std=f2018 and its like the whole module
    # could not be used.  Beside one the buffers come by their address, as in the module mpi.
    descriptors = choices && !logicals
    procedure()
}

function is_handle(kind) {
    return kind ~ /^(Comm|Group|Datatype|Op|Request|Message|Info|Errhandler|Session|Win|File)$/
}

# As in MPI_Type_fromint.
function converter(kind) { return kind == "Datatype" ? "Type" : kind }
