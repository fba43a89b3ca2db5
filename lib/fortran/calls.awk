# calls.awk: the C functions behind Fortran's names, from the description (table.awk).
#
#   awk -f read.awk -f calls.awk TABLE
#
# Prints text that is compiled twice: F(send) is mpi_send_ and calls MPI_Send, or pmpi_send_ and
# calls PMPI_Send (names.h).  A function with choice buffers is there a second time, with
# descriptors of arrays, for mpi_f08, if mpi_f08 has them (read.awk).

function before() {
    print "/* Made by calls.awk from mpi.h and annotations. */"
    null["Comm"] = "COMM"; null["Group"] = "GROUP"; null["Datatype"] = "DATATYPE"
    null["Op"] = "OP"; null["Request"] = "REQUEST"; null["Message"] = "MESSAGE"
    null["Info"] = "INFO"; null["Errhandler"] = "ERRHANDLER"; null["Session"] = "SESSION"
    null["Win"] = "WIN"; null["File"] = "FILE"
    c_type["integer"] = c_type["logical"] = c_type["index"] = c_type["weights"] = "int"
    c_type["default"] = "int"
    c_type["aint"] = c_type["address"] = "MPI_Aint"
    c_type["count"] = "MPI_Count"; c_type["offset"] = "MPI_Offset"
    c_type["status"] = "MPI_Status"; c_type["string"] = "char"; c_type["choice"] = "void"
}
function constant() { }
function after() { }

function procedure() {
    if (special) return
    if (result != "int") { value_function(); return }
    if (!large || !descriptors && !forgotten) write_call(0)
    if (descriptors || forgotten) write_call(1)
}

# MPI_Wtime and its like: a value, nothing to convert.
function value_function(    i, list, values) {
    for (i = 1; i <= count; i++) {
        list = list (i > 1 ? ", " : "") "const " c_type[kinds[i]] " *" c[i]
        values = values (i > 1 ? ", " : "") "*" c[i]
    }
    if (list == "") list = "void"
    print (result == "aint" ? "MPI_Aint" : result) " F(" tolower(name) ")(" list ")"
    print "{"
    print "    return C(" name ")(" values ");"
    print "}"
}

function add(text) { return text "\n" }

# The C declaration of argument i.
function parameter(i, f08,    k, type) {
    k = kinds[i]
    if ((k == "choice" || k == "string") && f08 && descriptors) return "CFI_cdesc_t *" c[i]
    type = is_handle(k) ? "int" : c_type[k]
    if (type == "") { printf "calls.awk: MPI_%s: kind %s\n", name, k >"/dev/stderr"; exit 1 }
    if (intent[i] == "in" && k != "weights" && shape[i] != "ranges") type = "const " type
    return type " *" c[i]
}

# lists[]: pre, post and values, filled argument by argument.
function convert(i, f08,    x, k, t, typed_count, typed_type) {
    x = c[i]; k = kinds[i]
    if (k == "absent") { pass(intent[i]); return }
    if (is_handle(k)) { convert_handle(i, x, k); return }
    if (k == "choice") {
        if (f08 && descriptors) convert_section(i, x)
        else {
            pre = pre add("    void *" x "_c = mpif_buffer(" x ");")
            pass(x "_c")
        }
    } else if (k == "string") convert_string(i, x, f08 && descriptors)
    else if (k == "logical") convert_logical(i, x)
    else if (k == "index") convert_index(i, x)
    else if (k == "weights") pass("mpif_weights(" x ")")
    else if (k == "status") pass(intent[i] == "in" ? x : "mpif_status(" x ")")
    else if (k == "address") {
        if (remark[i] ~ /forgotten/ && !f08) {
            pre = pre add("    void *" x "_c = NULL;")
            pass("&" x "_c")
            post = post add("    (void)" x ";")
        } else pass(x)
    } else if (shape[i] == "ranges") pass("(int (*)[3])" x)
    else if (shape[i] == "array" || intent[i] != "in") pass(x)
    else if (typed_by[i]) pass("(" c_type[k] ")" typed_by[i] "_v.count")
    else pass("*" x)
}

function pass(value) { values = values (values == "" ? "" : ", ") value }

function convert_handle(i, x, k,    from) {
    from = "PMPI_" converter(k) "_fromint(*" x ")"
    if (shape[i] != "scalar") { convert_handles(i, x, k); return }
    if (intent[i] == "in") {
        pre = pre add("    MPI_" k " " x "_c = " from ";")
        pass(typed_by[i] ? typed_by[i] "_v.type" : (remark[i] ~ /placed/ ? "&" : "") x "_c")
        return
    }
    if (intent[i] == "out") from = "MPI_" null[k] "_NULL"
    pre = pre add("    MPI_" k " " x "_c = " from ";")
    pass("&" x "_c")
    post = post add("    *" x " = PMPI_" converter(k) "_toint(" x "_c);")
}

