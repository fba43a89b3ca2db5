# manual.awk: man pages from prototypes (of prototypes.awk) and the chapters of doc/reference; see
# manual.sh, which gives it -v out=FOLDER, -v version=TEXT and, to look and write nothing, -v
# check=1.  roff.awk makes the roff.

function complain(text) { print text; failed = 1 }
function base_of(path) { sub(/^.*\//, "", path); return path }
function is_declared(name) { return name in prototype }
function large(name) { return is_declared(name "_c") ? name "_c" : "" }

# -- reading ----------------------------------------------------------------------------------

# Titles of functions open a section, other ones a part of the chapter's own page.
function open_section(title,    n, i, name) {
    section[++sections] = title
    if (title == "Errors of all calls") has_errors[chapters_read] = 1
    file_of[sections] = chapters_read
    if (title !~ /MPIX?_/) { topic[sections] = 1; return }
    n = split(title, name, /, */)
    for (i = 1; i <= n; i++) {
        if (!is_declared(name[i]))
            complain(place() name[i] " is not declared in mpi.h")
        else if (name[i] in home)
            complain(place() name[i] " has a section already, in " file[file_of[home[name[i]]]])
        else if (name[i] ~ /_c$/)
            complain(place() name[i] ": large counts are in the section of the plain name")
        home[name[i]] = sections
        names[sections] = names[sections] (i > 1 ? " " : "") name[i]
    }
    page[sections] = name[1]
}
function place() { return file[chapters_read] ":" FNR ": " }

function open_chapter(    name) {
    name = base_of(FILENAME)
    file[++chapters_read] = name
    sub(/^[0-9]*-/, "", name)
    sub(/\.md$/, "", name)
    gsub(/-/, "_", name)
    chapter_page[chapters_read] = "mpi_" name
    current = 0
}
FNR == 1 && NR != 1 { open_chapter() }
NR == FNR { split($0, part, "\t"); prototype[part[1]] = part[2]; next }
/^# / && !fenced { chapter_title[chapters_read] = substr($0, 3); titles[chapters_read]++; next }
/^## / && !fenced { open_section(substr($0, 4)); current = sections; next }
/^```/ { fenced = !fenced }
current { body[current] = body[current] $0 "\n"; next }
{ intro[chapters_read] = intro[chapters_read] $0 "\n" }

# -- pieces of pages ----------------------------------------------------------------------------

# What a function is for: the first sentence of its section, in one line.
function summary(s,    text, end) {
    text = body[s]
    sub(/^\n+/, "", text)
    end = index(text, "\n\n")
    if (end) text = substr(text, 1, end - 1)
    gsub(/[ \n]+/, " ", text)
    sub(/ $/, "", text)
    if (match(text, /[.:;]( |$)/)) text = substr(text, 1, RSTART - 1)
    if (text ~ /^[A-Z][a-z]/) text = tolower(substr(text, 1, 1)) substr(text, 2)
    return plain(shortened(text))
}

# A long sentence ends at a comma.
function shortened(text,    end) {
    if (length(text) <= 100) return text
    for (end = 100; end > 40; end--)
        if (substr(text, end, 2) == ", ") return substr(text, 1, end - 1)
    return text
}

# One parameter: its type bold, its name in italics.
function parameter(text,    name) {
    if (text ~ /^(void|\.\.\.)$/ || !match(text, /[A-Za-z_0-9]+(\[[^]]*\])*$/)) return text
    name = substr(text, RSTART)
    match(name, /^[A-Za-z_0-9]+/)
    return substr(text, 1, length(text) - length(name)) "\\fI" substr(name, 1, RLENGTH) "\\fB" \
        substr(name, RLENGTH + 1)
}

# A prototype in lines of what a terminal of 80 columns shows.
function synopsis(name,    text, open, n, part, i, line, width, piece, out) {
    text = prototype[name]
    open = index(text, "(")
    line = "\\fB" substr(text, 1, open)
    width = open
    n = split(substr(text, open + 1, length(text) - open - 2), part, /, /)
    for (i = 1; i <= n; i++) {
        piece = length(part[i]) + (i < n ? 1 : 2)
        if (i > 1 && width + 1 + piece > 70) {
            out = out line "\n"
            line = "        \\fB"
            width = 7
        } else if (i > 1) line = line " "
        line = line parameter(part[i]) (i < n ? "," : ");\\fR")
        width += piece + 1
    }
    return out line "\n"
}

function all_synopses(s,    n, i, name, out, wide) {
    n = split(names[s], name, " ")
    for (i = 1; i <= n; i++) {
        out = out synopsis(name[i])
        if (large(name[i]) != "") wide = wide synopsis(large(name[i]))
    }
    return ".nf\n\\fB#include <mpi.h>\\fR\n.PP\n" out (wide == "" ? "" : ".PP\n" wide) ".fi\n"
}

# Whether the functions of a section return an error's code.
function returns_code(s,    n, i, name) {
    n = split(names[s], name, " ")
    for (i = 1; i <= n; i++)
        if (prototype[name[i]] !~ /^int / || name[i] ~ /_(toint|fromint)$/) return 0
    return 1
}
function return_value(s,    text) {
    if (!returns_code(s)) return ""
    text = ".SH RETURN VALUE\n.B MPI_SUCCESS\nor the code of an error; "
    if (names[s] ~ /^MPI_T_/) return text "no error handler is called.\n"
    text = text "but by default an error ends the job, see\n.BR mpi_environment (3).\n"
    if (!has_errors[file_of[s]]) return text
    return text "The classes of errors that all calls of this kind have are in\n.BR " \
        chapter_page[file_of[s]] " (3).\n"
}

# The functions that a text names and that have pages, and the sections beside it; none of its own.
function related(s,    text, name, seen, out, n, list, i) {
    n = split(names[s], list, " ")
    for (i = 1; i <= n; i++) seen[list[i]] = 1
    text = body[s] beside(s, s - 1) beside(s, s + 1)
    n = 0
    while (n < 12 && match(text, /MPIX?_[A-Z][A-Za-z0-9_]*/)) {
        name = substr(text, RSTART, RLENGTH)
        text = substr(text, RSTART + RLENGTH)
        sub(/_c$/, "", name)
        if (!(name in home) || name in seen) continue
        seen[name] = 1
        out = out ".BR " name " (3),\n"
        n++
    }
    return out
}

function beside(s, other) {
    return file_of[other] == file_of[s] && !(other in topic) ? " " page[other] : ""
}

function header(name, has_tables) {
    return (has_tables ? "'\\\" t\n" : "") ".\\\" Made from the reference and mpi.h.\n" \
        ".TH " toupper(name) " 3 \"\" \"libmpi-lite " version "\" \"MPI Functions\"\n" \
        ".nh\n.ad l\n.SH NAME\n"
}

function write_page(name, text) {
    printf "%s", text >(out "/" name ".3")
    close(out "/" name ".3")
    print name
}

# -- pages ------------------------------------------------------------------------------------

function function_page(s,    list, text) {
    tables = 0
    text = blocks(body[s])
    list = names[s]
    gsub(/ /, ", ", list)
    write_page(page[s], header(page[s], tables) fill(list " \\- " summary(s)) "\n.SH SYNOPSIS\n" \
        all_synopses(s) ".SH DESCRIPTION\n" text return_value(s) ".SH SEE ALSO\n" related(s) \
        ".BR " chapter_page[file_of[s]] " (3)\n")
    link_pages(s)
}
function link_pages(s,    n, i, name) {
    n = split(names[s], name, " ")
    for (i = 1; i <= n; i++) {
        if (i > 1) link_page(name[i], page[s])
        if (large(name[i]) != "") link_page(large(name[i]), page[s])
    }
}
function link_page(name, target) { write_page(name, ".so man3/" target ".3\n") }

function topics_of(c,    s, out) {
    for (s = 1; s <= sections; s++)
        if (file_of[s] == c && s in topic)
            out = out ".SH " toupper(plain(section[s])) "\n" blocks(body[s])
    return out
}
function functions_of(c,    s, list, out) {
    for (s = 1; s <= sections; s++) {
        if (file_of[s] != c || s in topic) continue
        list = names[s]
        gsub(/ /, ", ", list)
        out = out ".TP\n.BR \"" list "\" (3)\n" fill(summary(s)) "\n"
    }
    return out
}
function chapters_read_but(c,    i, out) {
    for (i = 1; i <= chapters_read; i++)
        if (i != c) out = out ".BR " chapter_page[i] " (3),\n"
    return out
}
function chapter(c,    text) {
    tables = 0
    text = ".SH DESCRIPTION\n" blocks(intro[c]) topics_of(c) ".SH FUNCTIONS\n" \
        "Each has a page of its own and a second name,\n.BI PMPI_ X\nfor\n.BI MPI_ X\\fR.\n" \
        functions_of(c) ".SH SEE ALSO\n" chapters_read_but(c) ".BR mpicc (1),\n.BR mpirun (1)\n"
    write_page(chapter_page[c], header(chapter_page[c], tables) fill(chapter_page[c] " \\- " \
        tolower(substr(chapter_title[c], 1, 1)) substr(chapter_title[c], 2)) "\n" text)
}

# -- what is wrong ------------------------------------------------------------------------------

function check_sections(    s, c) {
    for (s = 1; s <= sections; s++)
        if (body[s] !~ /[a-z]/) complain(file[file_of[s]] ": " section[s] ": an empty section")
    for (c = 1; c <= chapters_read; c++)
        if (titles[c] != 1) complain(file[c] ": needs one line with # and the chapter's title")
}
function check_functions(    name, plain_name, may_lack, n, i, list) {
    n = split(but, list, " ")
    for (i = 1; i <= n; i++) may_lack[list[i]] = 1
    for (name in prototype) {
        plain_name = name
        if (sub(/_c$/, "", plain_name) && is_declared(plain_name)) continue
        if (name in home || (name !~ /^MPIX_/ && chapter_of(name) in may_lack)) continue
        complain(name " has no section in doc/reference")
    }
}

END {
    if (check) { check_sections(); check_functions() }
    else {
        for (s = 1; s <= sections; s++) if (!(s in topic)) function_page(s)
        for (c = 1; c <= chapters_read; c++) chapter(c)
    }
    exit failed
}
