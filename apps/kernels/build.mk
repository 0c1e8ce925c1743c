REC_SRC += apps/kernels/loops_plain.c apps/kernels/shapes_plain.c
# Kernels for the node model. What they count is what their text says: no multiplication melts into
# an addition. The compiler that records them makes the others, too, where it is there, and what the
# clock times with the flags of the tape (layers/node/tape/tape_flags.h). Loops that are timed begin at a line of
# code, as those of `htmt host predict --against-clock` do: elsewhere a short one takes up to twice as long.
KERNELS_CC    := $(CC)
KERNELS_CLANG := $(if $(SANITIZE)$(PROFILE),,$(shell command -v clang-14))
KERNELS_OWN   := $(call objects,$(foreach of,plain timed annotated vector,$(wildcard apps/kernels/*_$(of).c)))
$(KERNELS_OWN): CC = $(or $(KERNELS_CLANG),$(KERNELS_CC)) $(if $(KERNELS_CLANG),-gdwarf-4) # for valgrind
$(KERNELS_OWN): EXTRA_CFLAGS = -O2 -ffp-contract=off \
    $(if $(KERNELS_CLANG)$(CLANG),-fno-vectorize -fno-slp-vectorize -fno-unroll-loops,$(AS_WRITTEN) -fno-tree-slp-vectorize)
$(filter %_vector.o,$(KERNELS_OWN)): EXTRA_CFLAGS = -O3 -ffp-contract=off
$(filter %_timed.o,$(KERNELS_OWN)): EXTRA_CFLAGS += -falign-loops=64
