# The NIC: libnicemu_core is all of it, for tests and for the libraries that contain it; libnicemu
# is what programs without MPI link.  Its rooms, from bottom to top, are in the order of this list
# (tests/rooms.txt); an include names its room.
noinst_LTLIBRARIES += libnicemu_core.la
libnicemu_core_la_SOURCES = \
	nicemu/base/base.h \
	nicemu/base/cache.c \
	nicemu/base/cache.h \
	nicemu/base/cmdq.c \
	nicemu/base/cmdq.h \
	nicemu/base/range.c \
	nicemu/base/range.h \
	nicemu/base/text.c \
	nicemu/base/text.h \
	nicemu/base/time.c \
	nicemu/base/time.h \
	nicemu/base/variables.c \
	nicemu/profile/finish.c \
	nicemu/profile/finish.h \
	nicemu/profile/items.h \
	nicemu/profile/keys.c \
	nicemu/profile/keys.h \
	nicemu/profile/mistake.c \
	nicemu/profile/mistake.h \
	nicemu/profile/parse.c \
	nicemu/profile/parse.h \
	nicemu/profile/path.c \
	nicemu/profile/path.h \
	nicemu/profile/quantity.c \
	nicemu/profile/quantity.h \
	nicemu/match/assisted.c \
	nicemu/match/cells.c \
	nicemu/match/cells.h \
	nicemu/match/list.c \
	nicemu/match/unit.c \
	nicemu/time/clock.c \
	nicemu/time/clock.h \
	nicemu/time/costs.c \
	nicemu/time/costs.h \
	nicemu/time/critical_path.c \
	nicemu/time/critical_path.h \
	nicemu/time/critical_path_state.h \
	nicemu/time/critical_path_way.c \
	nicemu/time/event.c \
	nicemu/time/event.h \
	nicemu/time/governor.c \
	nicemu/time/governor.h \
	nicemu/time/log.c \
	nicemu/time/log.h \
	nicemu/time/minima.h \
	nicemu/time/network.c \
	nicemu/time/network.h \
	nicemu/time/nodes.c \
	nicemu/time/nodes.h \
	nicemu/time/slowest.c \
	nicemu/time/slowest.h \
	nicemu/job/create.c \
	nicemu/job/critical_path.c \
	nicemu/job/critical_path.h \
	nicemu/job/environment.c \
	nicemu/job/generation.c \
	nicemu/job/generation.h \
	nicemu/job/hosts.h \
	nicemu/job/joining.c \
	nicemu/job/places.c \
	nicemu/job/places.h \
	nicemu/job/modelled.c \
	nicemu/job/modelled.h \
	nicemu/job/protect.c \
	nicemu/job/protect.h \
	nicemu/job/proxy_box.h \
	nicemu/job/region_table.h \
	nicemu/job/ring.h \
	nicemu/job/seat.c \
	nicemu/job/segment.c \
	nicemu/job/segment.h \
	nicemu/job/sizes.c \
	nicemu/core/affinity.c \
	nicemu/core/affinity.h \
	nicemu/core/baton.h \
	nicemu/core/callers.c \
	nicemu/core/callers.h \
	nicemu/core/demand.c \
	nicemu/core/demand.h \
	nicemu/core/doorbell.c \
	nicemu/core/doorbell.h \
	nicemu/core/entry.c \
	nicemu/core/figures.h \
	nicemu/core/heap_blocks.c \
	nicemu/core/heap_blocks.h \
	nicemu/core/host.c \
	nicemu/core/link.h \
	nicemu/core/model_ops.h \
	nicemu/core/nic.h \
	nicemu/core/notify.c \
	nicemu/core/notify.h \
	nicemu/core/program.c \
	nicemu/core/program.h \
	nicemu/core/program_keys.c \
	nicemu/core/program_keys.h \
	nicemu/core/room.c \
	nicemu/core/room.h \
	nicemu/core/scratchpad.c \
	nicemu/core/scratchpad.h \
	nicemu/core/stats.c \
	nicemu/core/step.c \
	nicemu/core/step.h \
	nicemu/core/thread.c \
	nicemu/core/thread.h \
	nicemu/core/units.h \
	nicemu/core/wait.c \
	nicemu/link/copy.c \
	nicemu/link/copy.h \
	nicemu/link/lines.c \
	nicemu/link/lines.h \
	nicemu/link/links.h \
	nicemu/link/loop.c \
	nicemu/link/receive.c \
	nicemu/link/receive.h \
	nicemu/link/send.c \
	nicemu/link/send.h \
	nicemu/link/shm.c \
	nicemu/remote/backlog.c \
	nicemu/remote/backlog.h \
	nicemu/remote/counter.c \
	nicemu/remote/counters.h \
	nicemu/remote/op.c \
	nicemu/remote/op.h \
	nicemu/remote/packets.c \
	nicemu/remote/packets.h \
	nicemu/remote/post.c \
	nicemu/remote/post.h \
	nicemu/remote/reach.c \
	nicemu/remote/reach.h \
	nicemu/remote/region.c \
	nicemu/remote/region.h \
	nicemu/remote/staged.c \
	nicemu/remote/staged.h \
	nicemu/remote/store.c \
	nicemu/remote/store.h \
	nicemu/remote/transfer.c \
	nicemu/remote/transfer.h \
	nicemu/offload/atomic.c \
	nicemu/offload/atomic_op.c \
	nicemu/offload/atomic_op.h \
	nicemu/offload/atomics.h \
	nicemu/offload/guard.c \
	nicemu/offload/guard.h \
	nicemu/offload/multi_send.c \
	nicemu/offload/multi_send.h \
	nicemu/offload/pgas.c \
	nicemu/offload/pgas.h \
	nicemu/offload/pgas_queue.c \
	nicemu/offload/pgas_ring.h \
	nicemu/offload/pgas_state.h \
	nicemu/offload/pgas_write.c \
	nicemu/offload/queue.c \
	nicemu/offload/queue_credit.c \
	nicemu/offload/queue_credit.h \
	nicemu/offload/queue_ring.c \
	nicemu/offload/queue_ring.h \
	nicemu/offload/queues.h \
	nicemu/offload/trigger.c \
	nicemu/offload/triggers.h \
	nicemu/reliable/crc32.c \
	nicemu/reliable/crc32.h \
	nicemu/reliable/datagram.c \
	nicemu/reliable/datagram.h \
	nicemu/reliable/fault.c \
	nicemu/reliable/fault.h \
	nicemu/reliable/incarnation.c \
	nicemu/reliable/incarnation.h \
	nicemu/reliable/streams.c \
	nicemu/reliable/streams.h \
	nicemu/reliable/window.c \
	nicemu/reliable/window.h \
	nicemu/wire/address.c \
	nicemu/wire/address.h \
	nicemu/wire/directory.c \
	nicemu/wire/directory.h \
	nicemu/wire/frame.c \
	nicemu/wire/frame.h \
	nicemu/wire/link.c \
	nicemu/wire/link.h \
	nicemu/wire/load.c \
	nicemu/wire/load.h \
	nicemu/wire/local.c \
	nicemu/wire/local.h \
	nicemu/wire/module.h \
	nicemu/wire/patrol.c \
	nicemu/wire/patrol.h \
	nicemu/wire/peer.c \
	nicemu/wire/peer.h \
	nicemu/wire/pieces.c \
	nicemu/wire/pieces.h \
	nicemu/wire/read.c \
	nicemu/wire/read.h \
	nicemu/wire/receive.c \
	nicemu/wire/receive.h \
	nicemu/wire/reliable.c \
	nicemu/wire/reliable.h \
	nicemu/wire/send.c \
	nicemu/wire/send.h \
	nicemu/wire/stack.c \
	nicemu/wire/stack.h \
	nicemu/wire/state.h \
	nicemu/wire/watch.c \
	nicemu/wire/watch.h \
	nicemu/model/charge.c \
	nicemu/model/charges.c \
	nicemu/model/charges.h \
	nicemu/model/critical_path.c \
	nicemu/model/critical_path.h \
	nicemu/model/engine.c \
	nicemu/model/engine.h \
	nicemu/model/flow.c \
	nicemu/model/flow.h \
	nicemu/model/flow_boot.c \
	nicemu/model/flow_boot.h \
	nicemu/model/flow_receive.c \
	nicemu/model/flow_receive.h \
	nicemu/model/flow_send.c \
	nicemu/model/flow_send.h \
	nicemu/model/flow_state.h \
	nicemu/model/flow_wire.c \
	nicemu/model/flow_wire.h \
	nicemu/model/forward.c \
	nicemu/model/forward.h \
	nicemu/model/host.c \
	nicemu/model/host.h \
	nicemu/model/inbox.c \
	nicemu/model/interrupt.c \
	nicemu/model/inbox.h \
	nicemu/model/interrupt.h \
	nicemu/model/list.c \
	nicemu/model/lists.h \
	nicemu/model/notified_rdma.c \
	nicemu/model/notified_rdma.h \
	nicemu/model/open.c \
	nicemu/model/open.h \
	nicemu/model/node.c \
	nicemu/model/node.h \
	nicemu/model/pgas_unit.c \
	nicemu/model/pgas_unit.h \
	nicemu/model/promise.c \
	nicemu/model/promise.h \
	nicemu/model/proxy_copy.c \
	nicemu/model/proxy_copy.h \
	nicemu/model/route.c \
	nicemu/model/route.h \
	nicemu/model/send.c \
	nicemu/model/send.h \
	nicemu/model/state.h \
	nicemu/model/tracer.c \
	nicemu/model/tracer.h \
	nicemu/nic.c \
	nicemu/units.c \
	nicemu/values.c \
	nicemu/units.h
