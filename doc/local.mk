dist_doc_DATA += doc/hacking.md doc/model.md doc/papers.md doc/performance.md
dist_noinst_SCRIPTS += doc/bench
dist_man_MANS += doc/man/nicemu.7
