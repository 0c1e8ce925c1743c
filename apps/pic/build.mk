REC_SRC += $(addprefix apps/pic/,block_owner.c cell_list.c charge.c field.c kernels.c lines.c migrate.c push.c)
# The list of a stretch of particles lies on the stack.
$(BUILD)/apps/pic/kernels.o: FRAME_MAX := 327680
