# SHMEM tests: a group of the specification per program, run as those of MPI are.
shmem_tests = \
	tests/shmem/atomic.t \
	tests/shmem/coll.t \
	tests/shmem/data.t \
	tests/shmem/memory.t \
	tests/shmem/mixed.t \
	tests/shmem/rma.t \
	tests/shmem/sync.t
TESTS += $(shmem_tests)
check_SCRIPTS += $(shmem_tests)
CLEANFILES += $(shmem_tests)
TESTS += tests/shmem/clock.sh
if SANITIZED
else
TESTS += tests/shmem/symbols.sh
endif
EXTRA_DIST += $(shmem_tests:.t=.c) tests/shmem/s.h tests/shmem/clock.sh tests/shmem/symbols.sh
tests/shmem/clock.log: $(shmem_tests)

shmem_link = $(AM_V_CCLD)$(MKDIR_P) $(@D) && $(LIBTOOL) $(AM_V_lt) --tag=CC --mode=link $(CC) \
	$(AM_CPPFLAGS) $(CPPFLAGS) $(AM_CFLAGS) $(CFLAGS) -pthread \
	$(AM_LDFLAGS) $(LDFLAGS) -no-install -o $@ $< libshmem.la libmpi_abi.la

tests/shmem/%.t: $(top_srcdir)/tests/shmem/%.c $(top_srcdir)/tests/shmem/s.h libshmem.la
	$(shmem_link)
tests/wrong/shmem.t: $(top_srcdir)/tests/wrong/shmem.c libshmem.la
	$(shmem_link)
