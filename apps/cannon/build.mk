REC_SRC += apps/cannon/multiply.c
