# roff.awk: what the reference has of Markdown, as roff; used by manual.awk.  Paragraphs, lists in
# two levels, tables, code, ### headings; `code`, **strong**, *emphasis*, [text](link).

# A word of code is bold, but an argument's name, which is of small letters, is in italics.
function code_word(word) {
    gsub(/\\/, "\\e", word)
    gsub(/-/, "\\-", word)
    return (word ~ /^[a-z][a-z0-9_]*$/ ? "\\fI" : "\\fB") word "\\fR"
}

# Pairs of a mark around words become a font.
function marked(text, mark, font,    out, start, rest, end) {
    while ((start = index(text, mark)) > 0) {
        rest = substr(text, start + length(mark))
        end = index(rest, mark)
        if (!end || rest ~ /^ / || substr(rest, end - 1, 1) == " ") {
            out = out substr(text, 1, start + length(mark) - 1)
            text = rest
            continue
        }
        out = out substr(text, 1, start - 1) "\\f" font substr(rest, 1, end - 1) "\\fR"
        text = substr(rest, end + length(mark))
    }
    return out text
}

function links_away(text,    all, end) {
    while (match(text, /\[[^]]*\]\([^)]*\)/)) {
        all = substr(text, RSTART, RLENGTH)
        end = index(all, "](")
        text = substr(text, 1, RSTART - 1) substr(all, 2, end - 2) substr(text, RSTART + RLENGTH)
    }
    return text
}

# Names of MPI are bold without backquotes too.
function names_marked(text,    out, before) {
    while (match(text, /MPIX?_[A-Za-z0-9_]+/)) {
        before = RSTART > 1 ? substr(text, RSTART - 1, 1) : " "
        out = out substr(text, 1, RSTART - 1)
        out = out (before ~ /[A-Za-z0-9_*]/ ? substr(text, RSTART, RLENGTH) \
            : "\\fB" substr(text, RSTART, RLENGTH) "\\fR")
        text = substr(text, RSTART + RLENGTH)
    }
    return out text
}

# A text with its fonts.  Every other piece between backquotes is code, which is put away meanwhile.
function inline(text,    n, piece, i, out) {
    n = split(links_away(text), piece, "`")
    for (i = 1; i <= n; i++) out = out (i % 2 ? piece[i] : "\002" i "\003")
    gsub(/\\/, "\\e", out)
    out = names_marked(marked(marked(out, "**", "B"), "*", "I"))
    for (i = 2; i <= n; i += 2) {
        match(out, "\002" i "\003")
        out = substr(out, 1, RSTART - 1) code_word(piece[i]) substr(out, RSTART + RLENGTH)
    }
    return out
}

