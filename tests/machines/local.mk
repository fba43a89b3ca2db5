# Several machines; `VARIANTS=machines sh bootstrap check` runs all tests of MPI on them.
TESTS += tests/machines.sh
check_PROGRAMS += tests/machines/ranks
tests_machines_ranks_SOURCES = tests/machines/ranks.c
tests_machines_ranks_LDADD = libmpi_abi.la
tests_machines_ranks_LDFLAGS = -no-install
EXTRA_DIST += tests/machines.sh tests/machines/make.sh tests/machines/start.sh
