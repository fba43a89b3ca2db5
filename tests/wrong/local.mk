# Wrong programs, and the script that knows how each must end.
wrong_programs = \
	tests/wrong/abort.t \
	tests/wrong/accesses.t \
	tests/wrong/after_finalize.t \
	tests/wrong/bad_op.t \
	tests/wrong/bad_rank.t \
	tests/wrong/before_init.t \
	tests/wrong/checked.t \
	tests/wrong/coll_count.t \
	tests/wrong/coll_kind.t \
	tests/wrong/coll_root.t \
	tests/wrong/communicators.t \
	tests/wrong/crash.t \
	tests/wrong/crashes.t \
	tests/wrong/deadlock.t \
	tests/wrong/deadlock_send.t \
	tests/wrong/disagree.t \
	tests/wrong/early_exit.t \
	tests/wrong/endless.t \
	tests/wrong/freed_comm.t \
	tests/wrong/harmless.t \
	tests/wrong/init_again.t \
	tests/wrong/mistakes.t \
	tests/wrong/missing_collective.t \
	tests/wrong/no_finalize.t \
	tests/wrong/op_calls.t \
	tests/wrong/patient.t \
	tests/wrong/shmem.t \
	tests/wrong/signatures.t \
	tests/wrong/truncation.t \
	tests/wrong/locks.t \
	tests/wrong/windows.t \
	tests/wrong/wrapped.t

TESTS += tests/wrong/wrong.sh tests/wrong/checked.sh tests/wrong/patient.sh \
	tests/wrong/twins.sh
check_SCRIPTS += $(wrong_programs)
CLEANFILES += $(wrong_programs)
EXTRA_DIST += $(wrong_programs:.t=.c) tests/wrong/wrong.sh tests/wrong/checked.sh \
	tests/wrong/table.sh tests/wrong/table.txt tests/wrong/patient.sh \
	tests/wrong/twins.sh tests/wrong/late_wait.inc
tests/wrong/wrong.log tests/wrong/checked.log tests/wrong/patient.log \
	tests/wrong/twins.log: $(wrong_programs)

tests/wrong/%.t: $(top_srcdir)/tests/wrong/%.c libmpi_abi.la
	$(mpi_link)
