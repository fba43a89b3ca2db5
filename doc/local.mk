dist_doc_DATA += doc/hacking.md doc/performance.md
dist_noinst_SCRIPTS += doc/bench
