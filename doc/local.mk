dist_doc_DATA += \
	doc/functions.md \
	doc/guide.md \
	doc/hacking.md \
	doc/model.md \
	doc/papers.md \
	doc/performance.md \
	doc/testing.md
dist_noinst_SCRIPTS += doc/bench
roomsdir = $(docdir)/rooms
dist_rooms_DATA = \
	doc/rooms/lib-coll.md \
	doc/rooms/lib-type.md \
	doc/rooms/lib-core.md \
	doc/rooms/lib-fw.md \
	doc/rooms/lib-launch.md \
	doc/rooms/nicemu-core.md \
	doc/rooms/nicemu-job.md \
	doc/rooms/nicemu-match.md \
	doc/rooms/nicemu-model.md \
	doc/rooms/nicemu-profile.md \
	doc/rooms/nicemu-remote.md
dist_man_MANS += doc/man/nicemu.7
