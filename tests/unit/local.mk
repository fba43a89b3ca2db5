# Unit tests, one program per module, with the check library.  A new one is a name in the list and
# the three lines below.  Each sees private headers and links the modules themselves; no launcher is
# involved.
unit_cppflags = $(AM_CPPFLAGS) -I$(top_srcdir)/nicemu -I$(top_srcdir)/lib
unit_cflags = $(AM_CFLAGS) $(CHECK_CFLAGS)
unit_libs = libmpi_core.la libnicemu_core.la $(CHECK_LIBS)

unit_tests = \
	tests/unit/test_abi \
	tests/unit/test_alpu \
	tests/unit/test_alpu_cells \
	tests/unit/test_alpu_list \
	tests/unit/test_alpu_threshold \
	tests/unit/test_alpu_unit \
	tests/unit/test_announced \
	tests/unit/test_areas \
	tests/unit/test_asked \
	tests/unit/test_at_once \
	tests/unit/test_atomic \
	tests/unit/test_atomic_wrap \
	tests/unit/test_boot \
	tests/unit/test_build \
	tests/unit/test_bulk \
	tests/unit/test_moved \
	tests/unit/test_charge \
	tests/unit/test_away \
	tests/unit/test_plays \
	tests/unit/test_claims \
	tests/unit/test_clock \
	tests/unit/test_cmdq \
	tests/unit/test_copy_fails \
	tests/unit/test_costs \
	tests/unit/test_counter \
	tests/unit/test_credits \
	tests/unit/test_engine \
	tests/unit/test_errand \
	tests/unit/test_err \
	tests/unit/test_external \
	tests/unit/test_firmware \
	tests/unit/test_forged \
	tests/unit/test_fw_ring \
	tests/unit/test_gaps \
	tests/unit/test_garbage \
	tests/unit/test_generation \
	tests/unit/test_grid_place \
	tests/unit/test_group \
	tests/unit/test_handle \
	tests/unit/test_governor \
	tests/unit/test_heap \
	tests/unit/test_hosts \
	tests/unit/test_hwqueue \
	tests/unit/test_label \
	tests/unit/test_layout \
	tests/unit/test_lines \
	tests/unit/test_lists \
	tests/unit/test_lost \
	tests/unit/test_model \
	tests/unit/test_model_gone \
	tests/unit/test_model_order \
	tests/unit/test_network \
	tests/unit/test_node \
	tests/unit/test_model_parts \
	tests/unit/test_model_promise \
	tests/unit/test_model_random \
	tests/unit/test_model_remote \
	tests/unit/test_multi \
	tests/unit/test_nearest \
	tests/unit/test_note \
	tests/unit/test_notify \
	tests/unit/test_op \
	tests/unit/test_packet \
	tests/unit/test_patrol \
	tests/unit/test_pgas \
	tests/unit/test_pgas_ring \
	tests/unit/test_pieces \
	tests/unit/test_place tests/unit/test_pmi tests/unit/test_post \
	tests/unit/test_printable \
	tests/unit/test_profile \
	tests/unit/test_put_paths \
	tests/unit/test_protect \
	tests/unit/test_rdma \
	tests/unit/test_refusal \
	tests/unit/test_region \
	tests/unit/test_remote \
	tests/unit/test_ring \
	tests/unit/test_rndv \
	tests/unit/test_rndv_away \
	tests/unit/test_schedule \
	tests/unit/test_slots \
	tests/unit/test_chain \
	tests/unit/test_room \
	tests/unit/test_scribble \
	tests/unit/test_segment \
	tests/unit/test_fingerprint \
	tests/unit/test_sizes \
	tests/unit/test_sleep \
	tests/unit/test_spad \
	tests/unit/test_spans \
	tests/unit/test_stats \
	tests/unit/test_status \
	tests/unit/test_stray \
	tests/unit/test_tree \
	tests/unit/test_withdraw \
	tests/unit/test_stream \
	tests/unit/test_submit \
	tests/unit/test_tasks \
	tests/unit/test_threads \
	tests/unit/test_turns \
	tests/unit/test_transfer \
	tests/unit/test_trigger \
	tests/unit/test_type \
	tests/unit/test_unpark \
	tests/unit/test_frames \
	tests/unit/test_refill \
	tests/unit/test_copies \
	tests/unit/test_reliable \
	tests/unit/test_window \
	tests/unit/test_wire \
	tests/unit/test_wire_close \
	tests/unit/test_wire_frame \
	tests/unit/test_wire_gather \
	tests/unit/test_wire_module \
	tests/unit/test_wire_pieces \
	tests/unit/test_wire_places \
	tests/unit/test_wire_read \
	tests/unit/test_wire_reliable \
	tests/unit/test_wire_sleep \
	tests/unit/test_woken \
	tests/unit/test_writable