libnicemu_core_la_CPPFLAGS = $(AM_CPPFLAGS) -I$(top_srcdir)/nicemu \
	-DNIC_PROFILES_DIR='"$(profilesdir)"' -DNIC_MODULES_DIR='"$(pkglibdir)"' \
	-DNIC_PACKAGE='"$(PACKAGE)"'

# It exports what the public headers declare: they make those names visible, all others are hidden.
lib_LTLIBRARIES += libnicemu.la
libnicemu_la_SOURCES =
libnicemu_la_LIBADD = libnicemu_core.la
libnicemu_la_LDFLAGS = $(AM_LDFLAGS) -version-info 0:0:0 -export-symbols-regex '^nic_'

pkgconfig_DATA += nicemu.pc

# What carries to other machines, opened when it is needed: nothing else is linked with libfabric.
# Programs of the build find it below lib/ and .libs/ of the build's folder, as in an installation.
ofi_sources = \
	nicemu/ofi/endpoint.c \
	nicemu/ofi/endpoint.h \
	nicemu/ofi/inner.c \
	nicemu/ofi/inner.h \
	nicemu/ofi/module.c \
	nicemu/ofi/provider.c \
	nicemu/ofi/provider.h \
	nicemu/ofi/read.c \
	nicemu/ofi/read.h \
	nicemu/ofi/receive.c \
	nicemu/ofi/receive.h \
	nicemu/ofi/send.c \
	nicemu/ofi/send.h \
	nicemu/ofi/sleep.c \
	nicemu/ofi/sleep.h \
	nicemu/ofi/state.h
