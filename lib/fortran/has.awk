# has.awk: which functions mpi.h has, as macros, from the description (table.awk).
function before() { print "/* Made by has.awk from mpi.h. */" }
function constant() { }
function procedure() { print "#define MPIF_HAS_" name " 1" }
function after() { }
