REC_SRC += $(addprefix apps/prim/,outer.c parts.c programs.c tasklet.c)
