# table.awk: the description of the Fortran interfaces, made of mpi.h and of annotations.
#
#   awk -f table.awk annotations mpi.h
#
# Prints lines of fields between tabs: for each constant
#   C NAME KIND VALUE                         KIND: integer, offset, string, or a handle's, as Comm
# and for each function that has a profiling name, in the order of mpi.h,
#   F NAME RESULT NOTES BEFORE AFTER          RESULT: int, double, aint; NOTES: special silent;
#                                             BEFORE, AFTER: C around the call
#   A NAME C-NAME KIND INTENT SHAPE LENGTH NOTES
# for its arguments.  KIND: integer logical aint count offset choice string status Comm ...
# procedure:TYPE index weights address absent.  SHAPE: scalar array ranges.  NOTES: those of
# annotations, and placed: a handle that only comes in, and has a pointer to it in C.
# Stops with the name of what it does not understand.

function fail(text) { printf "table.awk: %s\n", text >"/dev/stderr"; failed = 1; exit 1 }

function pattern(glob) { gsub(/\*/, ".*", glob); return "^" glob "$" }

# -- annotations

FNR == 1 { file++ }

file == 1 {
    sub(/#.*/, "")
    if (NF == 0) next
    if (NF < 3) fail("annotations:" FNR ": three words are needed")
    rules++
    rule_function[rules] = pattern($1)
    rule_argument[rules] = pattern($2)
    rule_note[rules] = $3
    $1 = $2 = $3 = ""
    sub(/^ */, "")
    rule_value[rules] = $0
    next
}

function noted(what) { return (what in note) ? what " " : "" }
function value_of(what, otherwise) { return (what in note) ? note[what] : otherwise }

# What rules say of an argument (of a function: "-"): note[] and value[].
function annotate(function_name, argument,    i, n) {
    split("", note)
    for (i = 1; i <= rules; i++) {
        if (function_name !~ rule_function[i] || argument !~ rule_argument[i]) continue
        if (rule_argument[i] != "^-$" && argument == "-") continue
        n = rule_note[i]
        if (n == "-") { split("", note); continue }
        if (n == "in" || n == "out" || n == "inout") { note["intent"] = n; continue }
        note[n] = rule_value[i] == "" ? 1 : rule_value[i]
    }
}

# -- mpi.h

# Comments away, which may be of several lines; one statement per element of text.
file == 2 {
    line = $0
    while (1) {
        if (comment) {
            at = index(line, "*/")
            if (!at) { line = ""; break }
            line = substr(line, at + 2)
            comment = 0
        }
        at = index(line, "/*")
        if (!at) break
        rest = substr(line, at + 2)
        end = index(rest, "*/")
        if (!end) { line = substr(line, 1, at - 1); comment = 1; break }
        line = substr(line, 1, at - 1) " " substr(rest, end + 2)
    }
    macro = line ~ /^#/ || continued
    continued = macro && line ~ /\\$/
    if (line ~ /^#define MPI_/) constant(line)
    else if (!macro) text = text " " line
}

function hexadecimal(digits,    i, value) {
    digits = tolower(substr(digits, 3))
    for (i = 1; i <= length(digits); i++)
        value = value * 16 + index("0123456789abcdef", substr(digits, i, 1)) - 1
    return value
}

function number(word) { return word ~ /^0x/ ? hexadecimal(word) : word + 0 }

function constant(line,    word, name, value, kind) {
    split(line, word, " ")
    name = word[2]
    if (name ~ /^MPI_T_|^MPI_F_|^MPI_F08_|^MPI_ABI_FINT|_FN$|_FN_C$|\(|^MPI_CONVERSION/) return
    value = line
    sub(/^#define +[A-Za-z0-9_]+ */, "", value)
    sub(/ *$/, "", value)
    # as C has it
    if (sub(/^MPI_ABI_CAST\(/, "((", value)) sub(/, */, ")", value)
    if (sub(/^MPI_ABI_NULL\(/, "((", value)) sub(/\)$/, ")0)", value)
    if (value == "INT64_C(-1)") value = "((MPI_Offset)-1)"
    kind = "integer"
    if (value ~ /^MPI_/) {
        if (!(value in constant_value)) return
        kind = constant_kind[value]
        value = constant_value[value]
    } else {
        gsub(/[()]/, "", value)
        if (value ~ /\*/ || value == "") return
        if (match(value, /^MPI_[A-Za-z]+/)) {
            kind = tolower(substr(value, 5, RLENGTH - 4))
            if (kind != "offset") kind = substr(value, 5, RLENGTH - 4)
            value = substr(value, RLENGTH + 1)
        }
        if (value !~ /^-?(0x[0-9a-fA-F]+|[0-9]+)$/) return
        value = number(value)
    }
    # strings are without their final zero
    if (name ~ /^MPI_MAX_/) { kind = "string"; value-- }
    constant_kind[name] = kind
    constant_value[name] = value
    print "C\t" name "\t" kind "\t" value
}

# -- prototypes

function handle(type) {
    return type ~ /^(Comm|Group|Datatype|Op|Request|Message|Info|Errhandler|Session|Win|File)$/
}

# KIND of a type's name without stars.
function kind_of(type) {
    if (type == "int") return "integer"
    if (type == "MPI_Aint") return "aint"
    if (type == "MPI_Count") return "count"
    if (type == "MPI_Offset") return "offset"
    if (type == "MPI_Status") return "status"
    if (type == "char") return "string"
    if (type == "void") return "choice"
    if (type ~ /^MPI_/ && handle(substr(type, 5))) return substr(type, 5)
    if (type ~ /^MPI_[A-Za-z_]*_function(_c)?$/) return "procedure:" substr(type, 5)
    return ""
}

# One argument of a function.
function argument(of, declaration,    constant_, name, type, stars, kind, intent, shape, n, word,
                  notes) {
    constant_ = declaration ~ /^ *const /
    shape = "scalar"
    if (declaration ~ /\[\]\[3\]/) shape = "ranges"
    else if (declaration ~ /\[/) shape = "array"
    gsub(/\[[^]]*\]/, "", declaration)
    sub(/^ *const /, "", declaration)
    stars = gsub(/\*/, " ", declaration)
    n = split(declaration, word, " ")
    if (n != 2) fail("MPI_" of ": argument " declaration)
    type = word[1]
    name = word[2]
    kind = kind_of(type)
    annotate(of, name)
    # An array, but gcc takes MPI_UNWEIGHTED for one that is too short.
    if ("weights" in note && stars == 1) {
        shape = "array"
        stars = 0
    }
    if ("absent" in note) {
        argument_is(name, "absent", type == "int" && !stars ? "0" : "NULL")
        return
    }
    if (kind == "") fail("MPI_" of ": type " type " of argument " name)

    intent = "in"
    if (kind == "choice") intent = constant_ ? "in" : "inout"
    else if (kind == "string") intent = constant_ ? "in" : "out"
    else if (shape != "scalar")
        intent = constant_ || shape == "ranges" ? "in" : handle(kind) ? "out" : "inout"
    else if (kind !~ /^procedure/ && stars) intent = constant_ ? "in" : "out"
    if (kind == "string") shape = "scalar"
    if (kind == "status" && shape == "array") intent = "out"
    if ("intent" in note) intent = note["intent"]

    if (kind == "choice") {
        if ("forgotten" in note) { kind = "address"; intent = "out" }
        if ("pointer" in note) { kind = "address"; intent = "out" }
        if ("address" in note) { kind = "address"; intent = of ~ /get/ ? "out" : "in" }
        if ("default" in note) { kind = "default"; intent = of ~ /get/ ? "out" : "in" }
    } else if (kind == "integer") {
        if ("logical" in note) kind = "logical"
        if ("index" in note) kind = "index"
        if ("weights" in note) kind = "weights"
        if (kind == "index" && shape == "array" ) intent = "out"
    }
    if (stars > 1 || stars && shape != "scalar") fail("MPI_" of ": a pointer too many: " name)
    if (handle(kind) && shape == "array" && !("length" in note))
        fail("MPI_" of ": how long is " name "? (annotations)")
    if ((kind == "logical" || kind == "index") && shape == "array" && !("length" in note))
        fail("MPI_" of ": how long is " name "? (annotations)")
    if (kind == "string" && intent == "out" && !("room" in note) && !of_special)
        fail("MPI_" of ": how long may " name " get? (annotations)")
    notes = noted("typed") noted("stripped") noted("pointer") noted("forgotten") noted("plain")
    if (handle(kind) && stars && shape == "scalar" && intent == "in") notes = notes "placed "
    argument_is(name, kind, intent, shape, value_of("length", value_of("room", "-")), notes,
                value_of("renamed", name))
}

function argument_is(name, kind, intent, shape, size, notes, fortran) {
    if (fortran == "") fortran = name
    out = out "A\t" fortran "\t" name "\t" kind "\t" intent "\t" \
        (shape == "" ? "scalar" : shape) "\t" (size == "" ? "-" : size) "\t" \
        (notes == "" ? "-" : notes) "\n"
}

function prototype(result, name, list,    n, part, i, notes) {
    annotate(name, "-")
    of_special = "special" in note
    notes = noted("special") noted("silent")
    out = "F\t" name "\t" (result == "MPI_Aint" ? "aint" : result) "\t" \
        (notes == "" ? "-" : notes) "\t" value_of("before", "-") "\t" value_of("after", "-") "\n"
    if (list !~ /^ *void *$/) {
        n = split(list, part, ",")
        for (i = 1; i <= n; i++)
            if (part[i] !~ /\.\.\./) argument(name, part[i])
    }
    functions[++function_count] = name
    description[name] = out
}

function statement(s,    result, name, list) {
    if (s ~ /MPI_ABI_P\(/) {
        sub(/.*MPI_ABI_P\(/, "", s)
        sub(/\).*/, "", s)
        profiled[s]
        return
    }
    if (s !~ /^(int|double|MPI_Aint) MPI_[A-Z][A-Za-z0-9_]* ?\(/) return
    result = s
    sub(/ .*/, "", result)
    name = s
    sub(/^[A-Za-z_]+ MPI_/, "", name)
    sub(/ ?\(.*/, "", name)
    if (name ~ /_toint$|^T_/) return
    list = s
    sub(/^[^(]*\(/, "", list)
    sub(/\)[^)]*$/, "", list)
    prototype(result, name, list)
}

END {
    if (failed) exit 1
    n = split(text, statements, ";")
    for (i = 1; i <= n; i++) {
        s = statements[i]
        gsub(/[ \t]+/, " ", s)
        sub(/^[} ]+/, "", s)
        statement(s)
    }
    for (i = 1; i <= function_count; i++)
        if (functions[i] in profiled) printf "%s", description[functions[i]]
}