if HAVE_CHECK
check_PROGRAMS += $(unit_tests) tests/unit/stuck
TESTS += $(unit_tests) tests/unit/names.sh
else
TESTS += tests/unit/skipped.sh
endif

EXTRA_DIST += \
	tests/unit/alone.h \
	tests/unit/loop.h \
	tests/unit/machines.h \
	tests/unit/modelled.h \
	tests/unit/names.sh \
	tests/unit/pmi_server.h \
	tests/unit/ranks.h \
	tests/unit/rndv.h \
	tests/unit/shapes.h \
	tests/unit/skipped.sh \
	tests/unit/suite.h \
	tests/unit/types.h
EXTRA_DIST += \
	tests/unit/alpu_lists.h \
	tests/unit/alpu_oracle.h \
	tests/unit/counting.h \
	tests/unit/offload.h \
	tests/unit/transfers.h

tests_unit_stuck_CFLAGS = $(unit_cflags)
tests_unit_stuck_LDADD = $(CHECK_LIBS)

tests_unit_test_abi_CPPFLAGS = $(unit_cppflags)
tests_unit_test_abi_CFLAGS = $(unit_cflags)
tests_unit_test_abi_LDADD = $(unit_libs)

tests_unit_test_alpu_CPPFLAGS = $(unit_cppflags)
tests_unit_test_alpu_CFLAGS = $(unit_cflags)
tests_unit_test_alpu_LDADD = $(unit_libs)

tests_unit_test_alpu_cells_CPPFLAGS = $(unit_cppflags)
tests_unit_test_alpu_cells_CFLAGS = $(unit_cflags)
tests_unit_test_alpu_cells_LDADD = $(unit_libs)

tests_unit_test_alpu_list_CPPFLAGS = $(unit_cppflags)
tests_unit_test_alpu_list_CFLAGS = $(unit_cflags)
tests_unit_test_alpu_list_LDADD = $(unit_libs)

tests_unit_test_alpu_threshold_CPPFLAGS = $(unit_cppflags)
tests_unit_test_alpu_threshold_CFLAGS = $(unit_cflags)
tests_unit_test_alpu_threshold_LDADD = $(unit_libs)

tests_unit_test_alpu_unit_CPPFLAGS = $(unit_cppflags)
tests_unit_test_alpu_unit_CFLAGS = $(unit_cflags)
tests_unit_test_alpu_unit_LDADD = $(unit_libs)
tests_unit_test_atomic_wrap_CPPFLAGS = $(unit_cppflags)
tests_unit_test_atomic_wrap_CFLAGS = $(unit_cflags)
tests_unit_test_atomic_wrap_LDADD = $(unit_libs)

tests_unit_test_announced_CPPFLAGS = $(unit_cppflags)
tests_unit_test_announced_CFLAGS = $(unit_cflags)
tests_unit_test_announced_LDADD = $(unit_libs)

tests_unit_test_areas_CPPFLAGS = $(unit_cppflags)
tests_unit_test_areas_CFLAGS = $(unit_cflags)
tests_unit_test_areas_LDADD = $(unit_libs)

tests_unit_test_at_once_CPPFLAGS = $(unit_cppflags)
tests_unit_test_at_once_CFLAGS = $(unit_cflags)
tests_unit_test_at_once_LDADD = $(unit_libs)

