# Fortran: made from include/mpi.h and lib/fortran/annotations, in a library of its own.  The
# description of all functions (table.awk) becomes C functions (calls.awk), constants and mpif.h
# (constants.awk), and the interfaces of the modules (interfaces.awk).
fortran_scripts = \
	lib/fortran/annotations \
	lib/fortran/calls.awk \
	lib/fortran/constants.awk \
	lib/fortran/interfaces.awk \
	lib/fortran/missing.awk \
	lib/fortran/read.awk \
	lib/fortran/repeat.awk \
	lib/fortran/table.awk
fortran_modules = \
	lib/fortran/base.f90 \
	lib/fortran/f08_callbacks.inc \
	lib/fortran/mpi.f90 \
	lib/fortran/mpi_f08.f90
EXTRA_DIST += $(fortran_scripts) $(fortran_modules)

if FORTRAN
lib_LTLIBRARIES += libmpi_fortran.la
libmpi_fortran_la_SOURCES = \
	lib/fortran/all.h \
	lib/fortran/attributes.c \
	lib/fortran/attributes.h \
	lib/fortran/callbacks.c \
	lib/fortran/callbacks.h \
	lib/fortran/convert.c \
	lib/fortran/convert.h \
	lib/fortran/fint.c \
	lib/fortran/later.c \
	lib/fortran/later.h \
	lib/fortran/missing.c \
	lib/fortran/mpi.c \
	lib/fortran/names.h \
	lib/fortran/peers.c \
	lib/fortran/pmpi.c \
	lib/fortran/section.c \
	lib/fortran/section.h \
	lib/fortran/special_attributes.h \
	lib/fortran/special_callbacks.h \
	lib/fortran/special_strings.h \
	lib/fortran/view.c \
	lib/fortran/view.h
libmpi_fortran_la_CPPFLAGS = $(AM_CPPFLAGS) -I$(top_srcdir)/lib -Ilib $(FORTRAN_CPPFLAGS)
libmpi_fortran_la_LIBADD = $(fortran_objects) libmpi_abi.la
libmpi_fortran_la_DEPENDENCIES = $(fortran_objects) libmpi_abi.la
# It finds libmpi_abi beside itself, wherever both were moved: a program's own path for libraries
# is not asked for what only its libraries need.
libmpi_fortran_la_LDFLAGS = $(AM_LDFLAGS) -version-info 0:0:0 -Wl,-rpath,'$$ORIGIN' \
	-export-symbols-regex '^(p?mpi_[a-z0-9_]*_|P?MPI_.*|mpilite_[a-z_]*_|__mpi.*_MOD_.*)$$'

# -- text that is made -----------------------------------------------------------------------------
fortran_made = \
	lib/fortran/base.inc \
	lib/fortran/calls.inc \
	lib/fortran/f08.inc \
	lib/fortran/f08_handles.inc \
	lib/fortran/handle_operators.inc \
	lib/fortran/handle_types.inc \
	lib/fortran/handles.inc \
	lib/fortran/include/mpif.h \
	lib/fortran/missing.inc \
	lib/fortran/mpi.inc \
	lib/fortran/sizeof.inc
noinst_DATA += $(fortran_made)
CLEANFILES += $(fortran_made) lib/fortran/table

fortran_in = $(srcdir)/lib/fortran
fortran_read = $(MKDIR_P) $(@D) && $(AWK) -f $(fortran_in)/read.awk
fortran_write = lib/fortran/table >$@.tmp && mv $@.tmp $@
fortran_repeat = $(AWK) -v real10='$(FORTRAN_REAL10)' -f $(fortran_in)/repeat.awk

lib/fortran/table: include/mpi.h $(fortran_scripts)
	$(AM_V_GEN)$(MKDIR_P) $(@D) && \
	$(AWK) -f $(fortran_in)/table.awk $(fortran_in)/annotations $(srcdir)/include/mpi.h \
	    >$@.tmp && mv $@.tmp $@
lib/fortran/calls.inc: lib/fortran/table
	$(AM_V_GEN)$(fortran_read) -f $(fortran_in)/calls.awk $(fortran_write)
