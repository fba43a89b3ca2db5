# SHMEM: a library of its own above libmpi_abi, whose door (lib/mpi/door.h) it uses besides the
# functions of MPI.
lib_LTLIBRARIES += libshmem.la
libshmem_la_SOURCES = \
	lib/shmem/access.c \
	lib/shmem/access.h \
	lib/shmem/atomic.c \
	lib/shmem/blocks.c \
	lib/shmem/blocks.h \
	lib/shmem/change.h \
	lib/shmem/coll.c \
	lib/shmem/context.c \
	lib/shmem/context.h \
	lib/shmem/data.c \
	lib/shmem/data.h \
	lib/shmem/error.c \
	lib/shmem/error.h \
	lib/shmem/life.c \
	lib/shmem/lock.c \
	lib/shmem/memory.c \
	lib/shmem/queue.c \
	lib/shmem/queue.h \
	lib/shmem/rma.c \
	lib/shmem/state.h \
	lib/shmem/symmetric.c \
	lib/shmem/symmetric.h \
	lib/shmem/sync.c \
	lib/shmem/sync.h \
	lib/shmem/team.c \
	lib/shmem/team.h \
	lib/shmem/team_context.c \
	lib/shmem/wait.c \
	lib/shmem/wait.h
libshmem_la_CPPFLAGS = $(AM_CPPFLAGS) -I$(top_srcdir)/lib
libshmem_la_LIBADD = libmpi_abi.la
# It finds libmpi_abi beside itself, wherever both were moved.
libshmem_la_LDFLAGS = $(AM_LDFLAGS) -version-info 0:0:0 -Wl,-rpath,'$$ORIGIN' \
	-export-symbols-regex '^(p?shmem_.*|start_pes|_my_pe|_num_pes|sh(malloc|memalign|realloc|free))$$'
pkgconfig_DATA += libshmem.pc
