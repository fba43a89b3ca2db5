# made.awk: of mpi.h, a wrapper for each function that makes an object and has none by hand.
BEGIN {
    print "/* Made of mpi.h by made.awk. */"
    print "#include \"check/caller.h\"\n#include \"check/messages.h\""
    print "#include \"check/objects.h\"\n"
    # Made of nothing that is to be freed, or wrapped elsewhere.
    split("MPI_Type_match_size MPI_Comm_get_parent MPI_Type_fromint MPI_Comm_fromint " \
          "MPI_Type_create_f90_integer MPI_Type_create_f90_real " \
          "MPI_Type_create_f90_complex " \
          "MPI_Isend MPI_Issend MPI_Irsend MPI_Ibsend MPI_Irecv MPI_Imrecv MPI_Send_init " \
          "MPI_Ssend_init MPI_Rsend_init MPI_Bsend_init MPI_Recv_init MPI_Start MPI_Wait " \
          "MPI_Test " \
          "MPI_Cancel MPI_Request_free MPI_Ibcast MPI_Iallreduce MPI_Ireduce MPI_Request_fromint", \
          list, " ")
    for (i in list) left[list[i]] = 1
}
{ text = text " " $0 }
/;/ {
    declaration(text)
    text = ""
}
/^#|^\}|\*\/[ ]*$/ { text = "" }

function declaration(t,    name, arguments, count, part, i, last, words, call, kind) {
    gsub(/[ \t]+/, " ", t)
    if (t !~ /^ ?int MPI_[A-Z][a-z_A-Z0-9]*\(.*\);/) return
    name = t; sub(/^ ?int /, "", name); sub(/\(.*/, "", name)
    base = name; sub(/_c$/, "", base)
    if (base in left) return
    arguments = t; sub(/^[^(]*\(/, "", arguments); sub(/\);.*/, "", arguments)
    if (arguments ~ /\(/) return
    count = split(arguments, part, /, ?/)
    kind = ""
    call = ""
    for (i = 1; i <= count; i++) {
        last = part[i]; gsub(/\[[^]]*\]/, "", last); sub(/^.*[ *]/, "", last)
        call = call (i > 1 ? ", " : "") last
        if (part[i] ~ /MPI_Comm ?\*newcomm/ || part[i] ~ /MPI_Comm ?\*newintercomm/) {
            kind = "COMM"; out = last }
        if (part[i] ~ /MPI_Comm ?\*(comm_cart|comm_graph|comm_dist_graph|newintracomm)/) {
            kind = "COMM"; out = last }
        if (part[i] ~ /MPI_Datatype ?\*newtype/) { kind = "TYPE"; out = last }
        if (part[i] ~ /MPI_Group ?\*(newgroup|group)/ && base !~ /_free$/) {
            kind = "GROUP"; out = last }
        if (part[i] ~ /MPI_Win ?\*win/ && base !~ /_free$/) { kind = "WIN"; out = last }
        if (part[i] ~ /MPI_Op ?\*op/ && base ~ /create/) { kind = "OP"; out = last }
        if (part[i] ~ /MPI_Request ?\*request$/ && kind == "" \
            && (base ~ /^MPI_I[a-z_]*$/ || base ~ /_init$/ || base ~ /^MPI_R(put|get|acc)/)) {
            kind = "REQUEST"; out = last }
    }
    if (kind == "") return
    printf "int %s(%s)\n{\n    int rc = P%s(%s);\n", name, arguments, name, call
    if (base ~ /^MPI_Isendrecv/) print "    check_log_ends(comm);"
    printf "    if (!rc)\n        check_made(CHECK_%s, (uintptr_t)*%s, \"%s\", CHECK_CALLER);\n", \
        kind, out, base
    print "    return rc;\n}"
}