tests_unit_test_atomic_CPPFLAGS = $(unit_cppflags)
tests_unit_test_atomic_CFLAGS = $(unit_cflags)
tests_unit_test_atomic_LDADD = $(unit_libs)

tests_unit_test_build_CPPFLAGS = $(unit_cppflags)
tests_unit_test_build_CFLAGS = $(unit_cflags)
tests_unit_test_build_LDADD = $(unit_libs)

tests_unit_test_bulk_CPPFLAGS = $(unit_cppflags)
tests_unit_test_bulk_CFLAGS = $(unit_cflags)
tests_unit_test_bulk_LDADD = $(unit_libs)

tests_unit_test_moved_CPPFLAGS = $(unit_cppflags)
tests_unit_test_moved_CFLAGS = $(unit_cflags)
tests_unit_test_moved_LDADD = $(unit_libs)

tests_unit_test_clock_CPPFLAGS = $(unit_cppflags)
tests_unit_test_clock_CFLAGS = $(unit_cflags)
tests_unit_test_clock_LDADD = $(unit_libs)

tests_unit_test_cmdq_CPPFLAGS = $(unit_cppflags)
tests_unit_test_cmdq_CFLAGS = $(unit_cflags)
tests_unit_test_cmdq_LDADD = $(unit_libs)

tests_unit_test_counter_CPPFLAGS = $(unit_cppflags)
tests_unit_test_counter_CFLAGS = $(unit_cflags)
tests_unit_test_counter_LDADD = $(unit_libs)

tests_unit_test_engine_CPPFLAGS = $(unit_cppflags)
tests_unit_test_engine_CFLAGS = $(unit_cflags)
tests_unit_test_engine_LDADD = $(unit_libs)

tests_unit_test_errand_CPPFLAGS = $(unit_cppflags)
tests_unit_test_errand_CFLAGS = $(unit_cflags)
tests_unit_test_errand_LDADD = $(unit_libs)

tests_unit_test_err_CPPFLAGS = $(unit_cppflags)
tests_unit_test_err_CFLAGS = $(unit_cflags)
tests_unit_test_err_LDADD = $(unit_libs)

tests_unit_test_firmware_CPPFLAGS = $(unit_cppflags)
tests_unit_test_firmware_CFLAGS = $(unit_cflags)
tests_unit_test_firmware_LDADD = $(unit_libs)

tests_unit_test_fw_ring_CPPFLAGS = $(unit_cppflags)
tests_unit_test_fw_ring_CFLAGS = $(unit_cflags)
tests_unit_test_fw_ring_LDADD = $(unit_libs)
tests_unit_test_gaps_CPPFLAGS = $(unit_cppflags)
tests_unit_test_gaps_CFLAGS = $(unit_cflags)
tests_unit_test_gaps_LDADD = $(unit_libs)

tests_unit_test_garbage_CPPFLAGS = $(unit_cppflags)
tests_unit_test_garbage_CFLAGS = $(unit_cflags)
tests_unit_test_garbage_LDADD = $(unit_libs)

tests_unit_test_generation_CPPFLAGS = $(unit_cppflags)
tests_unit_test_generation_CFLAGS = $(unit_cflags)
tests_unit_test_generation_LDADD = $(unit_libs)

tests_unit_test_grid_place_CPPFLAGS = $(unit_cppflags)
tests_unit_test_grid_place_CFLAGS = $(unit_cflags)
tests_unit_test_grid_place_LDADD = $(unit_libs)
tests_unit_test_group_CPPFLAGS = $(unit_cppflags)
tests_unit_test_group_CFLAGS = $(unit_cflags)
tests_unit_test_group_LDADD = $(unit_libs)

tests_unit_test_label_CPPFLAGS = $(unit_cppflags)
tests_unit_test_label_CFLAGS = $(unit_cflags)
tests_unit_test_label_LDADD = $(unit_libs)
tests_unit_test_handle_CPPFLAGS = $(unit_cppflags)
tests_unit_test_handle_CFLAGS = $(unit_cflags)
tests_unit_test_handle_LDADD = $(unit_libs)

