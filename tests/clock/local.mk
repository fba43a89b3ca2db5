# The model clock: the same in each run, whatever the machine does.
clock_tests = \
	tests/clock/boot.sh \
	tests/clock/same.sh \
	tests/clock/conditions.sh \
	tests/clock/tables.sh \
	tests/clock/ring.sh \
	tests/clock/mpi.sh \
	tests/clock/ends.sh \
	tests/clock/stuck.sh \
	tests/clock/programs.sh \
	tests/clock/explain.sh \
	tests/clock/hand.sh \
	tests/clock/keys.sh \
	tests/clock/flow.sh \
	tests/clock/bypass.sh \
	tests/clock/network.sh \
	tests/clock/node.sh \
	tests/clock/puts.sh \
	tests/clock/settings.sh \
	tests/clock/log.sh \
	tests/clock/stream.sh
clock_programs = tests/clock/random.t tests/clock/stuck.t tests/clock/explain.t tests/clock/hand.t \
	tests/clock/bypass.t tests/clock/late.t tests/clock/network.t tests/clock/node.t \
	tests/clock/sided.t tests/clock/stream.t
TESTS += $(clock_tests)
check_SCRIPTS += $(clock_programs)
CLEANFILES += $(clock_programs)
EXTRA_DIST += \
	$(clock_tests) \
	tests/clock/bypass.c \
	tests/clock/explain.c \
	tests/clock/hash.inc \
	tests/clock/hand.c \
	tests/clock/kinds.h \
	tests/clock/late.c \
	tests/clock/network.c \
	tests/clock/node.c \
	tests/clock/random.c \
	tests/clock/random.h \
	tests/clock/settings.awk \
	tests/clock/sided.c \
	tests/clock/stream.c \
	tests/clock/stuck.c \
	tools/clock/hashes.sh
tests/clock/same.log tests/clock/conditions.log: tests/clock/random.t
tests/clock/ring.log tests/clock/log.log: tests/clock/random.t
tests/clock/stuck.log: tests/clock/stuck.t tests/launch/default_signals
tests/clock/programs.log: tests/mpi/rma_programs.t
tests/clock/hand.log: tests/clock/hand.t examples/papers/atomic examples/papers/guarded
tests/clock/bypass.log: tests/clock/bypass.t
tests/clock/stream.log: tests/clock/stream.t
tests/clock/flow.log: tests/clock/random.t tests/clock/late.t examples/papers/flood
tests/clock/flow.log: tests/mpi/order_busy.t
tests/clock/keys.log: tests/clock/hand.t tests/clock/random.t tests/clock/explain.t
tests/clock/keys.log: tests/shmem/rma.t examples/papers/puts examples/papers/updates
tests/clock/network.log: tests/clock/network.t tests/clock/random.t tests/shmem/rma.t
tests/clock/node.log: tests/clock/node.t tests/clock/random.t
tests/clock/puts.log: examples/papers/puts examples/papers/updates tests/clock/sided.t
tests/clock/puts.log: tests/shmem/rma.t tests/shmem/atomic.t
tests/clock/settings.log: tests/clock/random.t tests/clock/sided.t $(noinst_PROGRAMS)
tests/clock/explain.log: tests/clock/explain.t tests/clock/hand.t tests/clock/sided.t
tests/clock/mpi.log tests/clock/ends.log tests/clock/explain.log: $(mpi_tests)

tests/clock/random.t: $(top_srcdir)/tests/clock/random.h $(top_srcdir)/tests/clock/kinds.h
tests/clock/%.t: $(top_srcdir)/tests/clock/%.c libmpi_abi.la
	$(mpi_link)
tests/clock/sided.t: $(top_srcdir)/tests/clock/sided.c libshmem.la
	$(shmem_link)
