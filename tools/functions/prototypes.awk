# prototypes.awk: of mpi.h, the functions that it declares: name, a tab, the prototype on one line.
function declared(    name, end) {
    gsub(/[ \t]+/, " ", text)
    end = index(text, ")")
    name = substr(text, 1, index(text, "(") - 1)
    sub(/^.*[ *]/, "", name)
    print name "\t" substr(text, 1, end) ";"
}
function begins() { return /^(const )?[A-Za-z_][A-Za-z0-9_]* \**MPIX?_[A-Z][A-Za-z0-9_]*\(/ }
text != "" || begins() {
    text = text (text == "" ? "" : " ") $0
    if (/;/) { declared(); text = "" }
}
