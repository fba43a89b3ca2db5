# mpirun, and the compiler wrappers.  bin/ of the build folder holds tools that work from there.
bin_PROGRAMS += bin/mpirun
bin_mpirun_SOURCES = \
	lib/launch/calls.c lib/launch/calls.h lib/launch/clock.c lib/launch/clock.h lib/launch/cores.c lib/launch/cores.h lib/launch/explain.c lib/launch/explain.h lib/launch/family.c lib/launch/family.h lib/launch/foreign.c lib/launch/foreign.h lib/launch/help.c \
	lib/launch/help.h lib/launch/hosts.c lib/launch/hosts.h lib/launch/input.c lib/launch/input.h \
	lib/launch/job.c lib/launch/job.h lib/launch/layout.c lib/launch/layout.h lib/launch/loop.c lib/launch/loop.h \
	lib/launch/machine.c lib/launch/machine.h lib/launch/map.c lib/launch/map.h lib/launch/mpirun.c \
	lib/launch/options.c lib/launch/options.h lib/launch/output.c lib/launch/output.h lib/launch/place.c \
	lib/launch/place.h lib/launch/policy.c lib/launch/policy.h lib/launch/program.c lib/launch/program.h lib/launch/ranklist.c lib/launch/ranklist.h \
	lib/launch/report.c lib/launch/report.h lib/launch/say.c lib/launch/say.h lib/launch/script.c lib/launch/script.h lib/launch/seats.c lib/launch/seats.h lib/launch/sink.c \
	lib/launch/sink.h lib/launch/source.c lib/launch/source.h lib/launch/spawn.c lib/launch/spawn.h lib/launch/standing.c lib/launch/standing.h \
	lib/launch/standstill.c lib/launch/standstill.h \
	lib/launch/start.c lib/launch/start.h lib/launch/table.c lib/launch/table.h lib/launch/tasks.c lib/launch/tasks.h lib/launch/topology.c lib/launch/topology.h lib/launch/vars.c \
	lib/launch/vars.h
bin_mpirun_CPPFLAGS = $(AM_CPPFLAGS) -D_GNU_SOURCE
bin_mpirun_CFLAGS = $(AM_CFLAGS) $(HWLOC_CFLAGS)
# The NIC library is a convenience archive: linked in, so the program runs from where it is built.
bin_mpirun_LDADD = libnicemu_core.la $(HWLOC_LIBS)

# -- compiler wrappers: one script, for two languages, for the installation and for the build folder ------------------
launch_wrappers = lib/launch/mpicc lib/launch/mpicxx lib/launch/mpic++
launch_tree_wrappers = bin/mpicc bin/mpicxx bin/mpic++
bin_SCRIPTS += $(launch_wrappers)
noinst_SCRIPTS = $(launch_tree_wrappers) bin/mpiexec
CLEANFILES += $(launch_wrappers) $(launch_tree_wrappers) bin/mpiexec
EXTRA_DIST += lib/launch/mpicc.in

if SHARED
launch_static =
else
launch_static = yes
endif

# Programs linked with a library that was built with a sanitizer need its run-time library.
launch_make_wrapper = $(MKDIR_P) $(@D) && name=$(@F) && \
	case $$name in mpicc) cc='$(CC)' var=MPILITE_CC ;; *) cc='c++' var=MPILITE_CXX ;; esac && \
	sed -e "s|@wrapper[@]|$$name|g" -e "s|@variable[@]|$$var|g" -e "s|@compiler[@]|$$cc$(SANITIZER_FLAGS:%= %)|g" \
	    -e 's|@static[@]|$(launch_static)|g' -e 's|@version[@]|$(PACKAGE_VERSION)|g' \
	    -e "s|@prefix[@]|$$prefix|g" -e "s|@bindir[@]|$$bin|g" \
	    -e "s|@includedir[@]|$$include|g" -e "s|@libdir[@]|$$lib|g" \
	    $(top_srcdir)/lib/launch/mpicc.in >$@.tmp && chmod +x $@.tmp && mv $@.tmp $@

$(launch_wrappers): lib/launch/mpicc.in Makefile
	$(AM_V_GEN)prefix='$(prefix)' bin='$(bindir)' include='$(includedir)' lib='$(libdir)'; $(launch_make_wrapper)

$(launch_tree_wrappers): lib/launch/mpicc.in Makefile
	$(AM_V_GEN)prefix='$(abs_top_builddir)' bin='$(abs_top_builddir)/bin' include='$(abs_top_srcdir)/include' \
	lib='$(abs_top_builddir)/.libs'; $(launch_make_wrapper)

bin/mpiexec: bin/mpirun
	$(AM_V_GEN)rm -f $@ && $(LN_S) mpirun $@

# mpiexec is mpirun by another name.
install-exec-hook: launch-install-mpiexec
launch-install-mpiexec:
	cd "$(DESTDIR)$(bindir)" && rm -f mpiexec && $(LN_S) mpirun mpiexec
uninstall-hook: launch-uninstall-mpiexec
launch-uninstall-mpiexec:
	rm -f "$(DESTDIR)$(bindir)/mpiexec"
.PHONY: launch-install-mpiexec launch-uninstall-mpiexec

dist_man_MANS += doc/man/mpirun.1 doc/man/mpiexec.1 doc/man/mpicc.1 doc/man/mpicxx.1 doc/man/mpic++.1
