# The computer for the command, which links no hwloc.
PARTS += $(BUILD)/topology.so
$(BUILD)/topology.so: PLUG_LIBS = $(shell pkg-config --libs hwloc 2>/dev/null)
$(BUILD)/topology.so: $(BUILD)/emul/tools/topology/topology_part.o
