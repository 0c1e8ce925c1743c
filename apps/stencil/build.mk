REC_SRC += $(addprefix apps/stencil/,accesses.c block_parcels.c loop_parcels.c loops.c plan.c program.c stage.c)
