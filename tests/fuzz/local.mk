# Fuzz targets: here with a small mutator of their own over the corpus, by any compiler; with
# libFuzzer see tests/fuzz.sh.
fuzz_targets = tests/fuzz/fuzz_inbox tests/fuzz/fuzz_firmware tests/fuzz/fuzz_remote \
	tests/fuzz/fuzz_pmi tests/fuzz/fuzz_streams
fuzz_driver = tests/fuzz/driver.c tests/fuzz/fuzz.h

check_PROGRAMS += $(fuzz_targets)
TESTS += tests/fuzz/run.sh
CLEANFILES += tests/fuzz/inbox.failure tests/fuzz/firmware.failure tests/fuzz/remote.failure \
	tests/fuzz/pmi.failure tests/fuzz/streams.failure
EXTRA_DIST += tests/fuzz/run.sh tests/fuzz.sh tests/fuzz/corpus

fuzz_cppflags = $(AM_CPPFLAGS) -I$(top_srcdir)/nicemu -I$(top_srcdir)/lib

tests_fuzz_fuzz_inbox_SOURCES = $(fuzz_driver) tests/fuzz/inbox.c
tests_fuzz_fuzz_inbox_CPPFLAGS = $(fuzz_cppflags)
tests_fuzz_fuzz_inbox_LDADD = libnicemu_core.la

tests_fuzz_fuzz_firmware_SOURCES = \
	$(fuzz_driver) \
	tests/fuzz/firmware.c \
	tests/fuzz/firmware.h \
	tests/fuzz/forge.c \
	tests/fuzz/state.c
tests_fuzz_fuzz_firmware_CPPFLAGS = $(fuzz_cppflags)
tests_fuzz_fuzz_firmware_LDADD = libmpi_core.la libnicemu_core.la

tests_fuzz_fuzz_remote_SOURCES = $(fuzz_driver) tests/fuzz/remote.c
tests_fuzz_fuzz_remote_CPPFLAGS = $(fuzz_cppflags)
tests_fuzz_fuzz_remote_LDADD = libnicemu_core.la

tests_fuzz_fuzz_pmi_SOURCES = $(fuzz_driver) tests/fuzz/pmi.c
tests_fuzz_fuzz_pmi_CPPFLAGS = $(fuzz_cppflags)
tests_fuzz_fuzz_pmi_LDADD = libmpi_core.la libnicemu_core.la

tests_fuzz_fuzz_streams_SOURCES = $(fuzz_driver) tests/fuzz/streams.c
tests_fuzz_fuzz_streams_CPPFLAGS = $(fuzz_cppflags)
tests_fuzz_fuzz_streams_LDADD = libnicemu_core.la
