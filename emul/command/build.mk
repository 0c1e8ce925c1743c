# Loops of `htmt host` that are measured as they stand.
$(addprefix $(BUILD)/emul/command/host/,chase.o memory.o): EXTRA_CFLAGS = $(AS_WRITTEN) $(ALIGNED)
$(addprefix $(BUILD)/emul/command/host/,operations.o vectors.o cores.o): EXTRA_CFLAGS = -fno-tree-vectorize $(ALIGNED)
# Calls as other compilers make them, no code in line.
$(BUILD)/emul/command/host/library.o: EXTRA_CFLAGS = -fno-tree-vectorize -fno-builtin $(ALIGNED)
$(addprefix $(BUILD)/emul/command/host/,core.o issue.o pairs.o): EXTRA_CFLAGS = -fno-tree-vectorize -fno-math-errno $(ALIGNED)
# The shapes as C source, which `htmt host compare --flags` compiles.
$(BUILD)/compile/shapes.inc: apps/kernels/shapes_loops.h
	@mkdir -p $(@D)
	$(BYTES)
$(BUILD)/compile/tried_loops.inc: emul/command/host/tried_loops.h
	@mkdir -p $(@D)
	$(BYTES)
$(BUILD)/emul/command/host/calibrate.o: EXTRA_CFLAGS = -I$(BUILD)
$(BUILD)/emul/command/host/calibrate.o: $(BUILD)/compile/tried_loops.inc
$(BUILD)/emul/command/host/shapes.o: EXTRA_CFLAGS = -I$(BUILD)
$(BUILD)/emul/command/host/shapes.o: $(BUILD)/compile/shapes.inc
