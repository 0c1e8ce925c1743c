# What single tests need beyond the rules of the Makefile.
# Those that replace something in all of their program, or that are linked in a way of their own.
ALONE := apps/host_parts_test cannon/blas_test cxx/htmt_hpp_test emul/doctor_test emul/two_at_once_test examples/dot_test \
         parcels/lane_test parcels/partition_test parcels/recording_windows_test \
         runtime/arena_pools_test runtime/host_test runtime/pending_test runtime/team_test
# parcels/htmt.hpp throws.
$(CXX_TESTS:%=%.o): CXX_FLAGS = $(patsubst -std=%,-std=c++17,$(filter-out -Wshadow,$(ALL_CFLAGS)))
$(CXX_TESTS): private LINKER := $(CXX)
# The host's arenas in a process that has no jemalloc.
$(BUILD)/tests/runtime/arena_pools_test: APP_LIBS := $(filter-out -ljemalloc,$(APP_LIBS))
# It loads plug-ins, which find all of libhtmt in it.
$(BUILD)/tests/emul/two_at_once_test: private ARCHIVES := $(BUILD)/libhtmtemul.a $(WHOLE_LIB)
$(BUILD)/tests/emul/two_at_once_test: | $(PLUGINS)
# Topologies made by hand take the place of the machine's.
$(patsubst %.c,$(BUILD)/%,$(wildcard tests/fabric/*_test.c)) $(BUILD)/tests/fabric/together: $(BUILD)/tests/fabric/graphs.o
-include $(BUILD)/tests/fabric/graphs.d
# The other applications beside examples/dot.
$(BUILD)/tests/examples/dot_test: $(filter-out %/app.o,$(EXAMPLES)) \
                               $(BUILD)/tests/examples/dot_app.o $(BUILD)/tests/examples/table.o
$(BUILD)/tests/examples/dot_app.o: $(BUILD)/examples/dot/app.o; $(call RENAME,dot)
# It takes the place of the C library's functions: no sanitizer, no fortified headers.
$(PRELOADED): $(BUILD)/%.so: %.c $(BUILD)/flags
	$(call say,LINK,$@)
	@mkdir -p $(@D)
	$(Q)$(CC) $(WARNINGS) -O1 -g -fPIC -I. -shared $< -o $@ -ldl
FORTRAN_OBJ = $(filter-out %_parse.o %_guess.o,$(call objects,$(wildcard emul/tools/analyze/fortran_*.c))) \
              $(patsubst %,$(BUILD)/emul/tools/analyze/%.o,form memory notes polynomial scan)
$(BUILD)/tests/fuzz/fortran $(BUILD)/tests/fuzz/fortran_replay: $(FORTRAN_OBJ)
$(FUZZERS): FUZZ_MAIN = -fsanitize=fuzzer
$(FUZZERS): %: %.o $(BUILD)/tests/fuzz/input.o $(ARCHIVES)
	$(LINK_FUZZER)
$(FUZZERS:=_replay): %_replay: %.o $(BUILD)/tests/fuzz/input.o $(BUILD)/tests/fuzz/replay.o $(ARCHIVES)
	$(LINK_FUZZER)
define LINK_FUZZER
	$(call say,LINK,$@)
	$(Q)$(CC) $(ALL_CFLAGS) $(FUZZ_MAIN) $(filter %.o,$^) $(filter-out %.o,$^) -o $@ $(SHEET_LIBS) $(APP_LIBS)
endef

# How many small faults the unit programs notice.
MUTANTS := 200
mutants: ## flip one token of the source at a time (MUTANTS in all), count what the unit programs notice
	$(again) tests
	tests/mutants.py --count $(MUTANTS) --jobs $(JOBS) $(BUILD)
.PHONY: mutants
