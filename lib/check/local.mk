# What mpirun --check loads into the ranks: a tool on the profiling interface.
EXTRA_DIST += lib/check/made.awk
if SHARED
pkglib_LTLIBRARIES += libmpilite_check.la
libmpilite_check_la_SOURCES = \
	lib/check/calls.c \
	lib/check/collectives.c \
	lib/check/collectives.h \
	lib/check/complete.c \
	lib/check/exchange.c \
	lib/check/exchange.h \
	lib/check/free.c \
	lib/check/messages.c \
	lib/check/messages.h \
	lib/check/objects.c \
	lib/check/objects.h \
	lib/check/report.c \
	lib/check/report.h \
	lib/check/requests.c \
	lib/check/requests.h \
	lib/check/signature.c \
	lib/check/signature.h \
	lib/check/caller.h
nodist_libmpilite_check_la_SOURCES = lib/check/made.c
libmpilite_check_la_CPPFLAGS = $(AM_CPPFLAGS) -I$(top_srcdir)/lib
libmpilite_check_la_LIBADD = libmpi_abi.la
libmpilite_check_la_LDFLAGS = $(SANITIZER_FLAGS) -module -avoid-version \
	-export-symbols-regex '^MPI_'
BUILT_SOURCES += lib/check/made.c
CLEANFILES += lib/check/made.c

# Calls that make objects, with what they make.
lib/check/made.c: $(top_srcdir)/lib/check/made.awk $(top_srcdir)/include/mpi.h
	$(AM_V_GEN)$(MKDIR_P) $(@D) && \
	$(AWK) -f $(top_srcdir)/lib/check/made.awk $(top_srcdir)/include/mpi.h >$@.tmp && mv $@.tmp $@
endif
