noinst_LTLIBRARIES += libnicemu.la
libnicemu_la_SOURCES = \
	nicemu/alpu.c nicemu/alpu_cells.c nicemu/alpu_cells.h nicemu/alpu_list.c nicemu/alpu_unit.c nicemu/amount.c \
	nicemu/baton.h nicemu/clock.c nicemu/clock.h nicemu/cmdq.c nicemu/cmdq.h nicemu/doorbell.c nicemu/draft.c nicemu/draft.h \
	nicemu/engine.c nicemu/engine.h nicemu/inbox.c nicemu/link.h nicemu/link_loop.c nicemu/link_shm.c nicemu/nic.c \
	nicemu/place.c nicemu/profile.c nicemu/profile_path.c nicemu/rdma.c nicemu/ring.h nicemu/segment.c nicemu/segment.h nicemu/spad.c nicemu/spad.h nicemu/thread.c nicemu/wait.c
libnicemu_la_CPPFLAGS = $(AM_CPPFLAGS) -DNIC_PROFILES_DIR='"$(profilesdir)"' -DNIC_PACKAGE='"$(PACKAGE)"'
nicemuinclude_HEADERS += include/nicemu/alpu_unit.h include/nicemu/profile.h

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
bin_nicinfo_LDADD = libnicemu.la
