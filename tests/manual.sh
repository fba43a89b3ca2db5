#!/bin/sh
# manual.sh: the man pages of MPI's functions: one for each name that mpi.h declares, which groff
# and lexgrog take without a word; what Markdown becomes; what is said of wrong chapters.
# shellcheck disable=SC1091,SC2154 # report.sh is sourced
set -u
: "${srcdir:=.}"
. "$srcdir/tests/report.sh"
tools=$srcdir/tools/functions

# -- the pages of this tree ------------------------------------------------------------------------

mkdir "$dir/man3"
sh "$tools/manual.sh" "$dir/man3" 1.0 >"$dir/made" || { echo "manual.sh failed"; exit 1; }
(cd "$dir/man3" && ls) | sed 's/\.3$//' | sort >"$dir/there"
sort "$dir/made" | diff - "$dir/there" >"$dir/diff"
report "printed as made (<) and made (>)" "$dir/diff"

# The page that a name leads to, by one link at most, has the name in its first section.
named() {
    awk -v pages="$dir" '
        function page_of(name,    line, path) {
            path = pages "/man3/" name ".3"
            if ((getline line <path) < 0) return ""
            close(path)
            if (line !~ /^\.so /) return path
            sub(/^\.so /, pages "/", line)
            return line
        }
        function names_of(path,    line, text) {
            while ((getline line <path) > 0) {
                if (line ~ /^\.SH SYNOPSIS/) break
                text = text " " line
            }
            close(path)
            gsub(/,/, " ", text)
            return text " "
        }
        { name = $1; page = page_of(name); if (page == "") next
          sub(/_c$/, "", name)
          if (!index(names_of(page), " " name " ")) print $1 }'
}
awk -f "$tools/prototypes.awk" "$srcdir/include/mpi.h" >"$dir/prototypes"
named <"$dir/prototypes" >"$dir/diff"
report "pages without the name that leads to them" "$dir/diff"

