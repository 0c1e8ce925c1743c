REC_SRC += $(addprefix apps/volume/,bundle_setup.c cast.c lane.c parcels.c ray.c subcubes.c symmetry.c tally.c visit_list.c)
# Two ray casters that agree to the last bit: no multiplication melts into an addition.
$(call objects,$(call sources,apps/volume)): EXTRA_CFLAGS = -ffp-contract=off
