REC_SRC += apps/kernels/loops_plain.c
# Kernels for the node model. What they count is what their text says: no multiplication melts into
# an addition.
$(call objects,$(addprefix apps/kernels/loops_,plain.c timed.c annotated.c)): \
    EXTRA_CFLAGS = -O2 $(AS_WRITTEN) -fno-tree-slp-vectorize -ffp-contract=off $(ALIGNED)
$(BUILD)/apps/kernels/loops_vector.o: EXTRA_CFLAGS = -O3 -ffp-contract=off $(ALIGNED)
