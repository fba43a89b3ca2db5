# absent.awk: of mpi_missing.h, a function for each name of the ABI that the library lacks, by the
# macros of absent.c.
/^MPI_ABI_(FILE|PROCESS)\(/ {
    split($0, part, /[(, ]+/)
    if (part[3] ~ /_(c2f|f2c)$/) next           # inline in every header
    if (part[3] ~ /_(toint|fromint)$/) kind = "NUMBER"
    else kind = /^MPI_ABI_FILE/ ? "FILE" : "PROCESS"
    print "ABSENT_" kind "(" part[3] ")"
}
