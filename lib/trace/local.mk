# What mpirun --trace and --report load into the ranks: a tool on the profiling interface.
EXTRA_DIST += lib/trace/calls.awk
if SHARED
pkglib_LTLIBRARIES += libmpilite_trace.la
libmpilite_trace_la_SOURCES = \
	lib/base/several.h \
	lib/trace/call.c \
	lib/trace/call.h \
	lib/trace/comm.c \
	lib/trace/comm.h \
	lib/trace/complete.c \
	lib/trace/life.c \
	lib/trace/messages.c \
	lib/trace/messages.h \
	lib/trace/receive.c \
	lib/trace/region.h \
	lib/trace/send.c \
	lib/trace/store.c \
	lib/trace/store.h
nodist_libmpilite_trace_la_SOURCES = lib/trace/made.c lib/trace/calls.h
libmpilite_trace_la_CPPFLAGS = $(AM_CPPFLAGS) -I$(top_srcdir)/lib -Ilib
libmpilite_trace_la_LIBADD = libmpi_abi.la
libmpilite_trace_la_LDFLAGS = $(SANITIZER_FLAGS) -module -avoid-version \
	-Wl,-rpath,'$$ORIGIN/..' \
	-export-symbols-regex '^MPI_'
endif
BUILT_SOURCES += lib/trace/made.c lib/trace/calls.h
CLEANFILES += lib/trace/made.c lib/trace/calls.h
lib/trace/made.c: $(top_srcdir)/lib/trace/calls.awk $(top_srcdir)/include/mpi.h
	$(AM_V_GEN)$(MKDIR_P) $(@D) && $(AWK) -f $(top_srcdir)/lib/trace/calls.awk \
		$(top_srcdir)/include/mpi.h >$@.tmp && mv $@.tmp $@
lib/trace/calls.h: $(top_srcdir)/lib/trace/calls.awk $(top_srcdir)/include/mpi.h
	$(AM_V_GEN)$(MKDIR_P) $(@D) && $(AWK) -v names=1 -f $(top_srcdir)/lib/trace/calls.awk \
		$(top_srcdir)/include/mpi.h >$@.tmp && mv $@.tmp $@
