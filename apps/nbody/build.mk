REC_SRC += $(addprefix apps/nbody/,forces.c)
# Sums that do not depend on the vectors of a host: no multiplication melts into an addition.
$(call objects,$(call sources,apps/nbody)): EXTRA_CFLAGS = -ffp-contract=off -fno-math-errno
