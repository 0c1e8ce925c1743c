REC_SRC += apps/kernels/loops_plain.c apps/kernels/shapes_plain.c
# Kernels for the node model. What they count is what their text says: no multiplication melts into
# an addition.
$(call objects,$(addprefix apps/kernels/loops_,plain.c timed.c annotated.c)): \
    EXTRA_CFLAGS = -O2 $(AS_WRITTEN) -fno-tree-slp-vectorize -ffp-contract=off $(ALIGNED)
$(BUILD)/apps/kernels/loops_vector.o: EXTRA_CFLAGS = -O3 -ffp-contract=off $(ALIGNED)
# The shapes are compared as a compiler makes them: the one that records them, where it is.
KERNELS_CC := $(CC)
KERNELS_PLAIN := $(if $(SANITIZE)$(PROFILE),,$(shell command -v clang-14))
$(call objects,$(addprefix apps/kernels/shapes_,plain.c timed.c vector.c)): CC = $(or $(KERNELS_PLAIN),$(KERNELS_CC))
$(call objects,$(addprefix apps/kernels/shapes_,plain.c timed.c)): EXTRA_CFLAGS = -O2 -ffp-contract=off \
    $(if $(KERNELS_PLAIN)$(CLANG),-fno-vectorize -fno-slp-vectorize -fno-unroll-loops,$(AS_WRITTEN) -fno-tree-slp-vectorize)
$(BUILD)/apps/kernels/shapes_vector.o: EXTRA_CFLAGS = -O3 -ffp-contract=off
