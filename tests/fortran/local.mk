# Fortran: programs in each of the three dialects, on ranks as ranks.txt says; names; how programs
# are built.  Without gfortran the scripts say so.
fortran_tests = \
	tests/fortran/attributes.t \
	tests/fortran/f08.t \
	tests/fortran/heat.t \
	tests/fortran/lasting.t \
	tests/fortran/mpi_module.t \
	tests/fortran/mpif_fixed.t \
	tests/fortran/mpif_free.t \
	tests/fortran/sections.t \
	tests/fortran/sections_rma.t
fortran_scripts_of_tests = \
	tests/fortran/build.sh \
	tests/fortran/names.sh \
	tests/fortran/places.sh
EXTRA_DIST += \
	tests/fortran/attributes.f90 \
	tests/fortran/f08.f90 \
	tests/fortran/heat.f90 \
	tests/fortran/integers.inc \
	tests/fortran/lasting.f90 \
	tests/fortran/mpi_module.f90 \
	tests/fortran/mpif_fixed.f \
	tests/fortran/mpif_free.f90 \
	tests/fortran/sections.f90 \
	tests/fortran/sections_rma.f90
EXTRA_DIST += $(fortran_scripts_of_tests)

if SANITIZED
else
TESTS += $(fortran_scripts_of_tests)
endif
if FORTRAN
TESTS += $(fortran_tests)
check_SCRIPTS += $(fortran_tests)
CLEANFILES += $(fortran_tests)
endif

# Compiled as users do, by the build folder's own mpifort.
fortran_program = $(AM_V_GEN)$(MKDIR_P) $(@D) && bin/mpifort -O2 -g -fcheck=bounds \
	-I$(top_srcdir)/tests/fortran -J $(@D) -w -o $@
tests/fortran/%.t: $(top_srcdir)/tests/fortran/%.f90 \
		$(top_srcdir)/tests/fortran/integers.inc libmpi_fortran.la bin/mpifort
	$(fortran_program) $<
tests/fortran/mpif_fixed.t: $(top_srcdir)/tests/fortran/mpif_fixed.f \
		$(top_srcdir)/tests/fortran/integers.inc libmpi_fortran.la bin/mpifort
	$(fortran_program) $(top_srcdir)/tests/fortran/mpif_fixed.f
