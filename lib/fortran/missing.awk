# From include/mpi_missing.h what the linker says of a call of what the library lacks, by MISSING of
# missing.c.
/^MPI_ABI_(FILE|PROCESS)\(/ {
    split($0, part, /[(, ]+/)
    print "MISSING(" (/^MPI_ABI_FILE/ ? "NO_FILES" : "NO_PROCESSES") ", " tolower(part[3]) ")"
}
