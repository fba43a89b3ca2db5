# shmem.awk: man pages of SHMEM's functions from doc/reference/shmem.md: a page for each section,
# links for the other names of its title and for those that it shows or names, a page shmem for all
# of it.  -v out=FOLDER -v version=TEXT; prints the names.  roff.awk makes the roff.

/^# / { title = substr($0, 3); next }
/^## / { section[++sections] = substr($0, 4); next }
sections { body[sections] = body[sections] $0 "\n"; next }
{ intro = intro $0 "\n" }

function is_page(s) { return section[s] ~ /^_?(shmem|my)_/ }

# The prototypes come first, as code; what is behind them is the description.
function split_body(s,    n, line, i) {
    n = split(body[s], line, "\n")
    code = text = ""
    for (i = 1; i <= n; i++)
        if (text == "" && line[i] ~ /^    /) code = code substr(line[i], 5) "\n"
        else if (line[i] != "" || text != "") text = text line[i] "\n"
}

function summary(    first) {
    first = text
    sub(/\n\n.*$/, "", first)
    gsub(/\n/, " ", first)
    if (match(first, /[.:;]( |$)/)) first = substr(first, 1, RSTART - 1)
    return plain(tolower(substr(first, 1, 1)) substr(first, 2))
}

function escaped(words) { gsub(/\\/, "\\e", words); gsub(/-/, "\\-", words); return words }

function write_page(name, words) {
    if (name in written) return
    written[name] = 1
    printf "%s", words >(out "/" name ".3")
    close(out "/" name ".3")
    print name
}

function header(name) {
    return "'\\\" t\n.\\\" Made from the reference.\n.TH " toupper(name) \
        " 3 \"\" \"libmpi-lite " version "\" \"SHMEM Functions\"\n.nh\n.ad l\n.SH NAME\n"
}

function page(s,    name, n, made) {
    n = split(section[s], name, /, */)
    split_body(s)
    made = header(name[1]) fill(section[s] " \\- " summary()) "\n.SH SYNOPSIS\n.nf\n" \
        "\\fB#include <shmem.h>\\fR\n.PP\n" escaped(code) ".fi\n.SH DESCRIPTION\n" blocks(text) \
        ".SH SEE ALSO\n.BR shmem (3),\n.BR oshcc (1),\n.BR oshrun (1)\n"
    write_page(name[1], made)
    list = list ".TP\n.BR \"" section[s] "\" (3)\n" fill(summary()) "\n"
    links(name[1], section[s] " " body[s])
}

# Names that stand for several types have no page of their own.
function links(target, words,    name) {
    while (match(words, /_?(shmem|sh|start|my|num)_?[a-z0-9_]+/)) {
        name = substr(words, RSTART, RLENGTH)
        words = substr(words, RSTART + RLENGTH)
        if ((name ~ /^(shmem_[a-z0-9_]*[a-z0-9]|start_pes|_my_pe|_num_pes)$/ ||
             name ~ /^sh(malloc|memalign|realloc|free)$/) &&
            name !~ /^shmem_(ctx|[a-z]+)_t$|^shmem_(X|ctx|team_config_t)$/ && words !~ /^_?[A-Z]/)
            link[name] = name in link ? link[name] : target
    }
}

END {
    for (s = 1; s <= sections; s++)
        if (is_page(s)) page(s)
    for (name in link) write_page(name, ".so man3/" link[name] ".3\n")
    made = header("shmem") "shmem \\- OpenSHMEM: memory that other processes read and write\n" \
        ".SH DESCRIPTION\n" blocks(intro)
    for (s = 1; s <= sections; s++)
        if (!is_page(s)) made = made ".SH " toupper(plain(section[s])) "\n" blocks(body[s])
    write_page("shmem", made ".SH FUNCTIONS\n" list \
        ".SH SEE ALSO\n.BR oshcc (1),\n.BR oshrun (1),\n.BR mpi_one_sided (3)\n")
}
