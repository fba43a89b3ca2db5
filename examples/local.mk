# Example programs: built with the library, not installed as programs; their sources are, to learn
# from.
# -no-install: they run from the build folder as they are, without libtool's wrapper.
noinst_PROGRAMS += \
	examples/heat2d \
	examples/master_worker \
	examples/mpivars \
	examples/pi \
	examples/pingpong \
	examples/ring

examples_heat2d_SOURCES = examples/heat2d.c examples/picture.c examples/picture.h
examples_heat2d_LDADD = libmpi_abi.la -lm
examples_heat2d_LDFLAGS = $(AM_LDFLAGS) -no-install
examples_master_worker_SOURCES = examples/master_worker.c
examples_master_worker_LDADD = libmpi_abi.la -lm
examples_master_worker_LDFLAGS = $(AM_LDFLAGS) -no-install
examples_mpivars_SOURCES = examples/mpivars.c
examples_mpivars_LDADD = libmpi_abi.la
examples_mpivars_LDFLAGS = $(AM_LDFLAGS) -no-install
examples_pi_SOURCES = examples/pi.c
examples_pi_LDADD = libmpi_abi.la -lm
examples_pi_LDFLAGS = $(AM_LDFLAGS) -no-install
examples_pingpong_SOURCES = examples/pingpong.c
examples_pingpong_LDADD = libmpi_abi.la -lm
examples_pingpong_LDFLAGS = $(AM_LDFLAGS) -no-install
examples_ring_SOURCES = examples/ring.c
examples_ring_LDADD = libmpi_abi.la -lm
examples_ring_LDFLAGS = $(AM_LDFLAGS) -no-install

# OpenSHMEM.
noinst_PROGRAMS += \
	examples/shmem/halo \
	examples/shmem/random_access \
	examples/shmem/steal \
	examples/shmem/streams
examples_shmem_halo_SOURCES = examples/shmem/halo.c
examples_shmem_halo_LDADD = libshmem.la libmpi_abi.la
examples_shmem_halo_LDFLAGS = $(AM_LDFLAGS) -no-install
examples_shmem_random_access_SOURCES = examples/shmem/random_access.c
examples_shmem_random_access_LDADD = libshmem.la libmpi_abi.la
examples_shmem_random_access_LDFLAGS = $(AM_LDFLAGS) -no-install
examples_shmem_steal_SOURCES = examples/shmem/steal.c
examples_shmem_steal_LDADD = libshmem.la libmpi_abi.la
examples_shmem_steal_LDFLAGS = $(AM_LDFLAGS) -no-install
examples_shmem_streams_SOURCES = examples/shmem/streams.c
examples_shmem_streams_LDADD = libshmem.la libmpi_abi.la
examples_shmem_streams_LDFLAGS = $(AM_LDFLAGS) -no-install

# One-sided communication of MPI.
noinst_PROGRAMS += \
	examples/rma/hash_table \
	examples/rma/random_access \
	examples/rma/stencil
examples_rma_hash_table_SOURCES = examples/rma/hash_table.c
examples_rma_hash_table_LDADD = libmpi_abi.la
examples_rma_hash_table_LDFLAGS = $(AM_LDFLAGS) -no-install
examples_rma_random_access_SOURCES = examples/rma/random_access.c
examples_rma_random_access_LDADD = libmpi_abi.la
examples_rma_random_access_LDFLAGS = $(AM_LDFLAGS) -no-install
examples_rma_stencil_SOURCES = examples/rma/stencil.c
examples_rma_stencil_LDADD = libmpi_abi.la
examples_rma_stencil_LDFLAGS = $(AM_LDFLAGS) -no-install

# Without MPI: these link the NIC's library.  Those in nic/ are control programs and need nicemu.h
# only, those in units/ use what else the hardware has.
noinst_PROGRAMS += \
	examples/nic/count_sizes \
	examples/nic/pingpong_loop \
	examples/units/matchers \
	examples/units/remote_memory
examples_nic_count_sizes_SOURCES = examples/nic/count_sizes.c
examples_nic_count_sizes_LDADD = libnicemu.la
examples_nic_count_sizes_LDFLAGS = $(AM_LDFLAGS) -no-install
examples_nic_pingpong_loop_SOURCES = examples/nic/pingpong_loop.c
examples_nic_pingpong_loop_LDADD = libnicemu.la
examples_nic_pingpong_loop_LDFLAGS = $(AM_LDFLAGS) -no-install
examples_units_matchers_SOURCES = examples/units/matchers.c
examples_units_matchers_LDADD = libnicemu.la
examples_units_matchers_LDFLAGS = $(AM_LDFLAGS) -no-install
examples_units_remote_memory_SOURCES = examples/units/remote_memory.c
examples_units_remote_memory_LDADD = libnicemu.la
examples_units_remote_memory_LDFLAGS = $(AM_LDFLAGS) -no-install

# The benchmarks of the papers whose figures tools/figures reproduces.
noinst_PROGRAMS += \
	examples/papers/atomic \
	examples/papers/barrier \
	examples/papers/bypass \
	examples/papers/collective \
	examples/papers/flood \
	examples/papers/guarded \
	examples/papers/lock \
	examples/papers/messages \
	examples/papers/multicast \
	examples/papers/pingpong_words \
	examples/papers/preposted \
	examples/papers/puts \
	examples/papers/reduce \
	examples/papers/unexpected \
	examples/papers/updates
