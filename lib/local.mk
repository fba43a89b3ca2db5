# The MPI layer and the firmware: libmpi_core is all of it, for tests; libmpi_abi is what programs link.
noinst_LTLIBRARIES += libmpi_core.la
libmpi_core_la_SOURCES = \
	lib/coll/alias.c \
	lib/coll/alias.h \
	lib/coll/allgather.c \
	lib/coll/alltoall.c \
	lib/coll/barrier.c \
	lib/coll/bcast.c \
	lib/coll/build.c \
	lib/coll/build.h \
	lib/coll/coll.c \
	lib/coll/coll.h \
	lib/coll/gather.c \
	lib/coll/reduce.c \
	lib/coll/reduce_scatter.c \
	lib/coll/scan.c \
	lib/coll/sign.c \
	lib/coll/sign.h \
	lib/coll/slot.c \
	lib/coll/start.c \
	lib/coll/tree.c \
	lib/coll/tree.h \
	lib/fw/both_ends.c \
	lib/fw/eager.c \
	lib/fw/fw.h \
	lib/fw/inside.h \
	lib/fw/line.c \
	lib/fw/program.c \
	lib/fw/queues.c \
	lib/fw/request.c \
	lib/fw/ring.c \
	lib/fw/ring.h \
	lib/fw/rndv.c \
	lib/fw/rndv_get.c \
	lib/fw/rndv_put.c \
	lib/fw/schedule.c \
	lib/fw/schedule.h \
	lib/fw/sendq.c \
	lib/fw/slab.c \
	lib/fw/slots.c \
	lib/fw/slots.h \
	lib/fw/staged.c \
	lib/fw/stats.c \
	lib/fw/stats.h \
	lib/fw/withdraw.c \
	lib/mpi/args.c \
	lib/mpi/buffer.c \
	lib/mpi/comm.c \
	lib/mpi/comm.h \
	lib/mpi/context.c \
	lib/mpi/context.h \
	lib/mpi/convert.c \
	lib/mpi/elem.h \
	lib/mpi/env.c \
	lib/mpi/err.c \
	lib/mpi/err.h \
	lib/mpi/err_class.c \
	lib/mpi/group.c \
	lib/mpi/group.h \
	lib/mpi/handle.c \
	lib/mpi/handle.h \
	lib/mpi/info.c \
	lib/mpi/info.h \
	lib/mpi/info_env.c \
	lib/mpi/info_env.h \
	lib/mpi/init.c \
	lib/mpi/init.h \
	lib/mpi/label.c \
	lib/mpi/label.h \
	lib/mpi/mem.c \
	lib/mpi/mem.h \
	lib/mpi/note.c \
	lib/mpi/note.h \
	lib/mpi/op.c \
	lib/mpi/op.h \
	lib/mpi/op_table.c \
	lib/mpi/persistent.c \
	lib/mpi/probe.c \
	lib/mpi/recv.c \
	lib/mpi/req.c \
	lib/mpi/req.h \
	lib/mpi/send.c \
	lib/mpi/stats.c \
	lib/mpi/stats.h \
	lib/mpi/status.c \
	lib/mpi/status.h \
	lib/mpi/thread.c \
	lib/mpi/thread.h \
	lib/mpi/twin.h \
	lib/mpi/type.c \
	lib/mpi/type.h \
	lib/mpi/wait.c \
	lib/mpi/world.h \
	lib/base/printable.h \
	lib/type/layout.c \
	lib/type/layout.h \
	lib/type/pack.c \
	lib/type/pack.h \
	lib/type/signature.c \
	lib/type/signature.h
libmpi_core_la_CPPFLAGS = $(AM_CPPFLAGS) -I$(top_srcdir)/lib
libmpi_core_la_LIBADD = libnicemu_core.la

lib_LTLIBRARIES += libmpi_abi.la
libmpi_abi_la_SOURCES =
libmpi_abi_la_LIBADD = libmpi_core.la
libmpi_abi_la_LDFLAGS = $(AM_LDFLAGS) -version-info 1:0:0 -export-symbols-regex '^P?MPIX?_'
