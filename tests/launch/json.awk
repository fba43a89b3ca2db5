# json.awk: says what is wrong with a JSON text, and ends with 1; nothing if it is right.  Line by
# line: between values a line may end, and in no value.
function wrong(what) {
    print "not JSON: " what " in line " row ", character " at ": " substr(text, at, 40)
    exit 1
}
function skip() {
    for (;;) {
        while (at <= length(text) && index(" \t\r", substr(text, at, 1))) at++
        if (at <= length(text) || (getline text) <= 0) return
        at = 1
        row++
    }
}
function want(c) { if (substr(text, at, length(c)) != c) wrong("no " c); at += length(c) }
function string(    c) {
    want("\"")
    while ((c = substr(text, at, 1)) != "\"") {
        if (c == "" || c < " ") wrong("no end of a string")
        if (c == "\\") {
            at++
            c = substr(text, at, 1)
            if (c == "u") {
                if (substr(text, at + 1, 4) !~ /^[0-9a-fA-F][0-9a-fA-F][0-9a-fA-F][0-9a-fA-F]$/)
                    wrong("no character")
            } else if (!index("\"\\/bfnrt", c)) wrong("no escape")
        }
        at++
    }
    at++
}
function number(    rest) {
    rest = substr(text, at, 40)
    if (!match(rest, /^-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][-+]?[0-9]+)?/)) wrong("no value")
    at += RLENGTH
}
function list(end, named) {
    at++
    skip()
    if (substr(text, at, 1) == end) { at++; return }
    for (;;) {
        skip()
        if (named) { string(); skip(); want(":") }
        value()
        skip()
        if (substr(text, at, 1) != ",") break
        at++
    }
    want(end)
}
function value(    c) {
    skip()
    c = substr(text, at, 1)
    if (c == "{") list("}", 1)
    else if (c == "[") list("]", 0)
    else if (c == "\"") string()
    else if (c == "t") want("true")
    else if (c == "f") want("false")
    else if (c == "n") want("null")
    else number()
    skip()
}
BEGIN { at = 1; value(); if (at <= length(text)) wrong("something behind it") }