grep -L '^\.so ' "$dir"/man3/*.3 >"$dir/pages"
if command -v groff >/dev/null; then
    # shellcheck disable=SC2046 # names without blanks
    # all pages in a row are one document: its pages are long enough that no table ends one
    printf ".pl 100000\n" >"$dir/long"
    groff -man -t -ww -z -rcR=1 -Tutf8 "$dir/long" $(cat "$dir/pages") >"$dir/diff" 2>&1
    report "groff says" "$dir/diff"
fi
if command -v lexgrog >/dev/null; then
    # shellcheck disable=SC2046 # names without blanks
    lexgrog $(cat "$dir/pages") 2>&1 | grep -v '\.3: "' >"$dir/diff"
    report "without a name and a description, by lexgrog" "$dir/diff"
fi

# A page is read alone: it cannot begin as the one before it.
# shellcheck disable=SC2046 # names without blanks
awk '/^\.SH/ { at = $2; text = "" }
     at == "NAME" { text = text " " $0
                    if (text ~ /\\- the same /) { print FILENAME; at = "" } }' \
    $(cat "$dir/pages") >"$dir/diff"
report "pages that say 'the same', of what is on another page" "$dir/diff"

# -- a tree of its own -----------------------------------------------------------------------------

tree=$dir/tree
mkdir -p "$tree/tools" "$tree/include" "$tree/doc/reference" "$tree/out"
cp -R "$tools" "$tree/tools/functions"
cat >"$tree/include/mpi.h" <<'TEXT'
typedef int MPI_Copy_function(int *place);
extern int MPI_Not_this(void);
int MPI_Send(const void *buf, int count,
             int dest[][3]);
int MPI_Send_c(const void *buf, long count, int dest[][3]);
int MPI_Start(void);
double MPI_Wtime(void);
int MPI_Lost(int a);
TEXT
cat >"$tree/doc/reference/03-point-to-point.md" <<'TEXT'
# Sending things

To begin with.

## Common errors

* *A `buf`* that is **not** [there](elsewhere.md).
    * Below.

  More.

## MPI_Send, MPI_Start

Sends what `buf` has, at once; or `MPI_Wtime` later. A \ stays.

Rows:

| what | where |
|---|---|
| `a-b` | .here |

    code \n -x
    .more

### Errors

1. None.
TEXT
echo '# Time

## MPI_Wtime

Tells the time.' >"$tree/doc/reference/09-time.md"
cat >"$dir/expected" <<'TEXT'
.TH MPI_SEND 3 "" "libmpi-lite 2" "MPI Functions"
.nh
.ad l
.SH NAME
MPI_Send, MPI_Start \- sends what buf has, at once
.SH SYNOPSIS
.nf
\fB#include <mpi.h>\fR
.PP
\fBint MPI_Send(const void *\fIbuf\fB, int \fIcount\fB, int \fIdest\fB[][3]);\fR
\fBint MPI_Start(void);\fR
.PP
\fBint MPI_Send_c(const void *\fIbuf\fB, long \fIcount\fB, int \fIdest\fB[][3]);\fR
.fi
.SH DESCRIPTION
Sends what \fIbuf\fR has, at once; or \fBMPI_Wtime\fR later.
A \e stays.
.PP
Rows:
.PP
.TS
tab(@);
l lx.
\fBwhat\fR@\fBwhere\fR
\fBa\-b\fR@\&.here
.TE
.PP
.RS 4
.EX
code \en \-x
\&.more
.EE
.RE
.SH ERRORS
.IP 1. 3
None.
.SH RETURN VALUE
.B MPI_SUCCESS
or the code of an error; but by default an error ends the job, see
.BR mpi_environment (3).
.SH SEE ALSO
.BR MPI_Wtime (3),
.BR mpi_point_to_point (3)
TEXT
sh "$tree/tools/functions/manual.sh" "$tree/out" 2 >"$dir/made"
sed '1,2d' "$tree/out/MPI_Send.3" | tr '\t' @ | diff "$dir/expected" - >"$dir/diff"
report "the page of a section, as it is to be (<) and is (>)" "$dir/diff"
{
    [ "$(cat "$tree/out/MPI_Send_c.3")" = ".so man3/MPI_Send.3" ] || echo MPI_Send_c.3
    grep -q 'RETURN VALUE' "$tree/out/MPI_Wtime.3" && echo "MPI_Wtime.3 has a RETURN VALUE"
    grep -qF '\fIA \fIbuf\fR\fR that is \fBnot\fR there' "$tree/out/mpi_point_to_point.3" ||
        echo "no list in mpi_point_to_point.3"
    grep -qF '.BR "MPI_Send, MPI_Start" (3)' "$tree/out/mpi_point_to_point.3" ||
        echo "mpi_point_to_point.3 does not list its functions"
} >"$dir/diff"
report "wrong pages" "$dir/diff"

echo '# Time

## MPI_Wtime, MPI_None

## MPI_Send_c

It.' >"$tree/doc/reference/10-time.md"
cat >"$dir/expected" <<'TEXT'
10-time.md:3: MPI_None is not declared in mpi.h
10-time.md:3: MPI_Wtime has a section already, in 09-time.md
10-time.md:5: MPI_Send_c: large counts are in the section of the plain name
10-time.md: MPI_Wtime, MPI_None: an empty section
TEXT
cp "$srcdir/tools/functions/chapters" "$tree/tools/functions/chapters"
echo '99|Lost|^Lost$' >>"$tree/tools/functions/chapters"
sh "$tree/tools/functions/manual.sh" --check "9 99" | sort >"$dir/made"
sort "$dir/expected" | diff - "$dir/made" >"$dir/diff"
report "what is wrong with chapters" "$dir/diff"
sh "$tree/tools/functions/manual.sh" --check 9 |
    grep -qx 'MPI_Lost has no section in doc/reference' ||
    { echo "a function without a section is not told"; status=1; }
exit "$status"
