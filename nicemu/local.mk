# The NIC: libnicemu_core is all of it, for tests and for the libraries that contain it; libnicemu is what programs without MPI link.
noinst_LTLIBRARIES += libnicemu_core.la
libnicemu_core_la_SOURCES = \
	nicemu/alpu.c nicemu/alpu_cells.c nicemu/alpu_cells.h nicemu/alpu_list.c nicemu/alpu_unit.c nicemu/amount.c nicemu/areas.c \
	nicemu/areas.h nicemu/atomic.c nicemu/atomic_unit.c nicemu/atomics.h nicemu/baton.h nicemu/cache.c nicemu/cache.h \
	nicemu/carry.c nicemu/clock.c nicemu/clock.h nicemu/cmdq.c nicemu/cmdq.h nicemu/counter.c nicemu/counters.h \
	nicemu/doorbell.c nicemu/draft.c nicemu/draft.h nicemu/engine.c nicemu/engine.h nicemu/environment.c nicemu/errand.c \
	nicemu/errand.h nicemu/event.c nicemu/event.h nicemu/explain.c nicemu/explain.h nicemu/explain_job.c nicemu/generation.c nicemu/governor.c \
	nicemu/governor.h nicemu/heap.c nicemu/heap.h nicemu/hosts.c nicemu/hosts.h nicemu/hwqueue.c nicemu/hwqueue.h nicemu/hwqueue_flow.c nicemu/inbox.c \
	nicemu/link.h nicemu/link_loop.c nicemu/link_shm.c nicemu/list.c nicemu/list.h nicemu/message.c nicemu/model.c \
	nicemu/model.h nicemu/model_costs.c nicemu/model_engine.c nicemu/model_host.c nicemu/model_inside.h nicemu/model_job.c \
	nicemu/model_log.c nicemu/model_log.h nicemu/model_send.c nicemu/nic.c nicemu/pgas.c nicemu/pgas.h nicemu/pgas_queue.c \
	nicemu/pgas_ring.h nicemu/place.c nicemu/profile.c nicemu/profile_path.c nicemu/protect.c nicemu/rdma.c nicemu/region.c nicemu/region.h \
	nicemu/remote.c nicemu/remote.h nicemu/ring.h nicemu/segment.c nicemu/segment.h nicemu/sizes.c nicemu/spad.c nicemu/spad.h \
	nicemu/staged.c nicemu/stats.c nicemu/stats.h nicemu/text.c nicemu/text.h nicemu/thread.c nicemu/transfer.c nicemu/transfer.h nicemu/trigger.c \
	nicemu/wait.c
libnicemu_core_la_CPPFLAGS = $(AM_CPPFLAGS) -DNIC_PROFILES_DIR='"$(profilesdir)"' -DNIC_PACKAGE='"$(PACKAGE)"'

# It exports what the public headers declare: they make those names visible, and all others are hidden.
lib_LTLIBRARIES += libnicemu.la
libnicemu_la_SOURCES =
libnicemu_la_LIBADD = libnicemu_core.la
libnicemu_la_LDFLAGS = $(AM_LDFLAGS) -version-info 0:0:0 -export-symbols-regex '^nic_'

pkgconfig_DATA += nicemu.pc

# Profiles of the model clock.  Programs look for them in share/ beside their own folder: of an installation, or of a build.
profilesdir = $(pkgdatadir)/profiles
dist_profiles_DATA = nicemu/profiles/fpga-scratchpad.conf nicemu/profiles/ideal.conf nicemu/profiles/redstorm-alpu.conf
noinst_DATA += share/$(PACKAGE)/profiles
CLEANFILES += share/$(PACKAGE)/profiles
share/$(PACKAGE)/profiles:
	$(AM_V_GEN)$(MKDIR_P) $(@D) && rm -f $@ && $(LN_S) '$(abs_top_srcdir)/nicemu/profiles' $@

bin_PROGRAMS += bin/nicinfo
dist_man_MANS += doc/man/nicinfo.1
bin_nicinfo_SOURCES = nicemu/nicinfo.c
bin_nicinfo_CPPFLAGS = $(AM_CPPFLAGS) -DNIC_VERSION='"$(PACKAGE_VERSION)"'
bin_nicinfo_LDADD = libnicemu_core.la
