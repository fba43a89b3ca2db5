# interfaces.awk: explicit interfaces of all functions, from the description (table.awk).
#
#   awk -v form=mpi|f08 -f read.awk -f interfaces.awk TABLE
#
# mpi: for the module mpi, where a pointer that comes back is an integer or, under the same generic
# name, a TYPE(C_PTR).  f08: for mpi_f08, where a function and its large-count variant are one
# generic name if their arguments tell them apart.  Of each also the one that begins with PMPI_.

function before() {
    kind_of["integer"] = kind_of["index"] = kind_of["weights"] = kind_of["default"] = "integer"
    kind_of["logical"] = "logical"
    kind_of["aint"] = kind_of["count"] = kind_of["offset"] = kind_of["address"] = "integer(kind=8)"
}
function constant() { }

function f08() { return form == "f08" }

# All are kept: a function and its _c are written together.
function procedure(    p, text, signature) {
    if (large && !f08()) return
    order[++functions] = name
    for (p = 0; p < 2; p++) body[name, p] = interface_body(p ? "PMPI_" : "MPI_", "")
    signature_of[name] = signature_text()
    if (!pointers || f08()) return
    for (p = 0; p < 2; p++) body[name "_cptr", p] = interface_body(p ? "PMPI_" : "MPI_", "_cptr")
}

# What tells specific procedures of one name apart.
function signature_text(    i, k, text) {
    for (i = 1; i <= count; i++) {
        k = kinds[i]
        if (k == "absent" || k == "choice") continue
        text = text (k in kind_of ? kind_of[k] : substr(k, 1, 9)) " " (shape[i] == "scalar") ";"
    }
    return text
}

function type_name(k) { return "type(MPI_" k ")" }

function declare(i, suffix,    k, attributes, type, x) {
    k = kinds[i]
    x = fortran[i] (shape[i] == "array" ? "(*)" : shape[i] == "ranges" ? "(3, *)" : "")
    if (k ~ /^procedure/) {
        used["procedure"]
        return "      " (f08() ? "procedure(MPI_" substr(k, 11) ")" : "external") " :: " fortran[i]
    }
    if (k == "choice") return declare_choice(i)
    attributes = ", intent(" intent[i] ")"
    if (shape[i] != "scalar" && intent[i] != "in") attributes = ", intent(inout)"
    if (starts && shape[i] != "scalar" && f08()) attributes = attributes ", asynchronous"
    if (is_handle(k)) type = f08() ? type_name(k) : "integer"
    else if (k == "status") type = f08() ? type_name("Status") : "integer"
    else if (k == "string") type = "character(len=*)"
    else type = kind_of[k]
    if (f08() && remark[i] ~ /pointer|forgotten/) type = "type(C_PTR)"
    else if (suffix == "_cptr" && remark[i] ~ /pointer/) type = "type(C_PTR)"
    else if (remark[i] ~ /forgotten/) return declare_choice(i)
    if (type == "") { printf "interfaces.awk: MPI_%s: kind %s\n", name, k >"/dev/stderr"; exit 1 }
    if (k == "status") {
        if (!f08()) x = fortran[i] (shape[i] == "array" ? "(8, *)" : "(8)")
        if (intent[i] != "in") attributes = ""
    }
    return "      " type attributes " :: " x
}

# A buffer that MPI may look at after the call.  gfortran takes it for granted that the address of
# an argument is forgotten when the procedure returns, also of an asynchronous one, unless it is a
# target: without that it may leave out what is stored before MPI_Start or read before MPI_Wait.
function declare_choice(i,    attributes) {
    if (starts || remark[i] ~ /plain/) attributes = ", asynchronous, target"
    if (f08() && descriptors)
        return "      type(*), dimension(..)" (intent[i] == "in" ? ", intent(in)" : "") \
            attributes " :: " fortran[i]
    return "      !GCC$ ATTRIBUTES NO_ARG_CHECK :: " fortran[i] "\n" \
        "      type(*), dimension(*)" attributes " :: " fortran[i]
}

function interface_body(prefix, suffix,    i, list, text, own, head, called) {
    for (i = 1; i <= count; i++) {
        if (kinds[i] == "absent") continue
        list = list (list == "" ? "" : ", &\n        ") fortran[i]
        text = text declare(i, suffix) "\n"
    }
    if (!silent) {
        list = list (list == "" ? "" : ", &\n        ") "ierror"
        text = text "      integer, " (f08() ? "optional, " : "") "intent(out) :: ierror\n"
    }
    called = prefix name suffix
    if (f08() && descriptors) called = called "_f08ts"
    else if (f08() && forgotten) called = called "_f08"
    head = result == "int" ? "subroutine" : "function"
    own = result == "double" ? "real(kind=8) " : result == "aint" ? "integer(kind=8) " : ""
    plain_name[name suffix] = called == prefix name suffix
    own = "    " own head " " called "(" list ")"
    if (f08() && descriptors) own = own " &\n        bind(C, name=\"" tolower(called) "_\")"
    return own "\n" (f08() || suffix != "" ? "      import\n" : "") "      implicit none\n" text \
        "    end " head " " called "\n"
}

function after(    i, p) {
    for (i = 1; i <= functions; i++)
        for (p = 0; p < 2; p++) write(order[i], p ? "PMPI_" : "MPI_", p)
}

# A name is generic only where it has to be.  To a specific one Fortran lets a program pass an
# element, requests(1) or statuses(1, 1), for the array that begins there, as many do; where a name
# is generic the ranks have to agree.
function write(name, prefix, p,    plain, two, cptr) {
    plain = name
    cptr = ((name "_cptr"), p) in body
    if (sub(/_c$/, "", plain) && (plain, p) in body && apart(plain, name)) return   # is there
    two = ((name "_c"), p) in body && apart(name, name "_c")
    print "  interface" (two || cptr || !plain_name[name] ? " " prefix name : "")
    printf "%s", body[name, p]
    if (two) printf "%s", body[name "_c", p]
    if (cptr) printf "%s", body[name "_cptr", p]
    print "  end interface"
}

# MPI_Op_create and its _c differ in what procedures they take, MPI_Type_get_extent and its _c in
# nothing, on this machine: these keep a name of their own.
function apart(plain, large) { return signature_of[plain] != signature_of[large] }