tests_unit_test_hosts_CPPFLAGS = $(unit_cppflags)
tests_unit_test_hosts_CFLAGS = $(unit_cflags)
tests_unit_test_hosts_LDADD = $(unit_libs)

tests_unit_test_heap_CPPFLAGS = $(unit_cppflags)
tests_unit_test_heap_CFLAGS = $(unit_cflags)
tests_unit_test_heap_LDADD = $(unit_libs)
tests_unit_test_hwqueue_CPPFLAGS = $(unit_cppflags)
tests_unit_test_hwqueue_CFLAGS = $(unit_cflags)
tests_unit_test_hwqueue_LDADD = $(unit_libs)

tests_unit_test_model_CPPFLAGS = $(unit_cppflags)
tests_unit_test_model_CFLAGS = $(unit_cflags)
tests_unit_test_model_LDADD = $(unit_libs)

tests_unit_test_network_CPPFLAGS = $(unit_cppflags)
tests_unit_test_network_CFLAGS = $(unit_cflags)
tests_unit_test_network_LDADD = $(unit_libs)

tests_unit_test_node_CPPFLAGS = $(unit_cppflags)
tests_unit_test_node_CFLAGS = $(unit_cflags)
tests_unit_test_node_LDADD = $(unit_libs)

tests_unit_test_model_order_CPPFLAGS = $(unit_cppflags)
tests_unit_test_model_order_CFLAGS = $(unit_cflags)
tests_unit_test_model_order_LDADD = $(unit_libs)

tests_unit_test_model_promise_CPPFLAGS = $(unit_cppflags)
tests_unit_test_model_promise_CFLAGS = $(unit_cflags)
tests_unit_test_model_promise_LDADD = $(unit_libs)
tests_unit_test_model_parts_CPPFLAGS = $(unit_cppflags)
tests_unit_test_model_parts_CFLAGS = $(unit_cflags)
tests_unit_test_model_parts_LDADD = $(unit_libs)

tests_unit_test_governor_CPPFLAGS = $(unit_cppflags)
tests_unit_test_governor_CFLAGS = $(unit_cflags)
tests_unit_test_governor_LDADD = $(unit_libs)
tests_unit_test_model_random_CPPFLAGS = $(unit_cppflags)
tests_unit_test_model_random_CFLAGS = $(unit_cflags)
tests_unit_test_model_random_LDADD = $(unit_libs)

tests_unit_test_model_remote_CPPFLAGS = $(unit_cppflags)
tests_unit_test_model_remote_CFLAGS = $(unit_cflags)
tests_unit_test_model_remote_LDADD = $(unit_libs)

tests_unit_test_multi_CPPFLAGS = $(unit_cppflags)
tests_unit_test_multi_CFLAGS = $(unit_cflags)
tests_unit_test_multi_LDADD = $(unit_libs)

tests_unit_test_notify_CPPFLAGS = $(unit_cppflags)
tests_unit_test_notify_CFLAGS = $(unit_cflags)
tests_unit_test_notify_LDADD = $(unit_libs)

tests_unit_test_op_CPPFLAGS = $(unit_cppflags)
tests_unit_test_op_CFLAGS = $(unit_cflags)
tests_unit_test_op_LDADD = $(unit_libs)

tests_unit_test_packet_CPPFLAGS = $(unit_cppflags)
tests_unit_test_packet_CFLAGS = $(unit_cflags)
tests_unit_test_packet_LDADD = $(unit_libs)

tests_unit_test_patrol_CPPFLAGS = $(unit_cppflags)
tests_unit_test_patrol_CFLAGS = $(unit_cflags)
tests_unit_test_patrol_LDADD = $(unit_libs)
tests_unit_test_pgas_CPPFLAGS = $(unit_cppflags)
tests_unit_test_pgas_CFLAGS = $(unit_cflags)
tests_unit_test_pgas_LDADD = $(unit_libs)
tests_unit_test_pgas_ring_CPPFLAGS = $(unit_cppflags)
tests_unit_test_pgas_ring_CFLAGS = $(unit_cflags)
tests_unit_test_pgas_ring_LDADD = $(unit_libs)

