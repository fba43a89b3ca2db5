dist_doc_DATA += \
	doc/check.md \
	doc/clusters.md \
	doc/fortran.md \
	doc/functions.md \
	doc/guide.md \
	doc/hacking.md \
	doc/model.md \
	doc/papers.md \
	doc/performance.md \
	doc/testing.md \
	doc/tutorial.md \
	doc/wrong.md
dist_noinst_SCRIPTS += doc/bench
roomsdir = $(docdir)/rooms
dist_rooms_DATA = \
	doc/rooms/lib-check.md \
	doc/rooms/lib-coll.md \
	doc/rooms/lib-type.md \
	doc/rooms/lib-core.md \
	doc/rooms/lib-fw.md \
	doc/rooms/lib-launch.md \
	doc/rooms/lib-pmi.md \
	doc/rooms/lib-shmem.md \
	doc/rooms/lib-tool.md \
	doc/rooms/lib-trace.md \
	doc/rooms/nicemu-core.md \
	doc/rooms/nicemu-job.md \
	doc/rooms/nicemu-match.md \
	doc/rooms/nicemu-model.md \
	doc/rooms/nicemu-profile.md \
	doc/rooms/nicemu-remote.md \
	doc/rooms/nicemu-wire.md
dist_man_MANS += doc/man/nicemu.7

# The reference, and the man pages of MPI's functions that are made of it; `made` has their names.
referencedir = $(docdir)/reference
dist_reference_DATA = $(wildcard $(srcdir)/doc/reference/*.md)
MANUAL_TOOLS = \
	tools/functions/manual.sh \
	tools/functions/manual.awk \
	tools/functions/prototypes.awk \
	tools/functions/roff.awk \
	tools/functions/shmem.awk
EXTRA_DIST += $(MANUAL_TOOLS)
noinst_DATA += doc/man3/made
doc/man3/made: $(dist_reference_DATA) include/mpi.h $(MANUAL_TOOLS)
	$(AM_V_GEN)rm -rf doc/man3 && $(MKDIR_P) doc/man3 && \
	    sh $(srcdir)/tools/functions/manual.sh doc/man3 $(PACKAGE_VERSION) >doc/man3/names && \
	    mv doc/man3/names $@

install-data-local: doc/man3/made
	$(MKDIR_P) "$(DESTDIR)$(mandir)/man3"
	$(INSTALL_DATA) doc/man3/*.3 "$(DESTDIR)$(mandir)/man3"
uninstall-local: doc/man3/made
	pages=`sed 's/$$/.3/' doc/man3/made`; \
	    ! cd "$(DESTDIR)$(mandir)/man3" 2>/dev/null || rm -f $$pages
clean-local:
	rm -rf doc/man3
