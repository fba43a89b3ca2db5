# mpirun, and the compiler wrappers.  bin/ of the build folder holds tools that work from there.
bin_PROGRAMS += bin/mpirun
bin_mpirun_SOURCES = \
	lib/base/nearest.c \
	lib/base/nearest.h \
	lib/base/note_mark.h \
	lib/base/attach.h \
	lib/base/crash.h \
	lib/base/tasks.c \
	lib/base/tasks.h \
	lib/base/variables.c \
	lib/base/variables.h \
	lib/launch/base/calls.c \
	lib/launch/base/calls.h \
	lib/launch/base/program.c \
	lib/launch/base/program.h \
	lib/launch/base/ranklist.c \
	lib/launch/base/ranklist.h \
	lib/launch/base/say.c \
	lib/launch/base/say.h \
	lib/launch/base/table.c \
	lib/launch/base/table.h \
	lib/launch/base/vars.c \
	lib/launch/base/vars.h \
	lib/launch/cluster/cluster.c \
	lib/launch/cluster/cluster.h \
	lib/launch/cluster/hydra.c \
	lib/launch/cluster/launcher.c \
	lib/launch/cluster/launcher.h \
	lib/launch/cluster/prte.c \
	lib/launch/cluster/srun.c \
	lib/launch/cluster/words.c \
	lib/launch/cluster/words.h \
	lib/launch/command/about.c \
	lib/launch/command/about.h \
	lib/launch/command/asked.h \
	lib/launch/command/compat.c \
	lib/launch/command/compat.h \
	lib/launch/command/debugging.c \
	lib/launch/command/debugging.h \
	lib/launch/command/explanation.c \
	lib/launch/command/explanation.h \
	lib/launch/command/help.c \
	lib/launch/command/help.h \
	lib/launch/command/job_variables.c \
	lib/launch/command/job_variables.h \
	lib/launch/command/listing.c \
	lib/launch/command/listing.h \
	lib/launch/command/looks.c \
	lib/launch/command/looks.h \
	lib/launch/command/model.c \
	lib/launch/command/model.h \
	lib/launch/command/options.c \
	lib/launch/command/options.h \
	lib/launch/command/placement.c \
	lib/launch/command/placement.h \
	lib/launch/command/spelling.c \
	lib/launch/command/spelling.h \
	lib/launch/command/tracing.c \
	lib/launch/command/tracing.h \
	lib/launch/command/refused.c \
	lib/launch/command/refused.h \
	lib/launch/command/values.c \
	lib/launch/command/values.h \
	lib/launch/io/files.c \
	lib/launch/io/files.h \
	lib/launch/io/input.c \
	lib/launch/io/input.h \
	lib/launch/io/loss.c \
	lib/launch/io/loss.h \
	lib/launch/io/output.c \
	lib/launch/io/output.h \
	lib/launch/io/pattern.c \
	lib/launch/io/pattern.h \
	lib/launch/io/reports.c \
	lib/launch/io/reports.h \
	lib/launch/io/sink.c \
	lib/launch/io/sink.h \
	lib/launch/io/style.h \
	lib/launch/loop.c \
	lib/launch/loop.h \
	lib/launch/mpirun.c \
	lib/launch/ranks/check.c \
	lib/launch/ranks/check.h \
	lib/launch/ranks/crashes.c \
	lib/launch/ranks/crashes.h \
	lib/launch/ranks/end.c \
	lib/launch/ranks/end.h \
	lib/launch/ranks/exit_code.c \
	lib/launch/ranks/exit_code.h \
	lib/launch/ranks/family.c \
	lib/launch/ranks/family.h \
	lib/launch/ranks/findings.c \
	lib/launch/ranks/findings.h \
	lib/launch/ranks/job.h \
	lib/launch/ranks/layout.c \
	lib/launch/ranks/layout.h \
	lib/launch/ranks/preload.c \
	lib/launch/ranks/preload.h \
	lib/launch/ranks/reap.c \
	lib/launch/ranks/reap.h \
	lib/launch/ranks/spawn.c \
	lib/launch/ranks/spawn.h \
	lib/launch/ranks/seating.c \
	lib/launch/ranks/seating.h \
	lib/launch/ranks/start.c \
	lib/launch/ranks/start.h \
	lib/launch/ranks/traced.c \
	lib/launch/ranks/traced.h \
	lib/launch/ranks/wrap.c \
	lib/launch/ranks/wrap.h \
	lib/launch/report/ask.c \
	lib/launch/report/ask.h \
	lib/launch/report/clock.c \
	lib/launch/report/clock.h \
	lib/launch/report/codes.c \
	lib/launch/report/codes.h \
	lib/launch/report/crash.c \
	lib/launch/report/crash.h \
	lib/launch/report/explain.c \
	lib/launch/report/explain.h \
	lib/launch/report/explain_text.c \
	lib/launch/report/explain_text.h \
	lib/launch/report/explained.h \
	lib/launch/report/foreign.c \
	lib/launch/report/foreign.h \
	lib/launch/report/last_word.c \
	lib/launch/report/last_word.h \
	lib/launch/report/loaded.c \
	lib/launch/report/loaded.h \
	lib/launch/report/script.c \
	lib/launch/report/script.h \
	lib/launch/report/source.c \
	lib/launch/report/source.h \
	lib/launch/report/stacks.c \
	lib/launch/report/stacks.h \
	lib/launch/report/standing.c \
	lib/launch/report/standing.h \
	lib/launch/standstill.c \
	lib/launch/standstill.h \
	lib/launch/tick.c \
	lib/launch/tick.h \
	lib/launch/timeline/advice.c \
	lib/launch/timeline/advice.h \
	lib/launch/timeline/cause.c \
	lib/launch/timeline/cause.h \
	lib/launch/timeline/chrome.c \
	lib/launch/timeline/chrome.h \
	lib/launch/timeline/page.c \
	lib/launch/timeline/page.h \
	lib/launch/timeline/pair.c \
	lib/launch/timeline/pair.h \
	lib/launch/timeline/sums.c \
	lib/launch/timeline/sums.h \
	lib/launch/timeline/timeline.c \
	lib/launch/timeline/timeline.h \
	lib/launch/timeline/view.c \
	lib/launch/timeline/view.h \
	lib/launch/where/cores.c \
	lib/launch/where/cores.h \
	lib/launch/where/cpulists.c \
	lib/launch/where/cpulists.h \
	lib/launch/where/hosts.c \
	lib/launch/where/hosts.h \
	lib/launch/where/limits.c \
	lib/launch/where/limits.h \
	lib/launch/where/machine.c \
	lib/launch/where/machine.h \
	lib/launch/where/map.c \
	lib/launch/where/map.h \
	lib/launch/where/place.c \
	lib/launch/where/place.h \
	lib/launch/where/plan.h \
	lib/launch/where/policy.c \
	lib/launch/where/policy.h \
	lib/launch/where/rankfile.c \
	lib/launch/where/rankfile.h \
	lib/launch/where/seats.c \
	lib/launch/where/seats.h \
	lib/launch/where/topology.c \
	lib/launch/where/topology.h