tests_unit_test_place_CPPFLAGS = $(unit_cppflags)
tests_unit_test_place_CFLAGS = $(unit_cflags)
tests_unit_test_place_LDADD = $(unit_libs)

tests_unit_test_profile_CPPFLAGS = $(unit_cppflags)
tests_unit_test_profile_CFLAGS = $(unit_cflags)
tests_unit_test_profile_LDADD = $(unit_libs)

tests_unit_test_protect_CPPFLAGS = $(unit_cppflags)
tests_unit_test_protect_CFLAGS = $(unit_cflags)
tests_unit_test_protect_LDADD = $(unit_libs)

tests_unit_test_rdma_CPPFLAGS = $(unit_cppflags)
tests_unit_test_rdma_CFLAGS = $(unit_cflags)
tests_unit_test_rdma_LDADD = $(unit_libs)

tests_unit_test_refusal_CPPFLAGS = $(unit_cppflags)
tests_unit_test_refusal_CFLAGS = $(unit_cflags)
tests_unit_test_refusal_LDADD = $(unit_libs)

tests_unit_test_region_CPPFLAGS = $(unit_cppflags)
tests_unit_test_region_CFLAGS = $(unit_cflags)
tests_unit_test_region_LDADD = $(unit_libs)

tests_unit_test_remote_CPPFLAGS = $(unit_cppflags)
tests_unit_test_remote_CFLAGS = $(unit_cflags)
tests_unit_test_remote_LDADD = $(unit_libs)

tests_unit_test_ring_CPPFLAGS = $(unit_cppflags)
tests_unit_test_ring_CFLAGS = $(unit_cflags)
tests_unit_test_ring_LDADD = $(unit_libs)

tests_unit_test_rndv_CPPFLAGS = $(unit_cppflags)
tests_unit_test_rndv_CFLAGS = $(unit_cflags)
tests_unit_test_rndv_LDADD = $(unit_libs)
tests_unit_test_rndv_away_CPPFLAGS = $(unit_cppflags)
tests_unit_test_rndv_away_CFLAGS = $(unit_cflags)
tests_unit_test_rndv_away_LDADD = $(unit_libs)

tests_unit_test_schedule_CPPFLAGS = $(unit_cppflags)
tests_unit_test_schedule_CFLAGS = $(unit_cflags)
tests_unit_test_schedule_LDADD = $(unit_libs)
tests_unit_test_chain_CPPFLAGS = $(unit_cppflags)
tests_unit_test_chain_CFLAGS = $(unit_cflags)
tests_unit_test_chain_LDADD = $(unit_libs)
tests_unit_test_slots_CPPFLAGS = $(unit_cppflags)
tests_unit_test_slots_CFLAGS = $(unit_cflags)
tests_unit_test_slots_LDADD = $(unit_libs)

tests_unit_test_scribble_CPPFLAGS = $(unit_cppflags)
tests_unit_test_scribble_CFLAGS = $(unit_cflags)
tests_unit_test_scribble_LDADD = $(unit_libs)

tests_unit_test_segment_CPPFLAGS = $(unit_cppflags)
tests_unit_test_segment_CFLAGS = $(unit_cflags)
tests_unit_test_segment_LDADD = $(unit_libs)

tests_unit_test_nearest_CPPFLAGS = $(unit_cppflags)
tests_unit_test_nearest_CFLAGS = $(unit_cflags)
tests_unit_test_nearest_LDADD = $(unit_libs)
tests_unit_test_note_CPPFLAGS = $(unit_cppflags)
tests_unit_test_note_CFLAGS = $(unit_cflags)
tests_unit_test_note_LDADD = $(CHECK_LIBS)
tests_unit_test_external_SOURCES = tests/unit/test_external.c lib/check/external.c
tests_unit_test_external_CPPFLAGS = $(unit_cppflags)
tests_unit_test_external_CFLAGS = $(unit_cflags)
tests_unit_test_external_LDADD = $(CHECK_LIBS)
tests_unit_test_writable_CPPFLAGS = $(unit_cppflags)
tests_unit_test_writable_CFLAGS = $(unit_cflags)
tests_unit_test_writable_LDADD = $(CHECK_LIBS)
tests_unit_test_printable_CPPFLAGS = $(unit_cppflags)
tests_unit_test_printable_CFLAGS = $(unit_cflags)
tests_unit_test_printable_LDADD = $(CHECK_LIBS)
tests_unit_test_sizes_CPPFLAGS = $(unit_cppflags)
tests_unit_test_sizes_CFLAGS = $(unit_cflags)
tests_unit_test_sizes_LDADD = $(unit_libs)

