# made.awk: of mpi.h, a wrapper for each function; those that check more than the caller call
# check_X, which is written by hand.  -v prototypes=1: declares these.
BEGIN {
    print "/* Made of mpi.h by made.awk. */"
    print "#include <mpi.h>\n"
    if (!prototypes) {
        print "#include \"check/by_hand.h\"\n#include \"check/collectives.h\""
        print "#include \"check/comms.h\""
        print "#include \"check/enter.h\"\n#include \"check/messages.h\""
        print "#include \"check/objects.h\"\n#include \"check/shadowed.h\"" \
            "\n#include \"check/windows.h\"\n#include \"mpi/door.h\"\n"
    }
    known("Send Ssend Rsend Bsend Recv Sendrecv Sendrecv_replace " \
          "Isend Issend Irsend Ibsend Irecv Isendrecv Isendrecv_replace " \
          "Send_init Ssend_init Rsend_init Bsend_init Recv_init Mprobe Improbe Imrecv Iprobe " \
          "Wait Test Waitall Testall Waitany Testany Waitsome Testsome Request_free Cancel Start " \
          "Startall Request_get_status Request_get_status_all Request_get_status_any " \
          "Request_get_status_some Parrived Init Init_thread Session_init Finalize " \
          "Comm_free Comm_disconnect Type_free Group_free Win_free Op_free " \
          "Put Get Accumulate Get_accumulate Fetch_and_op Compare_and_swap Rput Raccumulate " \
          "Win_fence Win_complete Win_unlock Win_unlock_all Win_flush Win_flush_all " \
          "Win_flush_local Win_flush_local_all", by_hand)
    compared("Bcast Reduce Allreduce Scan Exscan Reduce_scatter_block Reduce_scatter Gather " \
             "Scatter Allgather Alltoall Gatherv Scatterv Allgatherv")
    # Of no interest, or made of nothing that is to be freed.
    known("Pcontrol Type_match_size Comm_get_parent Type_create_f90_integer Type_create_f90_real " \
          "Type_create_f90_complex", no_object)
    split("datatype type count count sendbuf send sendcount sends sendtype send_type " \
          "recvbuf recv recvcount receives recvtype recv_type", pairs, " ")
    for (pair = 1; pair in pairs; pair += 2) field[pairs[pair]] = pairs[pair + 1]
    # Any thread may call these, at any time.
    known("Initialized Finalized Query_thread Is_thread_main Get_version Get_library_version " \
          "Init Init_thread Abort Errhandler_free Add_error_class Add_error_code " \
          "Add_error_string Remove_error_class Remove_error_code Remove_error_string", anybody)
}
{ text = text " " $0 }
/;/ {
    declaration(text)
    text = ""
}
/^#|^\}|\*\/[ ]*$/ { text = "" }
END {
    if (!prototypes) print "\nconst char *const check_watched[] = {\n" watched "    0\n};"
}

function known(names, table,    list, i) {
    split(names, list, " ")
    for (i in list) table["MPI_" list[i]] = 1
}

# Collectives whose arguments are compared, in each of their forms.
function compared(names,    list, i) {
    split(names, list, " ")
    for (i in list) {
        form["MPI_" list[i]] = list[i] ", CHECK_BLOCKING"
        form["MPI_I" tolower(list[i])] = list[i] ", CHECK_STARTED"
        form["MPI_" list[i] "_init"] = list[i] ", CHECK_PERSISTENT"
    }
}

# What of it a call has, as a struct check_called.
function called(part, count,    i, name, text, root, op) {
    root = "-1"; op = "MPI_OP_NULL"; text = ""
    for (i = 1; i <= count; i++) {
        name = name_of(part[i])
        if (name == "root") root = name
        if (name == "op") op = name
        if (name in field) text = text ",\n            ." field[name] " = " name
        if (name ~ /^(send|recv)counts$/)
            text = text ",\n            ." (name ~ /^send/ ? "send" : "receive") \
                   "_counts = CHECK_COUNTS(" name ")"
        if (name == "recvcount" && base ~ /educe/) text = text ",\n            .count = " name
    }
    return ".comm = comm, .root = " root ", .op = " op text
}

# What is made, of the arguments: KIND in `kind`, its name in `out`.
function find_object(base, part, count,    i, last) {
    kind = ""
    for (i = 1; i <= count; i++) {
        last = name_of(part[i])
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
    if (base in no_object || base in by_hand) kind = ""
}

function name_of(argument) {
    gsub(/\[[^]]*\]/, "", argument); sub(/^.*[ *]/, "", argument)
    return argument == "void" ? "" : argument
}

function declaration(t,    name, arguments, count, part, i, call, hand) {
    gsub(/[ \t]+/, " ", t)
    if (t !~ /^ ?int MPI_[A-Z][a-z_A-Z0-9]*\(.*\);/) return
    name = t; sub(/^ ?int /, "", name); sub(/\(.*/, "", name)
    if (name ~ /^MPI_T_/ || name ~ /_(toint|fromint|f2c|c2f|c2f08|f082c|f2f08|f082f)$/) return
    arguments = t; sub(/^[^(]*\(/, "", arguments); sub(/\);.*/, "", arguments)
    if (arguments ~ /\(|\.\.\./) return
    base = name; sub(/_c$/, "", base)
    count = split(arguments, part, /, ?/)
    call = ""
    for (i = 1; i <= count; i++) call = call (i > 1 ? ", " : "") name_of(part[i])
    hand = "check" substr(name, 4)
    if (prototypes) {
        if (base in by_hand) printf "int %s(%s);\n", hand, arguments
        return
    }
    find_object(base, part, count)
    if (base in by_hand || base in form || kind != "") watched = watched "    \"" name "\",\n"
    printf "int %s(%s)\n{\n    struct check_call call_;\n", name, arguments
    printf "    if (__builtin_expect(check_is_aside, 0))\n        return P%s(%s);\n", name, call
    free = base in anybody || base ~ /^MPI_(Abi|Info|Error|Session|Status)_/
    printf "    check_enter(&call_, \"%s\", __builtin_return_address(0), %s);\n", base, \
        free ? "true" : "false"
    if (kind == "COMM" || kind == "WIN") print "    mpi_door.made_at(check_caller());"
    if (base in form) print "    struct check_log *log_ = check_collective_begins(comm);"
    printf "    int rc_ = %s(%s);\n", base in by_hand ? hand : "P" name, call
    if (kind == "COMM" || kind == "WIN") print "    mpi_door.made_at(NULL);"
    if (kind != "")
        printf "    if (!rc_)\n        check_made(CHECK_%s, (uintptr_t)*%s, \"%s\", " \
            "check_caller());\n", kind, out, base
    if (base in form)
        printf "    if (!rc_)\n        check_collective(log_, CHECK_%s, &(struct check_called){\n" \
            "            %s });\n", form[base], called(part, count)
    if (kind == "COMM" && base !~ /idup/)
        printf "    if (!rc_)\n        check_comm_made(*%s);\n", out
    if (kind == "WIN") printf "    if (!rc_)\n        check_window_made(*%s, comm);\n", out
    print "    check_leave(&call_);\n    return rc_;\n}"
}
