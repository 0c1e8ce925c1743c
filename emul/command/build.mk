# Loops of `htmt host` that are measured as they stand.
$(BUILD)/emul/command/host/memory.o: EXTRA_CFLAGS = $(AS_WRITTEN) $(ALIGNED)
$(BUILD)/emul/command/host/operations.o: EXTRA_CFLAGS = -fno-tree-vectorize $(ALIGNED)
# Calls as other compilers make them, no code in line.
$(BUILD)/emul/command/host/library.o: EXTRA_CFLAGS = -fno-tree-vectorize -fno-builtin $(ALIGNED)
$(addprefix $(BUILD)/emul/command/host/,core.o pairs.o): EXTRA_CFLAGS = -fno-tree-vectorize -fno-math-errno $(ALIGNED)
