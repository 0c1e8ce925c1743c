REC_SRC += apps/cannon/mpp.c apps/cannon/multiply.c