function plain(text) {
    text = links_away(text)
    gsub(/`|\*\*/, "", text)
    gsub(/\\/, "\\e", text)
    return text
}

# Lines of roff: at most 78 columns, a new one for each sentence.
function fill(text,    n, word, i, line, out) {
    n = split(text, word, " ")
    for (i = 1; i <= n; i++) {
        if (line != "" && length(line) + length(word[i]) > 77) { out = out "\n" line; line = "" }
        if (line == "" && word[i] ~ /^[.']/) line = "\\&"
        line = line (line == "" || line == "\\&" ? "" : " ") word[i]
        if (word[i] ~ /[.!?](\\fR)?\)?$/) { out = out "\n" line; line = "" }
    }
    return substr(out (line == "" ? "" : "\n" line), 2)
}

# Code, line by line as it stands.
function verbatim(line) {
    gsub(/\\/, "\\e", line)
    gsub(/-/, "\\-", line)
    return (line ~ /^[.']/ ? "\\&" : "") line
}

# -- blocks: what has been read of the one that is open -------------------------------------------

function add(line) { roff = roff line "\n" }

# Paragraphs and items.  The first paragraph after a heading needs no request.
function flush_text() {
    if (words == "") return
    if (item != "") add(".IP " item)
    else if (continues) add(".IP \"\" " (depth ? 3 : 2))
    else if (!fresh) add(".PP")
    add(fill(inline(words)))
    fresh = continues = 0
    words = item = ""
}

function in_depth(wanted) {
    if (depth == wanted) return
    flush_text()
    add(wanted ? ".RS 2" : ".RE")
    depth = wanted
}

function cell(text, last) {
    gsub(/^ +| +$/, "", text)
    gsub(/\001/, "|", text)
    text = inline(text)
    if (last && length(text) > 19) return "T{\n" fill(text) "\nT}"
    return (text ~ /^[.']/ ? "\\&" : "") text
}

# Rows are kept as they stand; the last column takes what room there is.
function flush_table(    r, c, n, part, line, form) {
    if (!rows) return
    if (!fresh) add(".PP")
    fresh = 0
    n = split(row[1], part, "|")
    for (c = 2; c < n - 1; c++) form = form "l "
    add(".TS\ntab(\t);\n" form "lx.")
    tables++
    for (r = 1; r <= rows; r++) {
        n = split(row[r], part, "|")
        line = ""
        for (c = 2; c < n; c++)
            line = line (c > 2 ? "\t" : "") (r == 1 ? heading(part[c]) : cell(part[c], c == n - 1))
        if (line ~ /[^\t]/) add(line)
    }
    add(".TE")
    rows = 0
}
function heading(text) {
    gsub(/^ +| +$/, "", text)
    return text == "" ? "" : "\\fB" plain(text) "\\fR"
}

function flush_code() {
    if (!in_code) return
    sub(/\n+$/, "\n", roff)
    add(".EE\n.RE")
    in_code = 0
}
function code_line(line) {
    if (!in_code) {
        add((fresh ? "" : ".PP\n") ".RS 4\n.EX")
        in_code = 1
        fresh = 0
    }
    add(verbatim(line))
}

function flush_all() { flush_text(); flush_table(); flush_code(); in_depth(0) }

# A line of the source goes into the block that is open, or opens another one.
function block_line(line) {
    if (line ~ /^```/) {
        if (fence) flush_code()
        else flush_all()
        fence = !fence
        return
    }
    if (fence || (line ~ /^    / && words == "" && !listed) || (in_code && line == "")) {
        code_line(fence ? line : substr(line, 5))
        return
    }
    flush_code()
    if (line ~ /^\|/) { table_line(line); return }
    flush_table()
    if (line ~ /^ *$/) { flush_text(); continues = listed; return }
    if (line ~ /^###/) { flush_all(); listed = 0; sub(/^#+ */, "", line); subheading(line); return }
    if (match(line, /^ *([*-]|[0-9]+\.) +/)) { item_line(line); return }
    if (words == "" && line !~ /^ /) { in_depth(0); listed = continues = 0 }
    sub(/^ +/, "", line)
    words = words (words == "" ? "" : " ") line
}
function table_line(line) {
    flush_text()
    in_depth(0)
    listed = continues = 0
    gsub(/\\\|/, "\001", line)
    if (line !~ /^\|[-:| ]+$/ || line !~ /-/) row[++rows] = line
}
function item_line(line,    indent, mark) {
    flush_text()
    continues = 0
    listed = 1
    indent = match(line, /[^ ]/) - 1
    in_depth(indent > 1 ? 1 : 0)
    line = substr(line, indent + 1)
    mark = substr(line, 1, index(line, " ") - 1)
    item = mark ~ /[0-9]/ ? mark " 3" : "\\(bu 2"
    sub(/^[^ ]+ +/, "", line)
    words = line
}
function subheading(text) {
    add((text == "Errors" ? ".SH " : ".SS ") (text == "Errors" ? "ERRORS" : plain(text)))
    fresh = 1
}

# The blocks of a text of several lines.
function blocks(text,    n, line, i) {
    roff = words = item = ""
    fresh = 1
    depth = listed = continues = fence = in_code = rows = 0
    n = split(text, line, "\n")
    for (i = 1; i <= n; i++) block_line(line[i])
    flush_all()
    return roff
}