lib/fortran/missing.inc: include/mpi_missing.h $(fortran_in)/missing.awk
	$(AM_V_GEN)$(MKDIR_P) $(@D) && \
	$(AWK) -f $(fortran_in)/missing.awk $(srcdir)/include/mpi_missing.h >$@.tmp && mv $@.tmp $@
lib/fortran/mpi.inc: lib/fortran/table
	$(AM_V_GEN)$(fortran_read) -v form=mpi -f $(fortran_in)/interfaces.awk $(fortran_write)
lib/fortran/f08.inc: lib/fortran/table
	$(AM_V_GEN)$(fortran_read) -v form=f08 -f $(fortran_in)/interfaces.awk $(fortran_write)
lib/fortran/base.inc: lib/fortran/table
	$(AM_V_GEN)$(fortran_read) -v form=base -f $(fortran_in)/constants.awk $(fortran_write)
lib/fortran/handles.inc: lib/fortran/table
	$(AM_V_GEN)$(fortran_read) -v form=handles -f $(fortran_in)/constants.awk $(fortran_write)
lib/fortran/f08_handles.inc: lib/fortran/table
	$(AM_V_GEN)$(fortran_read) -v form=f08 -f $(fortran_in)/constants.awk $(fortran_write)
lib/fortran/include/mpif.h: lib/fortran/table
	$(AM_V_GEN)$(fortran_read) -v form=mpif -f $(fortran_in)/constants.awk $(fortran_write)
lib/fortran/handle_types.inc: $(fortran_scripts)
	$(AM_V_GEN)$(MKDIR_P) $(@D) && $(fortran_repeat) -v form=types >$@
lib/fortran/handle_operators.inc: $(fortran_scripts)
	$(AM_V_GEN)$(MKDIR_P) $(@D) && $(fortran_repeat) -v form=operators >$@
lib/fortran/sizeof.inc: $(fortran_scripts)
	$(AM_V_GEN)$(MKDIR_P) $(@D) && $(fortran_repeat) -v form=sizeof >$@

# Before all C: automake leaves its own rules out for objects that are named here.
$(libmpi_fortran_la_OBJECTS): lib/fortran/calls.inc lib/fortran/missing.inc

# -- modules ---------------------------------------------------------------------------------------
# An object is made together with the module files of its source, in lib/fortran/include.
fortran_objects = lib/fortran/base.lo lib/fortran/mpi_module.lo lib/fortran/mpi_f08.lo
fortran_compile = $(AM_V_GEN)$(MKDIR_P) lib/fortran/include && \
	$(LIBTOOL) $(AM_V_lt) --tag=CC --mode=compile $(FC) $(FCFLAGS) -Wall -Wno-c-binding-type \
	-Wno-unused-dummy-argument -Ilib/fortran -I$(fortran_in) -J lib/fortran/include -c -o $@

lib/fortran/base.lo: lib/fortran/base.f90 lib/fortran/base.inc lib/fortran/handles.inc \
		lib/fortran/handle_types.inc lib/fortran/handle_operators.inc lib/fortran/sizeof.inc
	$(fortran_compile) $(fortran_in)/base.f90
lib/fortran/mpi_module.lo: lib/fortran/mpi.f90 lib/fortran/mpi.inc lib/fortran/base.lo
	$(fortran_compile) $(fortran_in)/mpi.f90
lib/fortran/mpi_f08.lo: lib/fortran/mpi_f08.f90 lib/fortran/f08.inc lib/fortran/f08_handles.inc \
		lib/fortran/f08_callbacks.inc lib/fortran/base.lo
	$(fortran_compile) $(fortran_in)/mpi_f08.f90

fortran_mod_files = \
	lib/fortran/include/mpi.mod \
	lib/fortran/include/mpi_f08.mod \
	lib/fortran/include/mpilite_base.mod \
	lib/fortran/include/mpilite_handles.mod \
	lib/fortran/include/mpilite_sizeof.mod \
	lib/fortran/include/mpilite_types.mod
CLEANFILES += $(fortran_mod_files)
$(fortran_mod_files): $(fortran_objects)
nodist_include_HEADERS = lib/fortran/include/mpif.h $(fortran_mod_files)
endif
