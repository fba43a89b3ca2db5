# Tests of mpirun and of the compiler wrappers.
launch_tests = \
	tests/launch/again.sh \
	tests/launch/binding.sh \
	tests/launch/completion.sh \
	tests/launch/cores.sh \
	tests/launch/crash.sh \
	tests/launch/debug.sh \
	tests/launch/denied.sh \
	tests/launch/environment.sh \
	tests/launch/exit_codes.sh \
	tests/launch/foreign.sh \
	tests/launch/hosts.sh \
	tests/launch/input.sh \
	tests/launch/joined_hydra.sh \
	tests/launch/joined_pmix.sh \
	tests/launch/joined_slurm.sh \
	tests/launch/killed_launcher.sh \
	tests/launch/levels.sh \
	tests/launch/lines.sh \
	tests/launch/lost.sh \
	tests/launch/many.sh \
	tests/launch/mpi_ends.sh \
	tests/launch/nicinfo.sh \
	tests/launch/nicsweep.sh \
	tests/launch/options.sh \
	tests/launch/orphans.sh \
	tests/launch/output.sh \
	tests/launch/outside.sh \
	tests/launch/patience.sh \
	tests/launch/peers.sh \
	tests/launch/placement.sh \
	tests/launch/places.sh \
	tests/launch/programs.sh \
	tests/launch/races.sh \
	tests/launch/scribble.sh \
	tests/launch/seats.sh \
	tests/launch/signals.sh \
	tests/launch/stats.sh \
	tests/launch/stopped_rank.sh \
	tests/launch/strangers.sh \
	tests/launch/source.sh \
	tests/launch/timeout.sh \
	tests/launch/traced.sh \
	tests/launch/waits.sh \
	tests/launch/wrappers.sh
TESTS += $(launch_tests) tests/launch/place_test tests/launch/plan_test \
	tests/launch/reports_test
EXTRA_DIST += $(launch_tests) tests/launch/arrows.awk tests/launch/overlap.awk \
	tests/launch/slices.awk tests/launch/joined.inc \
	tests/launch/json.awk tests/launch/lib.sh tests/launch/peers.inc

check_PROGRAMS += \
	tests/launch/chatter \
	tests/launch/default_signals \
	tests/launch/deny \
	tests/launch/joined \
	tests/launch/late_watch \
	tests/launch/levels \
	tests/launch/mpi_ends \
	tests/launch/nic_thread \
	tests/launch/outside \
	tests/launch/place_test \
	tests/launch/plan_test \
	tests/launch/reports_test \
	tests/launch/scribble \
	tests/launch/seats \
	tests/launch/stopped_rank \
	tests/launch/traced
tests_launch_traced_SOURCES = tests/launch/traced.c
tests_launch_traced_LDADD = libmpi_abi.la
tests_launch_chatter_SOURCES = tests/launch/chatter.c
tests_launch_default_signals_SOURCES = tests/launch/default_signals.c
tests_launch_deny_SOURCES = tests/launch/deny.c
tests_launch_joined_SOURCES = tests/launch/joined.c
tests_launch_joined_LDADD = libmpi_abi.la
tests_launch_late_watch_SOURCES = tests/launch/late_watch.c
tests_launch_late_watch_LDADD = libmpi_abi.la
tests_launch_levels_SOURCES = tests/launch/levels.c
tests_launch_levels_LDADD = libmpi_abi.la
tests_launch_mpi_ends_SOURCES = tests/launch/mpi_ends.c
tests_launch_mpi_ends_LDADD = libmpi_abi.la
tests_launch_nic_thread_SOURCES = tests/launch/nic_thread.c
tests_launch_nic_thread_LDADD = libmpi_abi.la
tests_launch_outside_SOURCES = tests/launch/outside.c
tests_launch_outside_LDADD = libmpi_abi.la
tests_launch_seats_SOURCES = tests/launch/seats.c
tests_launch_seats_LDADD = libmpi_abi.la
tests_launch_stopped_rank_SOURCES = tests/launch/stopped_rank.c
tests_launch_stopped_rank_LDADD = libmpi_abi.la
tests_launch_scribble_SOURCES = tests/launch/scribble.c
tests_launch_scribble_LDADD = libmpi_abi.la
tests_launch_place_test_SOURCES = \
	lib/launch/where/cores.c \
	lib/launch/where/machine.c \
	lib/launch/where/place.c \
	lib/launch/base/ranklist.c \
	lib/launch/base/say.c \
	lib/launch/where/seats.c \
	tests/launch/place_test.c
tests_launch_place_test_CPPFLAGS = $(AM_CPPFLAGS) -I$(top_srcdir)/lib -D_GNU_SOURCE
tests_launch_place_test_LDADD = libnicemu_core.la
tests_launch_reports_test_SOURCES = \
	lib/launch/base/ranklist.c \
	lib/launch/base/say.c \
	lib/launch/io/reports.c \
	tests/launch/reports_test.c
tests_launch_reports_test_CPPFLAGS = $(AM_CPPFLAGS) -I$(top_srcdir)/lib -D_GNU_SOURCE
tests_launch_plan_test_SOURCES = \
	lib/launch/where/cores.c \
	lib/launch/where/machine.c \
	lib/launch/where/map.c \
	lib/launch/where/place.c \
	lib/launch/where/policy.c \
	lib/launch/base/say.c \
	lib/launch/where/seats.c \
	lib/launch/where/topology.c \
	tests/launch/plan_test.c
tests_launch_plan_test_CPPFLAGS = $(AM_CPPFLAGS) -I$(top_srcdir)/lib -D_GNU_SOURCE
tests_launch_plan_test_CFLAGS = $(AM_CFLAGS) $(HWLOC_CFLAGS)
tests_launch_plan_test_LDADD = libnicemu_core.la $(HWLOC_LIBS)
