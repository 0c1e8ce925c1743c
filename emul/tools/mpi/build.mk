# Ranks for the command, which links no MPI.
MPI_LIBS := $(shell pkg-config --libs ompi-c 2>/dev/null)
PARTS    += $(if $(MPI_LIBS),$(BUILD)/mpi.so,no-mpi)
$(BUILD)/emul/tools/mpi/mpi.o: EXTRA_CFLAGS = $(patsubst -I%,-isystem %,$(shell pkg-config --cflags ompi-c)) $(HIDDEN)
$(BUILD)/mpi.so: PLUG_LIBS = $(MPI_LIBS)
$(BUILD)/mpi.so: $(BUILD)/emul/tools/mpi/mpi.o
