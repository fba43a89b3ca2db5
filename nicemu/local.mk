noinst_LTLIBRARIES += libnicemu.la
libnicemu_la_SOURCES = \
	nicemu/alpu.c nicemu/alpu_cells.c nicemu/alpu_cells.h nicemu/alpu_list.c nicemu/alpu_unit.c \
	nicemu/baton.h nicemu/clock.c nicemu/clock.h nicemu/cmdq.c nicemu/cmdq.h nicemu/doorbell.c nicemu/draft.h \
	nicemu/engine.c nicemu/engine.h nicemu/inbox.c nicemu/link.h nicemu/link_loop.c nicemu/link_shm.c nicemu/nic.c \
	nicemu/place.c nicemu/profile.c nicemu/rdma.c nicemu/ring.h nicemu/segment.c nicemu/segment.h nicemu/spad.c nicemu/spad.h nicemu/thread.c nicemu/wait.c
libnicemu_la_CPPFLAGS = $(AM_CPPFLAGS)
nicemuinclude_HEADERS += include/nicemu/alpu_unit.h include/nicemu/profile.h

# Profiles of the model clock.  Programs look for them beside themselves: in share/ of an installation, in nicemu/ of a build.
profilesdir = $(pkgdatadir)/profiles
dist_profiles_DATA = nicemu/profiles/ideal.conf
