REC_SRC += $(addprefix apps/pic/,cell_list.c charge.c field.c kernels.c migrate.c mpp_program.c push.c)
REC_SRC += apps/fft/fft.c apps/fft/own.c # of sar, too
# The list of a stretch of particles lies on the stack.
$(BUILD)/apps/pic/kernels.o: FRAME_MAX := 327680
# The same particles on hosts with and without fused multiply-adds.
$(BUILD)/apps/pic/io/start.o: EXTRA_CFLAGS = -ffp-contract=off
