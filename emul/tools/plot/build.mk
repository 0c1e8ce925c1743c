# Drawing for the command, which links no cairo.
PARTS += $(BUILD)/plot.so
$(BUILD)/emul/tools/plot/plot_part.o: EXTRA_CFLAGS = $(HIDDEN)
$(BUILD)/plot.so: $(BUILD)/emul/tools/plot/plot_part.o $(BUILD)/apps/shared.a
