noinst_LTLIBRARIES += libnicemu.la
libnicemu_la_SOURCES = \
	nicemu/alpu.c nicemu/baton.h nicemu/clock.c nicemu/clock.h nicemu/cmdq.c nicemu/cmdq.h nicemu/doorbell.c \
	nicemu/engine.c nicemu/engine.h nicemu/inbox.c nicemu/link.h nicemu/link_loop.c nicemu/link_shm.c nicemu/nic.c \
	nicemu/rdma.c nicemu/ring.h nicemu/segment.c nicemu/segment.h nicemu/spad.c nicemu/spad.h nicemu/stats.c nicemu/stats.h nicemu/thread.c nicemu/wait.c
libnicemu_la_CPPFLAGS = $(AM_CPPFLAGS)
