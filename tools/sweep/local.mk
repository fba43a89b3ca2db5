# nicsweep: a script, that finds mpirun and nicinfo beside itself, and has its awk programs in it.
bin_SCRIPTS += tools/sweep/nicsweep
noinst_SCRIPTS += bin/nicsweep
dist_man_MANS += doc/man/nicsweep.1
sweep_parts = \
	$(top_srcdir)/tools/sweep/nicsweep.in \
	$(top_srcdir)/tools/sweep/environment.awk \
	$(top_srcdir)/tools/sweep/expand.awk \
	$(top_srcdir)/tools/sweep/metric.awk \
	$(top_srcdir)/tools/sweep/plot.awk \
	$(top_srcdir)/tools/sweep/units.awk
EXTRA_DIST += \
	tools/sweep/environment.awk \
	tools/sweep/expand.awk \
	tools/sweep/metric.awk \
	tools/sweep/nicsweep.in \
	tools/sweep/plot.awk \
	tools/sweep/units.awk
CLEANFILES += tools/sweep/nicsweep bin/nicsweep
sweep_part = -e '/^@$(1)@$$/{' -e 'r $(top_srcdir)/tools/sweep/$(2).awk' -e 'd' -e '}'
sweep_make = $(MKDIR_P) $(@D) && sed -e "s|@MPIRUN[@]|$$mpirun|" -e "s|@NICINFO[@]|$$nicinfo|" \
	-e 's|@PACKAGE_VERSION[@]|$(PACKAGE_VERSION)|' $(call sweep_part,EXPAND,expand) \
	$(call sweep_part,ENVIRONMENT,environment) $(call sweep_part,METRIC,metric) \
	$(call sweep_part,PLOT,plot) \
	$(call sweep_part,UNITS,units) $(top_srcdir)/tools/sweep/nicsweep.in >$@.tmp && \
	chmod +x $@.tmp && mv $@.tmp $@
tools/sweep/nicsweep: $(sweep_parts) Makefile
	$(AM_V_GEN)mpirun=`echo mpirun | sed '$(transform)'` && \
	nicinfo=`echo nicinfo | sed '$(transform)'` && $(sweep_make)
bin/nicsweep: $(sweep_parts) Makefile
	$(AM_V_GEN)mpirun=mpirun nicinfo=nicinfo && $(sweep_make)