tests_unit_test_sleep_CPPFLAGS = $(unit_cppflags)
tests_unit_test_sleep_CFLAGS = $(unit_cflags)
tests_unit_test_sleep_LDADD = $(unit_libs)

tests_unit_test_spad_CPPFLAGS = $(unit_cppflags)
tests_unit_test_spad_CFLAGS = $(unit_cflags)
tests_unit_test_spad_LDADD = $(unit_libs)

tests_unit_test_stats_CPPFLAGS = $(unit_cppflags)
tests_unit_test_stats_CFLAGS = $(unit_cflags)
tests_unit_test_stats_LDADD = $(unit_libs)

tests_unit_test_status_CPPFLAGS = $(unit_cppflags)
tests_unit_test_status_CFLAGS = $(unit_cflags)
tests_unit_test_status_LDADD = $(unit_libs)

tests_unit_test_stray_CPPFLAGS = $(unit_cppflags)
tests_unit_test_stray_CFLAGS = $(unit_cflags)
tests_unit_test_stray_LDADD = $(unit_libs)

tests_unit_test_tree_CPPFLAGS = $(unit_cppflags)
tests_unit_test_tree_CFLAGS = $(unit_cflags)
tests_unit_test_tree_LDADD = $(unit_libs)

tests_unit_test_withdraw_CPPFLAGS = $(unit_cppflags)
tests_unit_test_withdraw_CFLAGS = $(unit_cflags)
tests_unit_test_withdraw_LDADD = $(unit_libs)

tests_unit_test_turns_CPPFLAGS = $(unit_cppflags)
tests_unit_test_turns_CFLAGS = $(unit_cflags)
tests_unit_test_turns_LDADD = $(unit_libs)

tests_unit_test_stream_CPPFLAGS = $(unit_cppflags)
tests_unit_test_stream_CFLAGS = $(unit_cflags)
tests_unit_test_stream_LDADD = $(unit_libs)

tests_unit_test_tasks_CPPFLAGS = $(unit_cppflags)
tests_unit_test_tasks_CFLAGS = $(unit_cflags)
tests_unit_test_tasks_LDADD = $(unit_libs)

tests_unit_test_threads_CPPFLAGS = $(unit_cppflags)
tests_unit_test_threads_CFLAGS = $(unit_cflags)
tests_unit_test_threads_LDADD = $(unit_libs)
tests_unit_test_transfer_CPPFLAGS = $(unit_cppflags)
tests_unit_test_transfer_CFLAGS = $(unit_cflags)
tests_unit_test_transfer_LDADD = $(unit_libs)

tests_unit_test_trigger_CPPFLAGS = $(unit_cppflags)
tests_unit_test_trigger_CFLAGS = $(unit_cflags)
tests_unit_test_trigger_LDADD = $(unit_libs)

tests_unit_test_type_CPPFLAGS = $(unit_cppflags)
tests_unit_test_type_CFLAGS = $(unit_cflags)
tests_unit_test_type_LDADD = $(unit_libs)

tests_unit_test_woken_CPPFLAGS = $(unit_cppflags)
tests_unit_test_woken_CFLAGS = $(unit_cflags)
tests_unit_test_woken_LDADD = $(unit_libs)

tests_unit_test_forged_CPPFLAGS = $(unit_cppflags)
tests_unit_test_forged_CFLAGS = $(unit_cflags)
tests_unit_test_forged_LDADD = $(unit_libs)

tests_unit_test_away_CPPFLAGS = $(unit_cppflags)
tests_unit_test_away_CFLAGS = $(unit_cflags)
tests_unit_test_away_LDADD = $(unit_libs)

