REC_SRC += $(addprefix apps/sar/,decomposition.c geometry.c kernels.c plan.c)
