# Programs that measure the emulator against base lines, and the targets that run them.
BENCH_COMMON := $(addprefix bench/,clock.c options.c blocks.c stages.c command.c)
# Loaded by the command in place of mpi.so.
BENCH_MPI    := bench/exchanges.c
# One of the programs is linked a second time, without jemalloc.
BENCHES      := $(patsubst %.c,$(BUILD)/%,$(filter-out $(BENCH_COMMON) $(BENCH_MPI),$(wildcard bench/*.c))) \
                $(BUILD)/bench/emulator_product_pools
BENCH_OBJ    := $(call objects,$(BENCH_COMMON))
OBJECTS      += $(BENCH_OBJ) $(BENCHES:%=%.o) $(call objects,$(BENCH_MPI))
# Whose instructions are counted; what bench/scaling.sh wants beside the command.
COUNTED      := emulator_stages hand_stages emulator_messages emulator_posts
SCALED       := $(BUILD)/bench/team_rounds $(BENCH_MPI:%.c=$(BUILD)/%.so) $(BUILD)/tests/ranks/transport

# ONLY=host needs none of the base lines.
bench: ## install what is missing, measure emulator and base lines against each other
	$(Q).ci/deps .ci/packages.txt $(if $(filter host,$(ONLY)),,.ci/packages-bench.txt)
	$(again) all $(if $(filter host,$(ONLY)),$(BUILD)/bench/host_shapes $(BUILD)/bench/node_play,benches seq)
	bench/run.sh $(BUILD)/bench

bench-scaling: ## measure threads of the clock and ranks, predict more of them by a closed form
	$(again) all $(SCALED)
	bench/scaling.sh $(BUILD)

bench-instructions: ## count the instructions of a stage and of an event, compare; needs Valgrind
	$(again) $(BUILD)/htmt $(COUNTED:%=$(BUILD)/bench/%)
	bench/instructions.sh $(BUILD) $(CC)

pgo: deps ## build below BUILD/pgo, laid out after counts of a load (GCC)
	$(Q)rm -rf $(BUILD)/pgo
	$(again) BUILD=$(BUILD)/pgo PROFILE=generate all $(BUILD)/pgo/bench/emulator_stages
	$(Q)bench/profile.sh $(BUILD)/pgo
	$(again) BUILD=$(BUILD)/pgo PROFILE=use all

benches: $(BENCHES)
# The base line `seq`, where git has it: its own tree, its own programs.
seq:
	$(Q)bench/seq.sh $(BUILD)/seq
	$(Q)test ! -e $(BUILD)/seq/Makefile || .ci/deps $(BUILD)/seq/.ci/packages.txt
	+$(Q)test ! -e $(BUILD)/seq/Makefile || $(MAKE) --no-print-directory -C $(BUILD)/seq BUILD=build \
	    all build/bench/emulator_stages build/bench/emulator_messages

# The base lines' own libraries. Their headers are not ours to warn about.
$(BUILD)/bench/openmp_%: EXTRA_CFLAGS = -fopenmp
$(BUILD)/bench/starpu_%: EXTRA_CFLAGS = $(subst -I,-isystem ,$(shell pkg-config --cflags starpu-1.3))
$(BUILD)/bench/starpu_%: BENCH_LIBS = $(shell pkg-config --libs starpu-1.3)
$(BUILD)/bench/simgrid_%: BENCH_LIBS = -lsimgrid
$(BUILD)/bench/emulator_product_pools: APP_LIBS := $(filter-out -ljemalloc,$(APP_LIBS))
$(BENCHES): $(BENCH_OBJ) $(ARCHIVES) | $(SHIPPED)
$(BUILD)/bench/emulator_product_pools: $(BUILD)/bench/emulator_product.o
	$(BENCH_LINK)
$(BUILD)/bench/%: $(BUILD)/bench/%.o
	$(BENCH_LINK)
define BENCH_LINK
	$(call say,LINK,$@)
	$(Q)$(CC) $(ALL_CFLAGS) $(EXTRA_CFLAGS) $(filter %.o,$^) $(ARCHIVES) -o $@ $(BENCH_LIBS) $(SHEET_LIBS) $(APP_LIBS)
endef
$(BENCH_MPI:%.c=$(BUILD)/%.so): $(BUILD)/%.so: $(BUILD)/%.o
	$(call say,LINK,$@)
	$(Q)$(CC) $(ALL_CFLAGS) -shared $< -o $@ -ldl
