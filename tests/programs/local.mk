# Textbook programs, compiled with mpicc as a user would and compared with other implementations
# where there are any.
TESTS += tests/programs/programs.sh tests/programs/examples.sh tests/programs/papers.sh \
	tests/programs/cxx.sh
EXTRA_DIST += \
	tests/programs/lib.sh \
	tests/programs/programs.sh \
	tests/programs/examples.sh \
	tests/programs/papers.sh \
	tests/programs/cxx.sh \
	tests/programs/tour.cc \
	tests/programs/cg.c \
	tests/programs/heat.expected \
	tests/programs/heat.f90 \
	tests/programs/jacobi.c \
	tests/programs/nbody_ring.c \
	tests/programs/primes.expected \
	tests/programs/primes.f \
	tests/programs/sample_sort.c \
	tests/programs/transpose.c \
	tests/programs/words.expected \
	tests/programs/words.f90 \
	tests/programs/cg.expected \
	tests/programs/jacobi.expected \
	tests/programs/nbody_ring.expected \
	tests/programs/sample_sort.expected \
	tests/programs/transpose.expected