function convert_handles(i, x, k,    n, few, later) {
    n = x "_n"
    # What was started may read its types until it ends: these are not on the stack.
    later = starts && intent[i] == "in"
    few = later ? "NULL" : x "_few"
    arrays = arrays add("    MPI_Count " n " = " size[i] ";")
    if (!later) arrays = arrays add("    MPI_" k " " few "[MPIF_FEW];")
    arrays = arrays add("    MPI_" k " *" x "_c = mpif_" k "_array(" \
                        (intent[i] == "out" ? "NULL" : x) ", " n ", " few ");")
    if (later) keep = keep add("    mpif_later_free(*" c[starts] ", " persistent ", " x "_c);")
    else freeing = freeing add("    mpif_free(" x "_c, " few ");")
    checks = checks (checks == "" ? "" : " && ") x "_c"
    if (intent[i] != "in")
        post = post add("    mpif_" k "_" (intent[i] == "out" ? "given" : "back") \
                        "(" x ", " n ", " x "_c);")
    pass(x "_c")
}

function convert_string(i, x, descriptor,    address, length_) {
    address = descriptor ? x "->base_addr" : x
    length_ = descriptor ? x "->elem_len" : x "_len"
    if (intent[i] == "in") {
        pre = pre add("    struct mpif_text " x "_t;")
        pre = pre add("    const char *" x "_c = mpif_text(&" x "_t, " address ", " length_ ", " \
                      (remark[i] ~ /stripped/ ? "true" : "false") ");")
        checks = checks (checks == "" ? "" : " && ") x "_c"
        freeing = freeing add("    mpif_text_free(&" x "_t);")
    } else {
        pre = pre add("    char " x "_c[" size[i] "] = \"\";")
        post = post add("    if (code_ == MPI_SUCCESS)") \
            add("        mpif_pad(" x ", " x "_len, " x "_c);")
    }
    pass(x "_c")
    if (!descriptor) hidden = hidden ", size_t " x "_len"
}

function convert_logical(i, x) {
    if (shape[i] != "scalar") {
        pass(x)
        if (intent[i] != "in")
            post = post add("    if (code_ == MPI_SUCCESS)") \
                add("        mpif_logicals(" x ", " size[i] ");")
    } else if (intent[i] == "in") pass("*" x " != 0")
    else {
        pre = pre add("    int " x "_c = 0;")
        pass("&" x "_c")
        post = post add("    *" x " = " x "_c != 0;")
    }
}

function convert_index(i, x) {
    if (shape[i] == "scalar") {
        pre = pre add("    int " x "_c = MPI_UNDEFINED;")
        pass("&" x "_c")
        post = post add("    *" x " = mpif_index(" x "_c);")
    } else {
        pre = pre add("    " size[i] " = MPI_UNDEFINED;")
        pass(x)
        post = post add("    mpif_indices(" x ", " size[i] ");")
    }
}

# A choice buffer of mpi_f08.
function convert_section(i, x,    direction) {
    if (remark[i] ~ /plain/) {
        views = views add("    void *" x "_c = mpif_address(" x ");")
        pass(x "_c")
        return
    }
    direction = intent[i] == "in" ? "MPIF_READ" : "MPIF_WRITTEN"
    pre = pre add("    struct mpif_view " x "_v;")
    if (remark[i] ~ /typed/)
        views = views add("    mpif_view_typed(&" x "_v, " x ", " direction ", *" c[i + 1] \
                          ", " c[i + 2] "_c);")
    else
        views = views add("    mpif_view(&" x "_v, " x ", " direction ");")
    views = views add("    void *" x "_c = " x "_v.address;")
    checks = checks (checks == "" ? "" : " && ") x "_v.ready"
    pass(x "_c")
    ending = ending add("    mpif_view_end(&" x "_v, " \
                        (starts ? "*" c[starts] ", " persistent : "MPIF_NO_REQUEST, false") ");")
}

function write_call(f08,    i, list, head) {
    pre = arrays = views = post = values = hidden = checks = freeing = keep = ending = ""
    split("", typed_by)
    persistent = name ~ /_init(_c)?$/ ? "true" : "false"
    for (i = 1; i <= count; i++) {
        if (f08 && remark[i] ~ /typed/) typed_by[i + 1] = typed_by[i + 2] = c[i]
        if (kinds[i] != "absent") list = list (list == "" ? "" : ", ") parameter(i, f08)
    }
    for (i = 1; i <= count; i++) convert(i, f08)
    if (!silent) list = list (list == "" ? "" : ", ") "int *ierror"
    head = tolower(name) (f08 ? descriptors ? "_f08ts" : "_f08" : "")
    print "\nvoid F(" head ")(" list hidden ")"
    print "{"
    printf "%s%s%s", pre, views, arrays
    if (tell_before != "-") print "    if (mpif_any_kept())\n        " tell_before ";"
    if (checks != "") {
        print "    int code_ = MPI_ERR_NO_MEM;"
        print "    if (" checks ")"
        print "        code_ = C(" name ")(" values ");"
        print "    else"
        print "        code_ = mpif_no_memory();"
    } else print "    int code_ = C(" name ")(" values ");"
    if (tell_after != "-") print "    if (mpif_any_kept()) {\n        " tell_after ";\n    }"
    printf "%s", post
    if (starts) print "    if (mpif_any_kept())\n        mpif_later_new(*" c[starts] ");"
    printf "%s%s%s", keep, ending, freeing
    print silent ? "    (void)code_;" : "    mpif_error(ierror, code_);"
    print "}"
}