tests_unit_test_credits_CPPFLAGS = $(unit_cppflags)
tests_unit_test_credits_CFLAGS = $(unit_cflags)
tests_unit_test_credits_LDADD = $(unit_libs)

tests_unit_test_claims_CPPFLAGS = $(unit_cppflags)
tests_unit_test_claims_CFLAGS = $(unit_cflags)
tests_unit_test_claims_LDADD = $(unit_libs)

tests_unit_test_spans_CPPFLAGS = $(unit_cppflags)
tests_unit_test_spans_CFLAGS = $(unit_cflags)
tests_unit_test_spans_LDADD = $(unit_libs)

tests_unit_test_pieces_CPPFLAGS = $(unit_cppflags)
tests_unit_test_pieces_CFLAGS = $(unit_cflags)
tests_unit_test_pieces_LDADD = $(unit_libs)

tests_unit_test_room_CPPFLAGS = $(unit_cppflags)
tests_unit_test_room_CFLAGS = $(unit_cflags)
tests_unit_test_room_LDADD = $(unit_libs)

tests_unit_test_unpark_CPPFLAGS = $(unit_cppflags)
tests_unit_test_unpark_CFLAGS = $(unit_cflags)
tests_unit_test_unpark_LDADD = $(unit_libs)

tests_unit_test_copy_fails_CPPFLAGS = $(unit_cppflags)
tests_unit_test_copy_fails_CFLAGS = $(unit_cflags)
tests_unit_test_copy_fails_LDADD = $(unit_libs)

tests_unit_test_costs_CPPFLAGS = $(unit_cppflags)
tests_unit_test_costs_CFLAGS = $(unit_cflags)
tests_unit_test_costs_LDADD = $(unit_libs)

tests_unit_test_put_paths_CPPFLAGS = $(unit_cppflags)
tests_unit_test_put_paths_CFLAGS = $(unit_cflags)
tests_unit_test_put_paths_LDADD = $(unit_libs)

tests_unit_test_plays_CPPFLAGS = $(unit_cppflags)
tests_unit_test_plays_CFLAGS = $(unit_cflags)
tests_unit_test_plays_LDADD = $(unit_libs)

tests_unit_test_fingerprint_CPPFLAGS = $(unit_cppflags)
tests_unit_test_fingerprint_CFLAGS = $(unit_cflags)
tests_unit_test_fingerprint_LDADD = $(unit_libs)

tests_unit_test_layout_CPPFLAGS = $(unit_cppflags)
tests_unit_test_layout_CFLAGS = $(unit_cflags)
tests_unit_test_layout_LDADD = $(unit_libs)

tests_unit_test_pmi_CPPFLAGS = $(unit_cppflags)
tests_unit_test_pmi_CFLAGS = $(unit_cflags)
tests_unit_test_pmi_LDADD = $(unit_libs)

tests_unit_test_lines_CPPFLAGS = $(unit_cppflags)
tests_unit_test_lines_CFLAGS = $(unit_cflags)
tests_unit_test_lines_LDADD = $(unit_libs)
tests_unit_test_lists_CPPFLAGS = $(unit_cppflags)
tests_unit_test_lists_CFLAGS = $(unit_cflags)
tests_unit_test_lists_LDADD = $(unit_libs)
tests_unit_test_lost_CPPFLAGS = $(unit_cppflags)
tests_unit_test_lost_CFLAGS = $(unit_cflags)
tests_unit_test_lost_LDADD = $(unit_libs)

tests_unit_test_boot_CPPFLAGS = $(unit_cppflags)
tests_unit_test_boot_CFLAGS = $(unit_cflags)
tests_unit_test_boot_LDADD = $(unit_libs)

tests_unit_test_model_gone_CPPFLAGS = $(unit_cppflags)
tests_unit_test_model_gone_CFLAGS = $(unit_cflags)
tests_unit_test_model_gone_LDADD = $(unit_libs)

tests_unit_test_post_CPPFLAGS = $(unit_cppflags)
tests_unit_test_post_CFLAGS = $(unit_cflags)
tests_unit_test_post_LDADD = $(unit_libs)

