# page_text.awk: of page.html, two strings: what comes before the figures, and behind them.
function quoted(line) {
    gsub(/\\/, "&&", line)
    gsub(/"/, "\\\"", line)
    return "    \"" line "\\n\""
}
BEGIN {
    print "/* Made of page.html by page_text.awk. */"
    print "static const char page_before[] ="
}
{
    at = index($0, "@FIGURES@")
    if (!at) { print quoted($0); next }
    line = quoted(substr($0, 1, at - 1))
    sub(/\\n"$/, "\";", line)
    print line "\nstatic const char page_behind[] ="
    print quoted(substr($0, at + 9))
}
END { print "    \"\";" }
