# nicsweep: a script, that finds mpirun beside itself.
bin_SCRIPTS += tools/sweep/nicsweep
noinst_SCRIPTS += bin/nicsweep
dist_man_MANS += doc/man/nicsweep.1
EXTRA_DIST += tools/sweep/nicsweep.in
CLEANFILES += tools/sweep/nicsweep bin/nicsweep
tools/sweep/nicsweep: $(top_srcdir)/tools/sweep/nicsweep.in Makefile
	$(AM_V_GEN)$(MKDIR_P) $(@D) && mpirun=`echo mpirun | sed '$(transform)'` && \
	sed -e "s|@MPIRUN[@]|$$mpirun|" -e 's|@PACKAGE_VERSION[@]|$(PACKAGE_VERSION)|' \
		$(top_srcdir)/tools/sweep/nicsweep.in >$@.tmp && chmod +x $@.tmp && mv $@.tmp $@
bin/nicsweep: $(top_srcdir)/tools/sweep/nicsweep.in Makefile
	$(AM_V_GEN)$(MKDIR_P) $(@D) && sed -e 's|@MPIRUN[@]|mpirun|' \
		-e 's|@PACKAGE_VERSION[@]|$(PACKAGE_VERSION)|' \
		$(top_srcdir)/tools/sweep/nicsweep.in >$@.tmp && chmod +x $@.tmp && mv $@.tmp $@
