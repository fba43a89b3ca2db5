noinst_LTLIBRARIES += libnicemu.la
libnicemu_la_SOURCES = \
	nicemu/alpu.c nicemu/alpu_cells.c nicemu/alpu_cells.h nicemu/alpu_list.c nicemu/alpu_unit.c \
	nicemu/baton.h nicemu/clock.c nicemu/clock.h nicemu/cmdq.c nicemu/cmdq.h nicemu/counter.c nicemu/counters.h nicemu/doorbell.c \
	nicemu/engine.c nicemu/engine.h nicemu/event.c nicemu/event.h nicemu/governor.c nicemu/governor.h \
	nicemu/model.c nicemu/model.h nicemu/model_costs.c nicemu/model_job.c nicemu/model_log.c nicemu/model_log.h nicemu/inbox.c nicemu/link.h nicemu/link_loop.c nicemu/link_shm.c nicemu/nic.c \
	nicemu/place.c nicemu/rdma.c nicemu/region.c nicemu/region.h nicemu/remote.c nicemu/remote.h nicemu/ring.h nicemu/segment.c nicemu/segment.h \
	nicemu/spad.c nicemu/spad.h nicemu/staged.c nicemu/thread.c nicemu/transfer.c nicemu/transfer.h nicemu/wait.c
libnicemu_la_SOURCES += \
	nicemu/atomic.c nicemu/atomic_unit.c nicemu/atomics.h nicemu/hwqueue.c nicemu/hwqueue.h nicemu/hwqueue_flow.c nicemu/message.c nicemu/trigger.c
libnicemu_la_CPPFLAGS = $(AM_CPPFLAGS)
nicemuinclude_HEADERS += include/nicemu/alpu_unit.h
