# Stress tests, built and run like those in tests/mpi.
stress_tests = \
	tests/stress/backlog.t \
	tests/stress/collectives.t \
	tests/stress/flood.t \
	tests/stress/random.t \
	tests/stress/ranks256.t \
	tests/stress/threads.t

TESTS += $(stress_tests)
check_SCRIPTS += $(stress_tests)
CLEANFILES += $(stress_tests)
EXTRA_DIST += $(stress_tests:.t=.c)

tests/stress/%.t: $(top_srcdir)/tests/stress/%.c $(mpi_test_headers:%=$(top_srcdir)/%) libmpi_abi.la
	$(mpi_link)
