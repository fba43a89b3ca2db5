# shmem.awk: of shmem.h behind the preprocessor, the calls that are recorded (-v names=1: a list of
# them), by their names without type, context and bits, and wrappers for those that have none by
# hand; names stand in brackets, for shmem.h has macros of some.
BEGIN {
    RS = ";"
    types = "(float|double|longdouble|char|schar|short|int|long|longlong|uchar|ushort|uint|" \
            "ulong|ulonglong|int8|int16|int32|int64|uint8|uint16|uint32|uint64|size|ptrdiff|" \
            "complexd|complexf)_"
    # What only asks.
    quiet = "^shmem_(query_thread|global_exit|my_pe|n_pes|pe_accessible|addr_accessible|ptr|" \
            "info_.*|pcontrol|team_(my_pe|n_pes|get_config|translate_pe)|ctx_get_team|" \
            "clear_cache_.*|set_cache_.*|udcflush.*)$"
    by_hand = "^shmem_(init|init_thread|finalize)$"
    if (names) printf "/* Made of shmem.h by shmem.awk: the calls that are recorded. */\n" \
                     "#ifndef TRACE_SHMEM_CALLS_H\n#define TRACE_SHMEM_CALLS_H\n\n" \
                     "#define TRACE_SHMEM_CALLS(X)"
    else print "/* Made of shmem.h by shmem.awk. */\n#include \"trace/shmem_call.h\"\n"
}
{ gsub(/[ \t\n]+/, " "); sub(/^ /, "") }
/^[a-z_0-9A-Z *]*[ *]shmem_[a-z0-9_]*\(.*\)$/ { declaration() }
END { if (names) print "\n#endif" }

function declaration(    name, arguments, part, i, last, type, call, count) {
    match($0, /shmem_[a-z0-9_]*\(/)
    returns = substr($0, 1, RSTART - 1)
    name = substr($0, RSTART, RLENGTH - 1)
    arguments = substr($0, RSTART + RLENGTH, length($0) - RSTART - RLENGTH)
    if (name ~ quiet) return
    base = substr(name, 7)
    if (base !~ /^ctx_(create|destroy)$/) sub(/^ctx_/, "", base)
    sub("^" types, "", base)
    bits = 8
    if (match(base, /(8|16|32|64|128|mem)(_|$)/)) {
        after = substr(base, RSTART)
        base = substr(base, 1, RSTART - 1)
        if (after ~ /^[0-9]/) bits = after + 0
        sub(/^[0-9a-z]*/, "", after)
        base = base after
    }
    base = "shmem_" base
    if (names) {
        if (!(base in seen)) printf " \\\n    X(%s)", base
        seen[base] = 1
        return
    }
    if (name ~ by_hand) return
    split("", type_of)
    count = arguments == "void" ? 0 : split(arguments, part, /, ?/)
    call = ""
    for (i = 1; i <= count; i++) {
        last = type = part[i]
        sub(/^.*[ *]/, "", last); sub(/ ?[a-z_A-Z0-9]*$/, "", type)
        call = call (i > 1 ? ", " : "") last
        type_of[last] = type
    }
    print "#pragma weak p" name
    printf "%s(%s)(%s)\n{\n    uint64_t begin = trace_now();\n    %sp%s(%s);\n", returns, name, \
        arguments, returns == "void " ? "" : returns "rc = ", name, call
    tell()
    print (returns == "void " ? "" : "    return rc;\n") "}"
}

# The bytes that it moves: of elements, of one, or none.
function bytes(    data) {
    data = "dest" in type_of ? "dest" : "source" in type_of ? "source" : ""
    if (data == "" || type_of[data] !~ /\*/) return "0"
    if (!("nelems" in type_of) && !("nreduce" in type_of)) return "sizeof *" data
    return ("nelems" in type_of ? "nelems" : "(size_t)nreduce") " * " \
        (type_of[data] ~ /void/ ? bits / 8 : "sizeof *" data)
}

function tell() {
    if ("pe" in type_of)
        printf "    trace_shmem_moved(TRACE_%s, begin, %s, pe, %s);\n", base, \
            "ctx" in type_of ? "ctx" : "SHMEM_CTX_DEFAULT", bytes()
    else if (base ~ /^shmem_(barrier|sync)_all$/)
        printf "    trace_shmem_together(TRACE_%s, begin, SHMEM_TEAM_WORLD, -1, 0);\n", base
    else if ("team" in type_of && type_of["team"] == "shmem_team_t" && base !~ /destroy|ctx/)
        printf "    trace_shmem_together(TRACE_%s, begin, team, %s, %s);\n", base, \
            "root" in type_of ? "root" : "-1", bytes()
    else if (base ~ /^shmem_test/)
        printf "    trace_shmem_looked(TRACE_%s, begin, %s);\n", base, found()
    else
        printf "    trace_shmem_called(TRACE_%s, begin, %s);\n", base, bytes()
}

# Whether a test has found what it looks for: a lock that is free is 0.
function found() {
    if (base == "shmem_test_lock") return "!rc"
    return base ~ /_any/ ? "rc != SIZE_MAX" : "rc"
}
