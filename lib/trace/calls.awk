# calls.awk: of mpi.h, the calls that are recorded (-v names=1: a list of them), and wrappers for
# those that have none by hand.
BEGIN {
    # What only asks, or works on objects of this rank.
    quiet = "^MPI_(Query|Is_|Initialized|Finalized|Get_[a-z]*_|Get_(version|count|elements|" \
            "address|processor)|Abi_|Info_|Status_|Keyval|Attr|Error_|Add_|Remove_|T_|Type_|" \
            "Group_|Op_|Comm_(size|rank|compare|group|test_inter|remote|set|get|create_key|" \
            "free_key|create_err|call|delete|toint)|Win_(get|set|to|call|create_(key|err)|" \
            "delete|free_key|shared_q|sync|attach|detach)|Cart_(map|get|rank|coords|shift)|" \
            "Cartdim|Graphdims|Graph_(map|get|nei)|Dist_graph_nei|Topo|Dims|Pack|Unpack|" \
            "Session_|Test_cancelled|Pcontrol|Errhandler|Grequest|Reduce_local|Message_|" \
            "Request_(toint|get)|Abort|Alloc|Free|Buffer|Comm_(attach|detach|flush|iflush)|" \
            ".*_toint|.*_init$|P)"
    loud = "^MPI_(Get|Get_accumulate|Fetch_and_op|Probe|Put|Session_(init|finalize))$"
    by_hand = "^MPI_(I?[sbr]?send|I?Send|Ssend|Rsend|Bsend|Isend|Issend|Irsend|Ibsend|Recv|Irecv|" \
              "Sendrecv|Sendrecv_replace|Isendrecv|Isendrecv_replace|Start|Startall|Mprobe|" \
              "Improbe|Probe|Iprobe|Mrecv|Imrecv|Wait|Waitall|Waitany|Waitsome|Test|Testall|" \
              "Testany|Testsome|Request_free|Cancel|Init|Init_thread|Finalize|Session_init|" \
              "Session_finalize)$"
    together = "^MPI_I?(barrier|bcast|gather|gatherv|scatter|scatterv|allgather|allgatherv|" \
               "alltoall|alltoallv|alltoallw|reduce|allreduce|reduce_scatter|" \
               "reduce_scatter_block|scan|exscan|neighbor_[a-z]*|comm_[a-z_]*|cart_[a-z]*|" \
               "graph_[a-z]*|dist_graph_[a-z_]*|win_create|win_create_dynamic|win_allocate|" \
               "win_allocate_shared)$"
    if (names) print "/* Made of mpi.h by calls.awk: the calls that are recorded. */\n" \
                     "#ifndef TRACE_CALLS_H\n#define TRACE_CALLS_H\n\n" \
                     "#include \"trace/shmem_calls.h\"\n\n#define TRACE_MPI_CALLS(X) \\"
    else print "/* Made of mpi.h by calls.awk. */\n#include \"trace/call.h\"\n"
}
{ text = text " " $0 }
/;/ {
    declaration(text)
    text = ""
}
/^#|^\}|\*\/[ ]*$/ { text = "" }
END {
    if (!names) exit
    print "\n\n#define TRACE_CALLS(X) TRACE_MPI_CALLS(X) TRACE_SHMEM_CALLS(X)"
    print "#define TRACE_CALL_ENUM(name) TRACE_##name,"
    print "enum trace_call { TRACE_CALLS(TRACE_CALL_ENUM) TRACE_CALL_COUNT };\n\n#endif"
}

function has(name) { return (name in type_of) }

