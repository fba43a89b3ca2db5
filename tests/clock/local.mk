# The model clock: the same in each run, whatever the machine does.
clock_tests = tests/clock/same.sh tests/clock/ring.sh tests/clock/mpi.sh tests/clock/ends.sh tests/clock/explain.sh
TESTS += $(clock_tests)
check_SCRIPTS += tests/clock/random.t tests/clock/explain.t
CLEANFILES += tests/clock/random.t tests/clock/explain.t
EXTRA_DIST += $(clock_tests) tests/clock/random.c tests/clock/explain.c
tests/clock/same.log tests/clock/ring.log: tests/clock/random.t
tests/clock/explain.log: tests/clock/explain.t
tests/clock/mpi.log tests/clock/ends.log tests/clock/explain.log: $(mpi_tests)

tests/clock/%.t: $(top_srcdir)/tests/clock/%.c libmpi_abi.la
	$(mpi_link)
