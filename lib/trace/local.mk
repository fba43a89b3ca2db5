# What mpirun --trace and --report load into the ranks: a tool on the profiling interface.
EXTRA_DIST += lib/trace/calls.awk lib/trace/shmem.awk
if SHARED
pkglib_LTLIBRARIES += libmpilite_trace.la
libmpilite_trace_la_SOURCES = \
	lib/base/other_mpi.h \
	lib/base/several.h \
	lib/trace/call.c \
	lib/trace/call.h \
	lib/trace/comm.c \
	lib/trace/comm.h \
	lib/trace/complete.c \
	lib/trace/hidden.c \
	lib/trace/hidden.h \
	lib/trace/life.c \
	lib/trace/life.h \
	lib/trace/messages.c \
	lib/trace/messages.h \
	lib/trace/receive.c \
	lib/trace/region.h \
	lib/trace/send.c \
	lib/trace/shmem_call.c \
	lib/trace/shmem_call.h \
	lib/trace/store.c \
	lib/trace/store.h
nodist_libmpilite_trace_la_SOURCES = lib/trace/made.c lib/trace/made_shmem.c lib/trace/calls.h \
	lib/trace/shmem_calls.h
libmpilite_trace_la_CPPFLAGS = $(AM_CPPFLAGS) -I$(top_srcdir)/lib -Ilib
libmpilite_trace_la_LIBADD = libmpi_abi.la
libmpilite_trace_la_LDFLAGS = $(SANITIZER_FLAGS) -module -avoid-version \
	-Wl,-rpath,'$$ORIGIN/..' \
	-export-symbols-regex '^(MPI|shmem)_'
endif
BUILT_SOURCES += lib/trace/made.c lib/trace/made_shmem.c lib/trace/calls.h lib/trace/shmem_calls.h
CLEANFILES += lib/trace/made.c lib/trace/made_shmem.c lib/trace/calls.h lib/trace/shmem_calls.h
lib/trace/made.c: $(top_srcdir)/lib/trace/calls.awk $(top_srcdir)/include/mpi.h
	$(AM_V_GEN)$(MKDIR_P) $(@D) && $(AWK) -f $(top_srcdir)/lib/trace/calls.awk \
		$(top_srcdir)/include/mpi.h >$@.tmp && mv $@.tmp $@
lib/trace/calls.h: $(top_srcdir)/lib/trace/calls.awk $(top_srcdir)/include/mpi.h
	$(AM_V_GEN)$(MKDIR_P) $(@D) && $(AWK) -v names=1 -f $(top_srcdir)/lib/trace/calls.awk \
		$(top_srcdir)/include/mpi.h >$@.tmp && mv $@.tmp $@
# SHMEM's functions are made by macros: of what the preprocessor leaves of them.
trace_shmem = $(MKDIR_P) $(@D) && \
	$(CC) -std=gnu99 -E -P -I$(top_srcdir)/include $(top_srcdir)/include/shmem.h >$@.list && \
	$(AWK) -f $(top_srcdir)/lib/trace/shmem.awk
lib/trace/made_shmem.c: $(top_srcdir)/lib/trace/shmem.awk $(top_srcdir)/include/shmem.h
	$(AM_V_GEN)$(trace_shmem) $@.list >$@.tmp && rm -f $@.list && mv $@.tmp $@
lib/trace/shmem_calls.h: $(top_srcdir)/lib/trace/shmem.awk $(top_srcdir)/include/shmem.h
	$(AM_V_GEN)$(trace_shmem) -v names=1 $@.list >$@.tmp && rm -f $@.list && mv $@.tmp $@