function declaration(t,    name, arguments, count, part, i, last, type, call) {
    gsub(/[ \t]+/, " ", t)
    if (t !~ /^ ?int MPI_[A-Z][a-z_A-Z0-9]*\(.*\);/) return
    name = t; sub(/^ ?int /, "", name); sub(/\(.*/, "", name)
    base = name; sub(/_c$/, "", base)
    if (base ~ quiet && base !~ loud) return
    arguments = t; sub(/^[^(]*\(/, "", arguments); sub(/\);.*/, "", arguments)
    if (names) {
        if (name == base) printf "%s    X(%s)", (some++ ? " \\\n" : ""), base
        return
    }
    if (base ~ by_hand || arguments ~ /\(/) return
    split("", type_of)
    count = arguments == "void" ? 0 : split(arguments, part, /, ?/)
    call = ""
    for (i = 1; i <= count; i++) {
        last = part[i]; gsub(/\[[^]]*\]/, "", last); sub(/^.*[ *]/, "", last)
        call = call (i > 1 ? ", " : "") last
        type = part[i]; sub(/ ?[a-z_A-Z0-9]*(\[[^]]*\])?$/, "", type)
        if (part[i] ~ /\[/) type = type "[]"
        type_of[last] = type
    }
    printf "int %s(%s)\n{\n    uint64_t begin = trace_now();\n", name, arguments
    freed = base ~ /^MPI_Comm_(free|disconnect)$/ ? "comm" : base == "MPI_Win_free" ? "win" : ""
    if (freed != "")
        printf "    MPI_Comm freed = %s ? (MPI_Comm)*%s : MPI_COMM_NULL;\n", freed, freed
    printf "    int rc = P%s(%s);\n", name, call
    tell()
    if (freed != "")
        print "    if (!rc && trace_wanted()) {\n        trace_comm_freed(freed);\n" \
              "        trace_over();\n    }"
    print "    return rc;\n}"
}

# Two arguments: a number of elements and their type, of what is significant.
function pair(    own) {
    if (type_of["count"] ~ /^(int|MPI_Count)$/ && has("datatype"))
        return "count, datatype"
    if (base ~ /[Ss]catter/ && type_of["recvcount"] ~ /^(int|MPI_Count)$/ && has("recvtype"))
        return "recvbuf == MPI_IN_PLACE ? 0 : recvcount, recvtype"
    if (type_of["sendcount"] ~ /^(int|MPI_Count)$/ && has("sendtype"))
        return "sendbuf == MPI_IN_PLACE ? 0 : sendcount, sendtype"
    if (type_of["origin_count"] ~ /^(int|MPI_Count)$/)
        return "origin_count, origin_datatype"
    if (has("target_rank") && has("datatype"))      # one element: MPI_Fetch_and_op
        return "1, datatype"
    return "0, MPI_DATATYPE_NULL"
}

function tell(    lower, root) {
    lower = tolower(substr(base, 5))
    root = has("root") ? "root" : "-1"
    if (has("comm") && type_of["comm"] == "MPI_Comm" && ("MPI_" lower ~ tolower(together) \
        || tolower(base) ~ tolower(together)))
        printf "    trace_together(TRACE_%s, begin, rc, comm, %s, %s);\n", base, root, pair()
    else if (has("win") && type_of["win"] == "MPI_Win" && has("target_rank"))
        printf "    trace_one_sided(TRACE_%s, begin, rc, win, target_rank, %s);\n", base, pair()
    else
        printf "    trace_plain(TRACE_%s, begin);\n", base
    made()
}

# A communicator or a window that it has made.
function made(    out, parent, tag) {
    out = has("newcomm") ? "newcomm" : has("comm_cart") ? "comm_cart" : has("comm_graph") \
          ? "comm_graph" : has("comm_dist_graph") ? "comm_dist_graph" : has("newintercomm") \
          ? "newintercomm" : has("newintracomm") ? "newintracomm" : ""
    if (base ~ /_sub$/ && out == "") out = "newcomm"
    parent = has("comm") ? "comm" : has("comm_old") ? "comm_old" : has("intercomm") \
             ? "intercomm" : "MPI_COMM_NULL"
    if (base ~ /create_group|_from_group/ || out == "newintercomm") parent = "MPI_COMM_NULL"
    tag = type_of["tag"] == "int" ? "tag" : "0"
    if (out != "" && has(out)) {
        print "    if (!rc && trace_wanted()) {"
        if (base ~ /idup/) printf "        trace_comm_copied(%s, *%s);\n", parent, out
        else printf "        trace_comm_made(%s, *%s, %s);\n", parent, out, tag
        print "        trace_over();\n    }"
    }
    if (has("win") && type_of["win"] ~ /\*$/ && parent == "comm")
        print "    if (!rc && trace_wanted()) {\n        trace_win_made(*win, comm);\n" \
              "        trace_over();\n    }"
}
