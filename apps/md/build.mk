# The same trajectories on hosts with and without fused multiply-adds.
$(call objects,$(call sources,apps/md)): EXTRA_CFLAGS = -ffp-contract=off
