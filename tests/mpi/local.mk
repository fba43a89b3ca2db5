# MPI tests: one behaviour per file, each a plain MPI program NAME.c that becomes NAME.t.  The
# harness hands what ends in .t to run-mpi.sh, which knows from ranks.txt on how many ranks to run
# it.  A new test is a name in the list.
TEST_EXTENSIONS = .t .sh
T_LOG_COMPILER = $(SHELL) $(top_srcdir)/tests/run-mpi.sh
SH_LOG_COMPILER = $(SHELL)

mpi_tests = \
	tests/mpi/alloc_mem.t \
	tests/mpi/idup_turns.t \
	tests/mpi/info.t \
	tests/mpi/keep_mem.t \
	tests/mpi/abi_info.t \
	tests/mpi/all_to_one.t \
	tests/mpi/alltoall_short.t \
	tests/mpi/attributes.t \
	tests/mpi/barrier_tree.t \
	tests/mpi/bsend.t \
	tests/mpi/bsend_errors.t \
	tests/mpi/buffers.t \
	tests/mpi/cancel_many.t \
	tests/mpi/cancel_receive.t \
	tests/mpi/cancel_send.t \
	tests/mpi/cart.t \
	tests/mpi/coll_allgather.t \
	tests/mpi/coll_allreduce.t \
	tests/mpi/coll_alltoall.t \
	tests/mpi/coll_back_to_back.t \
	tests/mpi/coll_barrier.t \
	tests/mpi/coll_bcast.t \
	tests/mpi/coll_edges.t \
	tests/mpi/coll_far_ahead.t \
	tests/mpi/coll_gather.t \
	tests/mpi/coll_interleaved.t \
	tests/mpi/coll_levels.t \
	tests/mpi/coll_large.t \
	tests/mpi/coll_vectors.t \
	tests/mpi/coll_windows.t \
	tests/mpi/coll_persistent.t \
	tests/mpi/coll_random.t \
	tests/mpi/coll_reduce.t \
	tests/mpi/coll_roots.t \
	tests/mpi/coll_reduce_scatter.t \
	tests/mpi/coll_chain.t \
	tests/mpi/coll_scan.t \
	tests/mpi/coll_scatter.t \
	tests/mpi/coll_unfreed.t \
	tests/mpi/coll_user_op.t \
	tests/mpi/comm_areas.t \
	tests/mpi/comm_create.t \
	tests/mpi/comm_disconnect.t \
	tests/mpi/comm_dup.t \
	tests/mpi/comm_free_pending.t \
	tests/mpi/comm_inherits.t \
	tests/mpi/comm_more.t \
	tests/mpi/comm_split.t \
	tests/mpi/comm_tree.t \
	tests/mpi/compute.t \
	tests/mpi/contexts.t \
	tests/mpi/contexts_failed.t \
	tests/mpi/contexts_held.t \
	tests/mpi/contexts_idup.t \
	tests/mpi/err_alias.t \
	tests/mpi/err_coll.t \
	tests/mpi/err_coll_all.t \
	tests/mpi/err_handlers.t \
	tests/mpi/err_null.t \
	tests/mpi/err_objects.t \
	tests/mpi/err_p2p.t \
	tests/mpi/err_stale.t \
	tests/mpi/err_strings.t \
	tests/mpi/err_user.t \
	tests/mpi/gather_flood.t \
	tests/mpi/graph.t \
	tests/mpi/grequest.t \
	tests/mpi/groups.t \
	tests/mpi/halo.t \
	tests/mpi/head_to_head.t \
	tests/mpi/huge.t \
	tests/mpi/icoll.t \
	tests/mpi/icoll_ahead.t \
	tests/mpi/icoll_parts.t \
	tests/mpi/init.t \
	tests/mpi/init_thread.t \
	tests/mpi/intercomm.t \
	tests/mpi/iprobe.t \
	tests/mpi/isend_all.t \
	tests/mpi/isend_modes.t \
	tests/mpi/isendrecv.t \
	tests/mpi/large_count.t \
	tests/mpi/leaks.t \
	tests/mpi/many_comms.t \
	tests/mpi/memory.t \
	tests/mpi/mprobe.t \
	tests/mpi/neighbor.t \
	tests/mpi/null_requests.t \
	tests/mpi/ops.t \
	tests/mpi/order.t \
	tests/mpi/order_busy.t \
	tests/mpi/overlap.t \
	tests/mpi/pair_types.t \
	tests/mpi/partitioned.t \
	tests/mpi/persistent.t \
	tests/mpi/poll_yields.t \
	tests/mpi/posted_model.t \
	tests/mpi/probe.t \
	tests/mpi/proc_null.t \
	tests/mpi/request_edges.t \
	tests/mpi/request_free.t \
	tests/mpi/self.t \
	tests/mpi/send_modes.t \
	tests/mpi/sendrecv.t \
	tests/mpi/sessions.t \
	tests/mpi/sessions_many.t \
	tests/mpi/sizes_limits.t \
	tests/mpi/sizes_small.t \
	tests/mpi/ssend_sync.t \
	tests/mpi/status.t \
	tests/mpi/tags.t \
	tests/mpi/threads_buffers.t \
	tests/mpi/threads_comms.t \
	tests/mpi/threads_make_comms.t \
	tests/mpi/threads_make_more.t \
	tests/mpi/threads_requests.t \
	tests/mpi/threads_shared.t \
	tests/mpi/threads_windows.t \
	tests/mpi/tool_events.t \
	tests/mpi/tool_threads.t \
	tests/mpi/tool_vars.t \
	tests/mpi/truncate.t \
	tests/mpi/types.t \
	tests/mpi/unaligned.t \
	tests/mpi/flood_long.t \
	tests/mpi/unexpected_flood.t \
	tests/mpi/unexpected_model.t \
	tests/mpi/user_op_thread.t \
	tests/mpi/wait_any_some.t \
	tests/mpi/wildcards.t \
	tests/mpi/zero_count.t \
	tests/mpi/derived_bottom.t \
	tests/mpi/derived_coll.t \
	tests/mpi/derived_free.t \
	tests/mpi/derived_halo.t \
	tests/mpi/derived_modes.t \
	tests/mpi/derived_partial.t \
	tests/mpi/derived_random.t \
	tests/mpi/derived_ways.t \
	tests/mpi/type_contents.t \
	tests/mpi/type_darray.t \
	tests/mpi/type_errors.t \
	tests/mpi/type_external.t \
	tests/mpi/type_find.t \
	tests/mpi/type_large.t \
	tests/mpi/type_making.t \
	tests/mpi/lock.t \
	tests/mpi/rma_bulk.t \
	tests/mpi/rma_gaps.t \
	tests/mpi/rma_lock.t \
	tests/mpi/rma_large.t \
	tests/mpi/rma_lengths.t \
	tests/mpi/rma_move.t \
	tests/mpi/rma_move_beside.t \
	tests/mpi/rma_order.t \
	tests/mpi/rma_passive.t \
	tests/mpi/rma_programs.t \
	tests/mpi/rma_random.t \
	tests/mpi/rma_types.t \
	tests/mpi/win.t
