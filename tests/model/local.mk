# Models of the protocols, checked with spin; and mutants of each, which must fail.
model_files = \
	tests/model/ahead.pml \
	tests/model/awaited.pml \
	tests/model/baton.pml \
	tests/model/claim.pml \
	tests/model/begin.pml \
	tests/model/handover.pml \
	tests/model/horizon.pml \
	tests/model/park.pml \
	tests/model/queue.pml \
	tests/model/ring.pml \
	tests/model/room.pml \
	tests/model/boot.pml \
	tests/model/bulk.pml \
	tests/model/streams.pml \
	tests/model/turns.pml \
	tests/model/window.pml
TESTS += tests/model/models.sh
EXTRA_DIST += tests/model/models.sh $(model_files)
