# The figure pack: by itself, with a toy for the model; and that profiles are calibrated on nothing
# else than they say.
TESTS += tests/figures/calibration.sh tests/figures/figures.sh
EXTRA_DIST += tests/figures/calibration.sh tests/figures/figures.sh tests/figures/toy_mpirun.sh
EXTRA_DIST += \
	tools/figures/adopt.sh \
	tools/figures/atomic.gp \
	tools/figures/barrier-gm.gp \
	tools/figures/barrier-mpi.gp \
	tools/figures/barrier-shares.gp \
	tools/figures/barrier-steps.gp \
	tools/figures/barrier-turns.gp \
	tools/figures/barrier-varied.gp \
	tools/figures/barriers.sh \
	tools/figures/bypass-nodes.gp \
	tools/figures/bypass-skew.gp \
	tools/figures/lock.gp \
	tools/figures/messages.sh \
	tools/figures/multicast.sh \
	tools/figures/offload-data.sh \
	tools/figures/offload.sh \
	tools/figures/pgas-far.gp \
	tools/figures/pgas-latency.gp \
	tools/figures/pgas-limits.gp \
	tools/figures/pgas-streams.gp \
	tools/figures/pgas-updates.gp \
	tools/figures/puts.sh \
	tools/figures/seastar.sh \
	tools/figures/seastar-lists.gp \
	tools/figures/seastar-messages.gp \
	tools/figures/seastar-nodes.gp \
	tools/figures/cal.tsv \
	tools/figures/calibrate.sh \
	tools/figures/eager-small.gp \
	tools/figures/eager.gp \
	tools/figures/adopted \
	tools/figures/figures.sh \
	tools/figures/index.sh \
	tools/figures/inputs.tsv \
	tools/figures/judge.awk \
	tools/figures/measure.sh \
	tools/figures/parts.gp \
	tools/figures/posted.gp \
	tools/figures/quotes.sh \
	tools/figures/reduce-hosts.gp \
	tools/figures/multicast.gp \
	tools/figures/reduce-latency.gp \
	tools/figures/rendezvous-small.gp \
	tools/figures/rendezvous.gp \
	tools/figures/rows.tsv \
	tools/figures/style.gp \
	tools/figures/unexpected.gp