nodist_bin_mpirun_SOURCES = lib/launch/command/built.h lib/launch/timeline/page_text.h
bin_mpirun_CPPFLAGS = $(AM_CPPFLAGS) -I$(top_srcdir)/lib -Ilib -D_GNU_SOURCE \
	-DPKGLIBDIR='"$(pkglibdir)"'
EXTRA_DIST += lib/launch/timeline/page.html lib/launch/timeline/page_text.awk
BUILT_SOURCES += lib/launch/timeline/page_text.h
CLEANFILES += lib/launch/timeline/page_text.h
lib/launch/timeline/page_text.h: $(top_srcdir)/lib/launch/timeline/page.html \
		$(top_srcdir)/lib/launch/timeline/page_text.awk
	$(AM_V_GEN)$(MKDIR_P) $(@D) && $(AWK) -f $(top_srcdir)/lib/launch/timeline/page_text.awk \
		$(top_srcdir)/lib/launch/timeline/page.html >$@.tmp && mv $@.tmp $@
bin_mpirun_CFLAGS = $(AM_CFLAGS) $(HWLOC_CFLAGS)
# The NIC library is a convenience archive: linked in, so the program runs from where it is built.
bin_mpirun_LDADD = libnicemu_core.la $(HWLOC_LIBS)

# Other names of mpirun.
launch_tree_names = bin/mpiexec bin/oshrun

# -- compiler wrappers: one script, for all languages, for the installation and the build folder
launch_wrappers = lib/launch/mpicc lib/launch/mpicxx lib/launch/mpic++ lib/launch/mpiCC \
	lib/launch/oshcc lib/launch/oshc++
launch_tree_wrappers = bin/mpicc bin/mpicxx bin/mpic++ bin/mpiCC bin/oshcc bin/oshc++
if FORTRAN
launch_wrappers += lib/launch/mpifort lib/launch/mpif90 lib/launch/mpif77
launch_tree_wrappers += bin/mpifort bin/mpif90 bin/mpif77
endif
bin_SCRIPTS += $(launch_wrappers)
noinst_SCRIPTS = $(launch_tree_wrappers) $(launch_tree_names)
CLEANFILES += $(launch_wrappers) $(launch_tree_wrappers) $(launch_tree_names)
EXTRA_DIST += lib/launch/mpicc.in