tests_unit_test_charge_CPPFLAGS = $(unit_cppflags)
tests_unit_test_charge_CFLAGS = $(unit_cflags)
tests_unit_test_charge_LDADD = $(unit_libs)

tests_unit_test_frames_CPPFLAGS = $(unit_cppflags)
tests_unit_test_frames_CFLAGS = $(unit_cflags)
tests_unit_test_frames_LDADD = $(unit_libs)
tests_unit_test_refill_CPPFLAGS = $(unit_cppflags)
tests_unit_test_refill_CFLAGS = $(unit_cflags)
tests_unit_test_refill_LDADD = $(unit_libs)
tests_unit_test_copies_CPPFLAGS = $(unit_cppflags)
tests_unit_test_copies_CFLAGS = $(unit_cflags)
tests_unit_test_copies_LDADD = $(unit_libs)
tests_unit_test_reliable_CPPFLAGS = $(unit_cppflags)
tests_unit_test_reliable_CFLAGS = $(unit_cflags)
tests_unit_test_reliable_LDADD = $(unit_libs)
tests_unit_test_submit_CPPFLAGS = $(unit_cppflags)
tests_unit_test_submit_CFLAGS = $(unit_cflags)
tests_unit_test_submit_LDADD = $(unit_libs)
tests_unit_test_asked_CPPFLAGS = $(unit_cppflags)
tests_unit_test_asked_CFLAGS = $(unit_cflags)
tests_unit_test_asked_LDADD = $(unit_libs)
tests_unit_test_window_CPPFLAGS = $(unit_cppflags)
tests_unit_test_window_CFLAGS = $(unit_cflags)
tests_unit_test_window_LDADD = $(unit_libs)
tests_unit_test_wire_close_CPPFLAGS = $(unit_cppflags)
tests_unit_test_wire_close_CFLAGS = $(unit_cflags)
tests_unit_test_wire_close_LDADD = $(unit_libs)
tests_unit_test_wire_frame_CPPFLAGS = $(unit_cppflags)
tests_unit_test_wire_frame_CFLAGS = $(unit_cflags)
tests_unit_test_wire_frame_LDADD = $(unit_libs)
tests_unit_test_wire_gather_CPPFLAGS = $(unit_cppflags)
tests_unit_test_wire_gather_CFLAGS = $(unit_cflags)
tests_unit_test_wire_gather_LDADD = $(unit_libs)
tests_unit_test_wire_module_CPPFLAGS = $(unit_cppflags)
tests_unit_test_wire_module_CFLAGS = $(unit_cflags)
tests_unit_test_wire_module_LDADD = $(unit_libs)
tests_unit_test_wire_pieces_CPPFLAGS = $(unit_cppflags)
tests_unit_test_wire_pieces_CFLAGS = $(unit_cflags)
tests_unit_test_wire_pieces_LDADD = $(unit_libs)
tests_unit_test_wire_places_CPPFLAGS = $(unit_cppflags)
tests_unit_test_wire_places_CFLAGS = $(unit_cflags)
tests_unit_test_wire_places_LDADD = $(unit_libs)
tests_unit_test_wire_read_CPPFLAGS = $(unit_cppflags)
tests_unit_test_wire_read_CFLAGS = $(unit_cflags)
tests_unit_test_wire_read_LDADD = $(unit_libs)

tests_unit_test_wire_reliable_CPPFLAGS = $(unit_cppflags)
tests_unit_test_wire_reliable_CFLAGS = $(unit_cflags)
tests_unit_test_wire_reliable_LDADD = $(unit_libs)
tests_unit_test_wire_sleep_CPPFLAGS = $(unit_cppflags)
tests_unit_test_wire_sleep_CFLAGS = $(unit_cflags)
tests_unit_test_wire_sleep_LDADD = $(unit_libs)
tests_unit_test_wire_CPPFLAGS = $(unit_cppflags)
tests_unit_test_wire_CFLAGS = $(unit_cflags)
tests_unit_test_wire_LDADD = $(unit_libs)
