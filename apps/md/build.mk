# The same trajectories on hosts with and without fused multiply-adds.
$(call objects,$(call sources,apps/md)): EXTRA_CFLAGS = -ffp-contract=off
REC_SRC += $(addprefix apps/md/,costs.c migrate.c parcels.c plan.c program.c program_parts.c)
