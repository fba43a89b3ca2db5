# What mpirun --check loads into the ranks: a tool on the profiling interface.
EXTRA_DIST += lib/check/made.awk
if SHARED
pkglib_LTLIBRARIES += libmpilite_check.la
libmpilite_check_la_SOURCES = \
	lib/base/other_mpi.h \
	lib/base/outside.c \
	lib/base/outside.h \
	lib/base/several.h \
	lib/check/accesses.c \
	lib/check/accesses.h \
	lib/check/buffers.c \
	lib/check/buffers.h \
	lib/check/caller.c \
	lib/check/caller.h \
	lib/check/calls.c \
	lib/check/clashes.c \
	lib/check/clashes.h \
	lib/check/clocks.c \
	lib/check/collectives.c \
	lib/check/collectives.h \
	lib/check/comms.c \
	lib/check/comms.h \
	lib/check/compare.c \
	lib/check/compare.h \
	lib/check/complete.c \
	lib/check/enter.c \
	lib/check/enter.h \
	lib/check/exchange.c \
	lib/check/exchange.h \
	lib/check/external.c \
	lib/check/external.h \
	lib/check/free.c \
	lib/check/loops.c \
	lib/check/loops.h \
	lib/check/memory.c \
	lib/check/memory.h \
	lib/check/messages.c \
	lib/check/messages.h \
	lib/check/objects.c \
	lib/check/objects.h \
	lib/check/one_sided.c \
	lib/check/repeat.c \
	lib/check/repeat.h \
	lib/check/report.c \
	lib/check/report.h \
	lib/check/requests.c \
	lib/check/requests.h \
	lib/check/shadowed.c \
	lib/check/shadowed.h \
	lib/check/signature.c \
	lib/check/signature.h \
	lib/check/threads.c \
	lib/check/threads.h \
	lib/check/windows.c \
	lib/check/windows.h
nodist_libmpilite_check_la_SOURCES = lib/check/made.c lib/check/by_hand.h
libmpilite_check_la_CPPFLAGS = $(AM_CPPFLAGS) -I$(top_srcdir)/lib -I$(top_builddir)/lib
libmpilite_check_la_LIBADD = libmpi_abi.la
libmpilite_check_la_LDFLAGS = $(SANITIZER_FLAGS) -module -avoid-version \
	-Wl,-rpath,'$$ORIGIN/..' \
	-export-symbols-regex '^(MPI_|clock_gettime$$|gettimeofday$$|time$$)'
BUILT_SOURCES += lib/check/made.c lib/check/by_hand.h
CLEANFILES += lib/check/made.c lib/check/by_hand.h

# A wrapper for each call; and prototypes of what those by hand are called by.
lib/check/made.c: $(top_srcdir)/lib/check/made.awk $(top_srcdir)/include/mpi.h
	$(AM_V_GEN)$(MKDIR_P) $(@D) && \
	$(AWK) -f $(top_srcdir)/lib/check/made.awk $(top_srcdir)/include/mpi.h >$@.tmp && mv $@.tmp $@
lib/check/by_hand.h: $(top_srcdir)/lib/check/made.awk $(top_srcdir)/include/mpi.h
	$(AM_V_GEN)$(MKDIR_P) $(@D) && $(AWK) -v prototypes=1 -f $(top_srcdir)/lib/check/made.awk \
	    $(top_srcdir)/include/mpi.h >$@.tmp && mv $@.tmp $@
endif