papers_common = examples/papers/bench.c examples/papers/bench.h
examples_papers_atomic_SOURCES = examples/papers/atomic.c $(papers_common)
examples_papers_atomic_LDADD = libshmem.la libmpi_abi.la
examples_papers_atomic_LDFLAGS = $(AM_LDFLAGS) -no-install
examples_papers_barrier_SOURCES = examples/papers/barrier.c $(papers_common)
examples_papers_barrier_LDADD = libmpi_abi.la
examples_papers_barrier_LDFLAGS = $(AM_LDFLAGS) -no-install
examples_papers_bypass_SOURCES = examples/papers/bypass.c $(papers_common)
examples_papers_bypass_LDADD = libmpi_abi.la
examples_papers_bypass_LDFLAGS = $(AM_LDFLAGS) -no-install
examples_papers_collective_SOURCES = examples/papers/collective.c $(papers_common)
examples_papers_collective_LDADD = libmpi_abi.la
examples_papers_collective_LDFLAGS = $(AM_LDFLAGS) -no-install
examples_papers_flood_SOURCES = examples/papers/flood.c $(papers_common)
examples_papers_flood_LDADD = libmpi_abi.la
examples_papers_flood_LDFLAGS = $(AM_LDFLAGS) -no-install
examples_papers_guarded_SOURCES = examples/papers/guarded.c
examples_papers_guarded_LDADD = libnicemu.la
examples_papers_guarded_LDFLAGS = $(AM_LDFLAGS) -no-install
examples_papers_lock_SOURCES = examples/papers/lock.c $(papers_common)
examples_papers_lock_LDADD = libshmem.la libmpi_abi.la
examples_papers_lock_LDFLAGS = $(AM_LDFLAGS) -no-install
examples_papers_messages_SOURCES = examples/papers/messages.c $(papers_common)
examples_papers_messages_LDADD = libmpi_abi.la
examples_papers_messages_LDFLAGS = $(AM_LDFLAGS) -no-install
examples_papers_multicast_SOURCES = examples/papers/multicast.c
examples_papers_multicast_LDADD = libnicemu.la
examples_papers_multicast_LDFLAGS = $(AM_LDFLAGS) -no-install
examples_papers_pingpong_words_SOURCES = examples/papers/pingpong_words.c $(papers_common)
examples_papers_pingpong_words_LDADD = libmpi_abi.la
examples_papers_pingpong_words_LDFLAGS = $(AM_LDFLAGS) -no-install
examples_papers_preposted_SOURCES = examples/papers/preposted.c $(papers_common)
examples_papers_preposted_LDADD = libmpi_abi.la
examples_papers_preposted_LDFLAGS = $(AM_LDFLAGS) -no-install
examples_papers_puts_SOURCES = examples/papers/puts.c $(papers_common)
examples_papers_puts_LDADD = libshmem.la libmpi_abi.la
examples_papers_puts_LDFLAGS = $(AM_LDFLAGS) -no-install
examples_papers_reduce_SOURCES = examples/papers/reduce.c $(papers_common)
examples_papers_reduce_LDADD = libmpi_abi.la
examples_papers_reduce_LDFLAGS = $(AM_LDFLAGS) -no-install
examples_papers_unexpected_SOURCES = examples/papers/unexpected.c $(papers_common)
examples_papers_unexpected_LDADD = libmpi_abi.la
examples_papers_unexpected_LDFLAGS = $(AM_LDFLAGS) -no-install
examples_papers_updates_SOURCES = examples/papers/updates.c $(papers_common)
examples_papers_updates_LDADD = libshmem.la libmpi_abi.la
examples_papers_updates_LDFLAGS = $(AM_LDFLAGS) -no-install

examplesdir = $(docdir)/examples
dist_examples_DATA = \
	examples/Makefile \
	examples/heat2d.c \
	examples/master_worker.c \
	examples/mpivars.c \
	examples/pi.c \
	examples/picture.c \
	examples/picture.h \
	examples/pingpong.c \
	examples/ring.c
nicexamplesdir = $(examplesdir)/nic
dist_nicexamples_DATA = \
	examples/nic/count_sizes.c \
	examples/nic/pingpong_loop.c
shmemexamplesdir = $(examplesdir)/shmem
dist_shmemexamples_DATA = \
	examples/shmem/halo.c \
	examples/shmem/random_access.c \
	examples/shmem/steal.c \
	examples/shmem/streams.c
rmaexamplesdir = $(examplesdir)/rma
dist_rmaexamples_DATA = \
	examples/rma/hash_table.c \
	examples/rma/random_access.c \
	examples/rma/stencil.c
unitsexamplesdir = $(examplesdir)/units
dist_unitsexamples_DATA = examples/units/matchers.c examples/units/remote_memory.c
papersexamplesdir = $(examplesdir)/papers
dist_papersexamples_DATA = \
	examples/papers/atomic.c \
	examples/papers/barrier.c \
	examples/papers/bypass.c \
	examples/papers/collective.c \
	examples/papers/flood.c \
	examples/papers/guarded.c \
	examples/papers/lock.c \
	examples/papers/messages.c \
	examples/papers/bench.c \
	examples/papers/bench.h \
	examples/papers/multicast.c \
	examples/papers/pingpong_words.c \
	examples/papers/preposted.c \
	examples/papers/puts.c \
	examples/papers/reduce.c \
	examples/papers/unexpected.c \
	examples/papers/updates.c