ofi_cppflags = $(AM_CPPFLAGS) -I$(top_srcdir)/nicemu $(LIBFABRIC_CFLAGS)
if OFI
pkglib_LTLIBRARIES += libnicemu_ofi.la
libnicemu_ofi_la_SOURCES = $(ofi_sources)
libnicemu_ofi_la_CPPFLAGS = $(ofi_cppflags)
libnicemu_ofi_la_LIBADD = $(LIBFABRIC_LIBS)
libnicemu_ofi_la_LDFLAGS = $(SANITIZER_FLAGS) -module -avoid-version \
	-export-symbols-regex '^nic_wire_module$$'
noinst_DATA += .libs/$(PACKAGE) lib/$(PACKAGE)
CLEANFILES += .libs/$(PACKAGE) lib/$(PACKAGE)
.libs/$(PACKAGE):
	$(AM_V_GEN)$(MKDIR_P) $(@D) && rm -f $@ && $(LN_S) . $@
lib/$(PACKAGE):
	$(AM_V_GEN)$(MKDIR_P) $(@D) && rm -f $@ && $(LN_S) ../.libs $@
else
EXTRA_DIST += $(ofi_sources)
endif
# Libtool makes no module where there are no shared libraries.  The tests of a sanitized build load
# this one, which has that sanitizer too; it is not installed.
if OFI_FOR_TESTS
ofi_for_tests = lib/$(PACKAGE)/libnicemu_ofi.so
noinst_DATA += $(ofi_for_tests)
CLEANFILES += $(ofi_for_tests)
$(ofi_for_tests): $(ofi_sources) nicemu/wire/module.h
	$(AM_V_GEN)$(MKDIR_P) $(@D) && \
	    $(CC) $(DEFS) $(DEFAULT_INCLUDES) $(ofi_cppflags) $(CPPFLAGS) $(AM_CFLAGS) $(CFLAGS) \
	    -fPIC -shared -o $@-new $(filter %.c,$^) $(LDFLAGS) $(LIBFABRIC_LIBS) && mv $@-new $@
endif

# Profiles of the model clock.  Programs look for them in share/ beside their own folder: of an
# installation, or of a build.
profilesdir = $(pkgdatadir)/profiles
dist_profiles_DATA = \
	nicemu/profile/fpga-scratchpad.conf \
	nicemu/profile/ideal.conf \
	nicemu/profile/lanai43-fm.conf \
	nicemu/profile/lanai43.conf \
	nicemu/profile/lanai72.conf \
	nicemu/profile/lanai91.conf \
	nicemu/profile/lanai91-mpi.conf \
	nicemu/profile/pgas-xt.conf \
	nicemu/profile/seastar.conf \
	nicemu/profile/redstorm-alpu.conf
noinst_DATA += share/$(PACKAGE)/profiles
CLEANFILES += share/$(PACKAGE)/profiles
share/$(PACKAGE)/profiles:
	$(AM_V_GEN)$(MKDIR_P) $(@D) && rm -f $@ && $(LN_S) '$(abs_top_srcdir)/nicemu/profile' $@

bin_PROGRAMS += bin/nicinfo
dist_man_MANS += doc/man/nicinfo.1
bin_nicinfo_SOURCES = nicemu/tool/nicinfo.c
bin_nicinfo_CPPFLAGS = $(AM_CPPFLAGS) -I$(top_srcdir)/nicemu -DNIC_VERSION='"$(PACKAGE_VERSION)"'
bin_nicinfo_LDADD = libnicemu_core.la