if SHARED
launch_static =
else
launch_static = yes
endif

# Programs linked with a library that was built with a sanitizer need its run-time library.
launch_make_wrapper = $(MKDIR_P) $(@D) && name=$(@F) && \
	case $$name in \
	mpicc) cc='$(CC)' kind=CC libs=mpi modules= flags= ;; \
	oshcc) cc='$(CC)' kind=CC libs='shmem mpi' modules= flags= ;; \
	oshc*) cc='c++' kind=CXX libs='shmem mpi' modules= flags= ;; \
	mpif*) cc='$(FC)' kind=FC libs='mpi_fortran mpi' \
	    flags='$(FORTRAN_MISMATCH)' ;; \
	*) cc='c++' kind=CXX libs=mpi modules= flags= ;; \
	esac && language=$${kind%CC} && \
	sed -e "s|@wrapper[@]|$$name|g" -e "s|@variable[@]|MPILITE_$$kind|g" \
	    -e "s|@kind[@]|$$kind|g" -e "s|@language[@]|$${language:-C}|g" \
	    -e "s|@compiler[@]|$$cc$(SANITIZER_FLAGS:%= %)|g" \
	    -e "s|@libraries[@]|$$libs|g" -e "s|@modules[@]|$$modules|g" \
	    -e "s|@flags[@]|$$flags|g" \
	    -e 's|@static[@]|$(launch_static)|g' -e 's|@version[@]|$(PACKAGE_VERSION)|g' \
	    -e "s|@prefix[@]|$$prefix|g" -e "s|@bindir[@]|$$bin|g" \
	    -e "s|@includedir[@]|$$include|g" -e "s|@libdir[@]|$$lib|g" \
	    $(top_srcdir)/lib/launch/mpicc.in >$@.tmp && chmod +x $@.tmp && mv $@.tmp $@

$(launch_wrappers): lib/launch/mpicc.in Makefile
	$(AM_V_GEN)prefix='$(prefix)' bin='$(bindir)' include='$(includedir)' lib='$(libdir)'; \
	modules='$(includedir)'; \
	$(launch_make_wrapper)

$(launch_tree_wrappers): lib/launch/mpicc.in Makefile
	$(AM_V_GEN)prefix='$(abs_top_builddir)' bin='$(abs_top_builddir)/bin' \
	include='$(abs_top_srcdir)/include' lib='$(abs_top_builddir)/.libs'; \
	modules='$(abs_top_builddir)/lib/fortran/include'; \
	$(launch_make_wrapper)

$(launch_tree_names): bin/mpirun
	$(AM_V_GEN)rm -f $@ && $(LN_S) mpirun $@

# Names as --program-prefix, --program-suffix and --program-transform-name make them.
launch_installed = sed '$(transform)'
install-exec-hook: launch-install-names
launch-install-names:
	cd "$(DESTDIR)$(bindir)" && mpirun=`echo mpirun | $(launch_installed)` && \
	for name in `echo $(launch_tree_names:bin/%=%) | tr ' ' '\n' | $(launch_installed)`; do \
	    rm -f $$name && $(LN_S) $$mpirun $$name || exit 1; done
# Pages that are another one's lead to its name here.
install-data-hook: launch-install-pages
launch-install-pages:
	cd "$(DESTDIR)$(man1dir)" && for name in $(dist_man_MANS:doc/man/%.1=%); do \
	    page=`echo $$name | $(launch_installed)`.1; [ -f $$page ] || continue; \
	    target=`sed -n 's,^\.so man1/\(.*\)\.1$$,\1,p' $$page | $(launch_installed)`; \
	    [ -z "$$target" ] || echo ".so man1/$$target.1" >$$page.new || exit 1; \
	    [ -z "$$target" ] || mv $$page.new $$page || exit 1; done
uninstall-hook: launch-uninstall-names
launch-uninstall-names:
	cd "$(DESTDIR)$(bindir)" && \
	rm -f `echo $(launch_tree_names:bin/%=%) | tr ' ' '\n' | $(launch_installed)`
.PHONY: launch-install-names launch-install-pages launch-uninstall-names

dist_man_MANS += \
	doc/man/mpirun.1 \
	doc/man/mpiexec.1 \
	doc/man/mpicc.1 \
	doc/man/mpicxx.1 \
	doc/man/mpic++.1 \
	doc/man/mpiCC.1 \
	doc/man/oshcc.1 \
	doc/man/oshc++.1 \
	doc/man/oshrun.1
if FORTRAN
dist_man_MANS += doc/man/mpifort.1 doc/man/mpif90.1 doc/man/mpif77.1
else
EXTRA_DIST += doc/man/mpifort.1 doc/man/mpif90.1 doc/man/mpif77.1
endif