mpi_test_headers = tests/mpi/t.h tests/mpi/watched.h tests/mpi/compose.h \
	tests/mpi/typemap.h tests/mpi/column.h tests/mpi/random_layout.h tests/mpi/moved.h

TESTS += $(mpi_tests) tests/singleton.sh tests/switches.sh tests/faults.sh tests/levels.sh \
	tests/datagrams.sh tests/no_heap.sh
check_SCRIPTS += $(mpi_tests)
CLEANFILES += $(mpi_tests)
EXTRA_DIST += $(mpi_tests:.t=.c) $(mpi_test_headers) tests/run-mpi.sh tests/ranks.txt
EXTRA_DIST += tests/singleton.sh tests/switches.sh tests/faults.sh tests/levels.sh \
	tests/datagrams.sh tests/no_heap.sh
tests/singleton.log tests/switches.log: $(mpi_tests)

# Compiled and linked in one go; -no-install: they run from the build folder as they are, without
# libtool's wrapper.
mpi_link = $(AM_V_CCLD)$(MKDIR_P) $(@D) && $(LIBTOOL) $(AM_V_lt) --tag=CC --mode=link $(CC) \
	$(AM_CPPFLAGS) -I$(top_srcdir)/tests/mpi $(CPPFLAGS) $(AM_CFLAGS) $(CFLAGS) -pthread \
	$(AM_LDFLAGS) $(LDFLAGS) -no-install -o $@ $< libmpi_abi.la

tests/mpi/%.t: $(top_srcdir)/tests/mpi/%.c $(mpi_test_headers:%=$(top_srcdir)/%) libmpi_abi.la
	$(mpi_link)
