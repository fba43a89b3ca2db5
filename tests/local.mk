# The suite.  Fragments add to TESTS; what starts ranks goes by the folders mpi, stress, wrong,
# programs and launch.
AM_TESTS_ENVIRONMENT = \
	CC='$(CC)' NM='$(NM)' MAKE='$(MAKE)' PKG_CONFIG='$(PKG_CONFIG)'; \
	export CC NM MAKE PKG_CONFIG; \
	MPI_LIB='$(abs_top_builddir)/.libs/libmpi_abi.so'; export MPI_LIB; \
	MPI_H='$(abs_top_srcdir)/include/mpi.h'; export MPI_H; \
	NIC_LIB='$(abs_top_builddir)/.libs/libnicemu.so'; export NIC_LIB; \
	FC='$(FC)' AWK='$(AWK)' FORTRAN='$(have_fortran)'; export FC AWK FORTRAN; \
	PMIX='$(have_pmix)'; export PMIX;

include tests/unit/local.mk
include tests/fuzz/local.mk
include tests/mpi/local.mk
include tests/shmem/local.mk
include tests/stress/local.mk
# The models compute, and what follows sleeps a lot: one beside the other they fill the processors.
include tests/model/local.mk
include tests/wrong/local.mk
include tests/programs/local.mk
include tests/launch/local.mk
include tests/machines/local.mk
include tests/clock/local.mk
include tests/figures/local.mk
include tests/fortran/local.mk

# On the tree and the libraries themselves; a sanitizer brings symbols and libraries of its own.
HOUSE_TESTS = \
	tests/bootstrap.sh \
	tests/layers.sh \
	tests/circles.sh \
	tests/abi-symbols.sh \
	tests/absent.sh \
	tests/nic-symbols.sh \
	tests/nic-manual.sh \
	tests/install.sh \
	tests/built-by-autoconf.sh \
	tests/built-by-cmake.sh \
	tests/built-by-meson.sh \
	tests/headers.sh \
	tests/manual.sh \
	tests/pages.sh \
	tests/mutations.sh \
	tests/tutorial.sh
if SANITIZED
else
TESTS += $(HOUSE_TESTS)
endif
CLEANFILES += tests/install.lock
# They link libraries anew in the build folder, which are not there meanwhile: when all else is
# done.
INSTALLING = tests/install.log tests/built-by-autoconf.log tests/built-by-cmake.log \
	tests/built-by-meson.log
$(INSTALLING): | $(filter-out $(INSTALLING),$(TEST_LOGS))
dist_check_SCRIPTS = $(HOUSE_TESTS) tests/sanitizers.sh
EXTRA_DIST += tests/built-by.inc tests/rooms.txt tests/abi-functions.txt tests/report.sh
EXTRA_DIST += tests/tsan.supp tests/lsan.supp
EXTRA_DIST += tools/functions/functions.sh tools/functions/chapters
EXTRA_DIST += tools/functions/functions.awk tools/functions/chapter_of.awk
# Tests of the tests, run by hand.
EXTRA_DIST += tools/mutate/mutate.sh tools/mutate/mutations
EXTRA_DIST += tools/stress/stress.sh tools/stress/unfair.c

# Parts of the suite: what moves messages, for a run with another path for data; and what pays under
# a sanitizer.
MESSAGE_TESTS = $(filter tests/mpi/% tests/shmem/% tests/stress/%,$(TESTS))
SANITIZED_FOLDERS = unit fuzz mpi shmem stress wrong
# The longest, a script that sleeps a lot, is begun first, so that the rest is done meanwhile.
SANITIZED_FIRST = tests/wrong/wrong.sh
SANITIZED_TESTS = $(filter $(SANITIZED_FIRST),$(TESTS)) \
	$(filter-out $(SANITIZED_FIRST),$(filter $(SANITIZED_FOLDERS:%=tests/%/%),$(TESTS)))
PROGRAMS_SANITIZED = $(filter $(SANITIZED_FOLDERS:%=tests/%/%),$(check_PROGRAMS))
# Of what is built besides, that none of these runs or reads: a sanitizer takes its time for it.
OTHERS_SANITIZED = $(filter-out examples/%,$(noinst_PROGRAMS))
SCRIPTS_SANITIZED = $(filter-out tests/clock/%,$(check_SCRIPTS))
DATA_SANITIZED = $(filter-out doc/man3/made,$(noinst_DATA))

check-messages:
	$(MAKE) $(AM_MAKEFLAGS) check TESTS='$(MESSAGE_TESTS)'
check-sanitized:
	$(MAKE) $(AM_MAKEFLAGS) check TESTS='$(filter-out $(TESTS_WITHOUT),$(SANITIZED_TESTS))' \
	    check_PROGRAMS='$(PROGRAMS_SANITIZED)' noinst_PROGRAMS='$(OTHERS_SANITIZED)' \
	    check_SCRIPTS='$(SCRIPTS_SANITIZED)' noinst_DATA='$(DATA_SANITIZED)'
.PHONY: check-messages check-sanitized
