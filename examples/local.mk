# Example programs: built with the library, not installed as programs; their sources are, to learn from.
# -no-install: they run from the build folder as they are, without libtool's wrapper.
noinst_PROGRAMS += examples/heat2d examples/master_worker examples/pi examples/pingpong examples/ring

examples_heat2d_SOURCES = examples/heat2d.c examples/picture.c examples/picture.h
examples_heat2d_LDADD = libmpi_abi.la -lm
examples_heat2d_LDFLAGS = $(AM_LDFLAGS) -no-install
examples_master_worker_SOURCES = examples/master_worker.c
examples_master_worker_LDADD = libmpi_abi.la -lm
examples_master_worker_LDFLAGS = $(AM_LDFLAGS) -no-install
examples_pi_SOURCES = examples/pi.c
examples_pi_LDADD = libmpi_abi.la -lm
examples_pi_LDFLAGS = $(AM_LDFLAGS) -no-install
examples_pingpong_SOURCES = examples/pingpong.c
examples_pingpong_LDADD = libmpi_abi.la -lm
examples_pingpong_LDFLAGS = $(AM_LDFLAGS) -no-install
examples_ring_SOURCES = examples/ring.c
examples_ring_LDADD = libmpi_abi.la -lm
examples_ring_LDFLAGS = $(AM_LDFLAGS) -no-install

examplesdir = $(docdir)/examples
dist_examples_DATA = \
	examples/heat2d.c examples/master_worker.c examples/pi.c examples/picture.c examples/picture.h \
	examples/pingpong.c examples/ring.c
