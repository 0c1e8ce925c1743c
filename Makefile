# HTMT emulator. `make help` lists the targets. A file's product follows from its folder; what a
# folder needs beyond that stands in its build.mk.

# ---- Settings: each can be given on the command line --------------------------------------------
VERSION  := 0.1.0
CC       := gcc
CXX      := g++
CFLAGS   := -O3 -g
# For the linker.
LDFLAGS  :=
PREFIX   := /usr/local
DESTDIR  :=
# Where everything that is built goes. A build with other CFLAGS, PREFIX or SANITIZE in the same
# folder rebuilds what it must.
BUILD    := build
# -fsanitize= list; the targets asan, ubsan and tsan set it.
SANITIZE :=
# The tapes that kernels are recorded on, a program each (docs/recording-kernels.md).
TAPES    := O2 O3
# The classes of tests (docs/architecture.md) to build and to run, and those under sanitizers.
CLASS      := unit fast
ASAN_CLASS := unit foreign
TSAN_CLASS := threads
# With GCC. generate: the build counts where it goes; use: it is laid out after these counts.
PROFILE  :=
# At once: compilers, test programs.
JOBS     := 2
# 1: show every command.
V        := 0
# How long `make fuzz` runs each fuzzer.
FUZZ_SECONDS := 4
# What `make run` does.
RUN      := run cannon --size 1024 --slices 16

bindir     := $(PREFIX)/bin
# A package of Debian's has a folder for each architecture.
libdir     := $(PREFIX)/lib$(if $(DEB_HOST_MULTIARCH),/$(DEB_HOST_MULTIARCH))
datadir    := $(PREFIX)/share/htmt

WARNINGS := -std=gnu17 -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Werror
# Guards that cost nothing to speak of, where no sanitizer watches: GCC's stack protector beside the
# address sanitizer leaves vectors on the stack unaligned. _FORTIFY_SOURCE wants an optimizing build.
HARDENING := $(if $(SANITIZE),,-fstack-protector-strong \
             $(if $(filter -O0,$(CFLAGS)),,-U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=2))
HARDENED_LINK := -Wl,-z,relro,-z,now $(LDFLAGS)
# Sanitizer builds: small enough to be quick, precise enough to be read. gold links twice as fast. It
# takes minutes to record kernels by a compiler with a sanitizer.
SANITIZED  = CFLAGS='-O1 -g1 -fno-omit-frame-pointer' LDFLAGS=-fuse-ld=gold TAPES='$(SANITIZED_TAPES)'

# ---- What is there ------------------------------------------------------------------------------
# $(call sources,FOLDERS): the C files of each folder and of its subfolders, two deep.
sources  = $(sort $(wildcard $(foreach f,$(1),$f/*.c $f/*/*.c $f/*/*/*.c)))
objects  = $(patsubst %,$(BUILD)/%.o,$(basename $(1)))
LIB_OBJ    := $(call objects,$(call sources,runtime layers parcels apps/lib emul/lib))
CMD_OBJ    := $(call objects,$(call sources,emul/command emul/view emul/loops emul/validate emul/study))
# Programs and plug-ins of their own; each has a build.mk.
TOOLS_OBJ  := $(call objects,$(call sources,emul/tools))
# Each application is a plug-in, linked with what it uses of fft and formats.
APPS       := $(patsubst apps/%/app.c,%,$(wildcard apps/*/app.c))
SHARED_OBJ := $(call objects,$(call sources,apps/fft apps/formats apps/peers))
APP_OBJ    := $(call objects,$(call sources,$(APPS:%=apps/%))) $(SHARED_OBJ)
PLUGINS    := $(APPS:%=$(BUILD)/apps/%.so)
RENAMED    := $(APPS:%=$(BUILD)/tests/apps/%_app.o)

# Tests are programs of one file, *_test; other files with a main() are programs for scripts; what is
# left below tests/ helps them, and each is linked with what it uses of it.
TEST_SRC   := $(wildcard tests/*/*_test.c)
CXX_TESTS  := $(patsubst %.cc,$(BUILD)/%,$(wildcard tests/*/*_test.cc))
TESTS      := $(TEST_SRC:%.c=$(BUILD)/%) $(CXX_TESTS)
HISTORIES  := $(patsubst %.c,$(BUILD)/%,$(wildcard tests/histories/*.c) tests/ranks/transport.c \
              tests/random/command_lines.c tests/random/programs.c tests/random/slopes.c)
# Those to build and to run, and the scripts, which go first: at the end no long one runs alone.
OF_CLASS   := $(shell tests/run.sh --class $(CLASS))
CHOSEN     := $(call objects,$(filter %.c %.cc,$(OF_CLASS)))
CHOSEN_SH  := $(filter %.sh,$(OF_CLASS))
# Where tests have a runner of their own (see CRITERION), those of a folder are one program, but for
# those that tests/build.mk names.
GROUPED     = $(if $(OWN_HEAP),$(filter-out $(ALONE:%=$(BUILD)/tests/%.o),$(CHOSEN)))
PROGRAMS    = $(patsubst %.o,%,$(filter-out $(GROUPED),$(CHOSEN))) \
              $(foreach o,$(GROUPED),$(dir $o)named/$(notdir $(basename $o)))
FUZZERS    := $(patsubst %.c,$(BUILD)/%,$(filter-out %/input.c %/replay.c,$(wildcard tests/fuzz/*.c)))
# Preloaded, to make calls of the host fail, to watch the heap, to check runs.
PRELOADED  := $(BUILD)/tests/faults/shim.so $(BUILD)/tests/soak/heap.so $(BUILD)/tests/examples/checked.so
HELP_SRC   := $(filter-out $(TEST_SRC) $(patsubst $(BUILD)/%,%.c,$(HISTORIES) $(FUZZERS) $(PRELOADED:.so=)) \
              %/input.c %/replay.c %/hello.c %/report.c %/trace.c tests/plugins/% tests/source/% tests/loops/% tests/examples/% tests/fabric/graphs.c,\
              $(wildcard tests/*/*.c)) tests/pic/counting.cc
HELP_OBJ   := $(call objects,$(HELP_SRC))
# An application of somebody else's; programs of one file.
EXAMPLES   := $(call objects,$(call sources,examples/dot))
NUMBERED   := $(patsubst %/,$(BUILD)/%,$(dir $(wildcard examples/[0-9]*/main.c examples/[0-9]*/main.cc)))

# In the order in which the linker wants them: each uses those behind it. The first three are for
# tests: their helpers, the command without its main(), the applications linked together.
HELPERS    := $(BUILD)/tests/helpers.a
ARCHIVES   := $(HELPERS) $(BUILD)/libhtmtemul.a $(BUILD)/libhtmtapps.a $(BUILD)/libhtmt.a
OBJECTS    := $(LIB_OBJ) $(CMD_OBJ) $(TOOLS_OBJ) $(APP_OBJ) $(HELP_OBJ) $(EXAMPLES) $(TESTS:%=%.o) \
              $(HISTORIES:%=%.o) $(FUZZERS:%=%.o) $(BUILD)/tests/runner.o $(BUILD)/tests/fuzz/replay.o
# Shipped with the command: programs of the build find it as installed ones do.
SHIPPED    := $(addprefix $(BUILD)/share/htmt/,machines costs golden measured cells transfers decks tables templates nests)
# The commit, where there is one; it reaches only the command.
COMMIT     := $(shell git describe --always --dirty --exclude '*' 2>/dev/null)

# ---- Flags --------------------------------------------------------------------------------------
# jemalloc stays away from the sanitizers that bring their own malloc.
comma     := ,
OWN_HEAP  := $(filter address thread,$(subst $(comma), ,$(SANITIZE)))
LIBRARIES := liburcu-cds yaml-0.1 jansson libdeflate
# Of programs that libhtmt.a is linked into; libhtmt.so leaves the heap to the program.
HEAP      := $(if $(OWN_HEAP),,jemalloc)
# What plug-ins alone use. FFTW is GPL: it reaches pic.so and sar.so, nothing else. NIfTI has no .pc
# file; its headers name each other without a folder.
APP_LIBRARIES := openblas fftw3 fftw3f libpng zlib cairo libcerf
NIFTI_CFLAGS  := -isystem /usr/include/nifti
NIFTI_LIBS    := -lnifti2 -lznz
# METIS has no .pc file either.
METIS_LIBS    := -lmetis
# Workbooks of `htmt bound`: of the command alone, and of tests that have it in them.
SHEET_LIBS    := -Wl,--push-state,--as-needed $(shell pkg-config --libs xlsxwriter 2>/dev/null) -Wl,--pop-state

CLANG   := $(findstring clang,$(CC))
# GCC says by itself which sanitizer watches.
DEFINES := -DHTMT_VERSION='"$(VERSION)"' \
           $(if $(CLANG),$(patsubst address,-D__SANITIZE_ADDRESS__=1,$(filter address,$(OWN_HEAP))))
PROFILE_generate := -fprofile-generate -fprofile-update=prefer-atomic
PROFILE_use      := -fprofile-use -fprofile-correction -Wno-missing-profile -Wno-maybe-uninitialized
# What a sanitizer adds to the code makes GCC see uses of variables that have no value.
ALL_CFLAGS := $(WARNINGS) $(HARDENING) $(CFLAGS) $(PROFILE_$(PROFILE)) $(if $(SANITIZE),-fsanitize=$(SANITIZE) \
              -fno-sanitize-recover $(if $(CLANG),,-Wno-maybe-uninitialized)) $(DEFINES) \
              -fPIC -fno-semantic-interposition -I. -pthread \
              $(shell pkg-config --cflags $(LIBRARIES) $(HEAP) $(APP_LIBRARIES) 2>/dev/null) \
              $(NIFTI_CFLAGS)
CXX_FLAGS  = $(subst -std=gnu17,-std=gnu++17,$(filter-out -Wpedantic -Wshadow,$(ALL_CFLAGS))) \
             -fno-exceptions -fno-rtti
# libhtmt asks for jemalloc's functions weakly, which does not make a linker keep it. A program that
# starts looks its symbols up in one library after another: most are in libc and libm.
SO_LIBS  := $(HARDENED_LINK) -lc -lm $(shell pkg-config --libs $(LIBRARIES) 2>/dev/null) -lpthread
LIB_LIBS := -Wl,--push-state,--no-as-needed $(shell pkg-config --libs $(HEAP) 2>/dev/null) \
            -Wl,--pop-state $(SO_LIBS)
OWN_LIBS := $(shell pkg-config --libs $(APP_LIBRARIES) 2>/dev/null) $(NIFTI_LIBS) $(METIS_LIBS)
APP_LIBS := $(OWN_LIBS) $(LIB_LIBS)
# What plug-ins find in the command: all of libhtmt that is public.
EXPORTS  := -Wl,--dynamic-list=emul/packaging/exports
WHOLE_LIB := -Wl,--whole-archive $(BUILD)/libhtmt.a -Wl,--no-whole-archive $(EXPORTS)
# Loops that are measured as they stand: no vectors, and none that crosses lines of code.
ALIGNED    := $(if $(CLANG),,-falign-loops=64)
AS_WRITTEN := -fno-tree-vectorize $(if $(CLANG),,-fno-tree-loop-distribute-patterns)

# ---- Quiet unless V=1 ---------------------------------------------------------------------------
Q   := $(if $(filter 1,$(V)),,@)
say  = $(if $(filter 1,$(V)),,@printf '  %-4s %s\n' $(1) $(2))
again = +$(Q)$(MAKE) --no-print-directory $(if $(filter -j%,$(MAKEFLAGS)),,-j$(JOBS))

# ---- What folders add: flags of their files, programs and plug-ins (PARTS) ----------------------
.DEFAULT_GOAL := all
FOLDER_MK := $(sort $(wildcard */build.mk apps/*/build.mk emul/*/build.mk emul/*/*/build.mk))
include $(FOLDER_MK)
# Where the libraries of a part are missing.
no-%:
	@echo '  $* is left out: its libraries are missing (.ci/deps .ci/packages-$*.txt)'

# ---- Targets for people -------------------------------------------------------------------------
all: $(BUILD)/htmt $(BUILD)/libhtmt.so $(BUILD)/include/htmt.h $(PARTS) ## build the htmt command, its plug-ins and libraries

help: ## list the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  %-18s %s\n", $$1, $$2 }' Makefile */build.mk emul/packaging/build.mk

# Each of these begins again after deps: what pkg-config says may have changed.
run: deps ## install what is missing, build, multiply two matrices on the emulated machine
	$(again) all
	$(BUILD)/htmt $(RUN)

test: deps ## install what is missing, build, run the unit programs and the fast scripts
	$(again) suite

check-all: export HTMT_LONG = 1
check-all: EVERY = unit fast foreign threads long
check-all: deps ## all tests, long ones and under each sanitizer; hours
	$(again) suite CLASS='$(EVERY)'
	$(again) asan ASAN_CLASS='$(EVERY)' SANITIZED_TAPES='$(TAPES)'
	$(again) tsan TSAN_CLASS='$(EVERY)'
	$(again) fuzz
	$(again) site

asan: deps ## unit programs, scripts with foreign input, inputs of fuzzers under the address and undefined-behaviour sanitizers
	$(again) suite replay BUILD=$(BUILD)/asan SANITIZE=address,undefined $(SANITIZED) CLASS='$(ASAN_CLASS)'

ubsan: deps ## the same tests under the undefined-behaviour sanitizer alone, optimized
	$(again) suite BUILD=$(BUILD)/ubsan SANITIZE=undefined CFLAGS='-O3 -g' TAPES= CLASS='$(ASAN_CLASS)'

tsan: deps ## tests with threads under the thread sanitizer
	$(again) suite BUILD=$(BUILD)/tsan SANITIZE=thread $(SANITIZED) CLASS='$(TSAN_CLASS)'

fuzz: deps ## try random inputs on each reader, FUZZ_SECONDS long; needs Clang
	$(again) fuzzers BUILD=$(BUILD)/fuzz CC=clang SANITIZE=fuzzer-no-link,address,undefined $(SANITIZED)
	$(Q)JOBS=$(JOBS) tests/fuzz/run $(FUZZ_SECONDS) $(FUZZERS:$(BUILD)/%=$(BUILD)/fuzz/%)

analyze: deps $(BUILD)/page/template.inc ## Clang's static analyzer over the sources; docs/architecture.md answers its findings
	$(Q)printf '%s\n' $(patsubst $(BUILD)/%.o,%.c,$(LIB_OBJ) $(APP_OBJ) $(CMD_OBJ)) | xargs -P $(JOBS) -I{} \
	    clang --analyze --analyzer-output text $(ALL_CFLAGS) -Wno-error -I$(BUILD) -DHTMT_COMMIT='""' {} -o /dev/null

format: ## lay out the sources
	clang-format -i $$(git ls-files -co --exclude-standard '*.c' '*.h' '*.cc' '*.hpp')

format-check: ## fail when a source is not laid out
	$(Q)git ls-files -co --exclude-standard '*.c' '*.h' '*.cc' '*.hpp' | \
	    xargs -P $(JOBS) -n 100 clang-format --dry-run --Werror

deps: ## install the Debian packages of .ci/packages.txt that are missing
	$(Q).ci/deps .ci/packages.txt

clean: ## remove what was built
	rm -rf $(BUILD)

examples: $(BUILD)/examples/dot.so $(NUMBERED) ## build the plug-in of examples/dot and the numbered programs

# No tool has threads, and nothing that is installed has a sanitizer.
tests: $(if $(filter thread,$(SANITIZE)),,$(PARTS)) $(if $(SANITIZE),,all $(NUMBERED) $(PAGES)) \
       $(BUILD)/htmt $(PROGRAMS) $(HISTORIES) $(PRELOADED) $(BUILD)/examples/dot.so
fuzzers: $(FUZZERS)
replay: $(FUZZERS:=_replay)
	$(Q)JOBS=$(JOBS) tests/fuzz/run replay $^

suite: tests
	$(Q)HTMT=$(abspath $(BUILD)/htmt) JOBS=$(JOBS) SANITIZE=$(SANITIZE) \
	    HISTORIES=$(abspath $(BUILD)/tests/histories) \
	    RANDOM_LINES=$(abspath $(BUILD)/tests/random/command_lines) \
	    RANDOM_PROGRAMS=$(abspath $(BUILD)/tests/random/programs) tests/run.sh $(CHOSEN_SH) $(PROGRAMS)

# ---- Rules --------------------------------------------------------------------------------------
# A stamp changes only when its text does, and then what depends on it is made again.
STAMP = @mkdir -p $(@D); printf '%s\n' "$$TEXT" | cmp -s - $@ || printf '%s\n' "$$TEXT" > $@

$(BUILD)/flags: export TEXT = $(CC) $(ALL_CFLAGS) $(APP_LIBS)
$(BUILD)/flags: FORCE
	@pkg-config --exists $(LIBRARIES) $(HEAP) $(APP_LIBRARIES) xlsxwriter && \
	    printf '#include <%s>\n' nifti2_io.h metis.h | $(CC) $(NIFTI_CFLAGS) -E - >/dev/null 2>&1 || \
	    { echo 'Libraries are missing: make deps' >&2; exit 2; }
	$(STAMP)
$(BUILD)/commit: export TEXT = $(COMMIT)
$(BUILD)/commit: FORCE
	$(STAMP)
$(BUILD)/folders: export TEXT = $(libdir) $(datadir)
$(BUILD)/folders: FORCE
	$(STAMP)

$(BUILD)/%.o: %.c $(BUILD)/flags
	$(call say,CC,$<)
	@mkdir -p $(@D)
	$(Q)$(CC) $(ALL_CFLAGS) $(FRAMES) $(VISIBILITY) $(EXTRA_CFLAGS) -MMD -MP -c $< -o $@
$(BUILD)/%.o: %.cc $(BUILD)/flags
	$(call say,CXX,$<)
	@mkdir -p $(@D)
	$(Q)$(CXX) $(CXX_FLAGS) -MMD -MP -c $< -o $@

# The objects of a folder are made again when its build.mk changes, which may have flags of theirs.
$(foreach f,$(FOLDER_MK),$(foreach o,$(filter $(BUILD)/$(dir $f)%,$(OBJECTS)),$(eval $o: $f)))

# Workers have small stacks. Sanitizers make frames larger.
$(LIB_OBJ) $(APP_OBJ) $(CMD_OBJ): FRAMES = $(if $(SANITIZE),,-Wframe-larger-than=$(FRAME_MAX))
FRAME_MAX := 32768
# A plug-in exports what it says it does, nothing else, and calls its host without detours. It is
# not counted: a copy of a function for one processor is chosen before counting may begin.
$(APP_OBJ) $(EXAMPLES): VISIBILITY = $(HIDDEN)
HIDDEN = -fvisibility=hidden -fno-plt $(if $(PROFILE),-fno-profile-generate -fno-profile-arcs -fno-profile-values -fno-profile-use)

# Most of a build's files are tests, whose own loops are short.
$(TESTS:%=%.o): EXTRA_CFLAGS = $(if $(SANITIZE),-O0,-O1)

# Where the installed command finds its plug-ins and its data; plug-ins also from the command, where
# nothing was moved. Another PREFIX builds only these again.
# Every event adds to counters that lie side by side. GCC makes a vector of two, which takes more
# instructions than two additions.
$(BUILD)/parcels/%.o: EXTRA_CFLAGS = -fno-tree-slp-vectorize
$(BUILD)/emul/lib/plugin/folder.o: EXTRA_CFLAGS = -DHTMT_LIBDIR='"$(libdir)"' \
    -DHTMT_LIB_FROM_BIN='"../$(patsubst $(PREFIX)/%,%,$(libdir))"'
$(BUILD)/layers/file/search.o: EXTRA_CFLAGS = -DHTMT_DATADIR='"$(datadir)"'
$(BUILD)/emul/lib/plugin/folder.o $(BUILD)/layers/file/search.o: $(BUILD)/folders
$(BUILD)/emul/lib/options/provenance.o: EXTRA_CFLAGS = -DHTMT_COMMIT='"$(COMMIT)"'
$(BUILD)/emul/lib/options/provenance.o: $(BUILD)/commit

# The bytes of a file become an array.
define BYTES
	$(Q)od -An -v -td1 $< | sed 's/ *\(-*[0-9][0-9]*\)/\1,/g' >$@ && echo 0 >>$@
endef

# Each application's htmt_app under another name, and what the address sanitizer adds to it.
RENAME = $(Q)mkdir -p $(@D) && objcopy --redefine-sym htmt_app=htmt_app_$(1) \
         --redefine-sym __odr_asan.htmt_app=__odr_asan.htmt_app_$(1) $< $@
$(RENAMED): $(BUILD)/tests/apps/%_app.o: $(BUILD)/apps/%/app.o
	$(call RENAME,$*)

$(BUILD)/libhtmt.a: $(LIB_OBJ)
$(BUILD)/libhtmtapps.a: $(filter-out $(APPS:%=$(BUILD)/apps/%/app.o),$(APP_OBJ)) $(RENAMED)
$(BUILD)/libhtmtemul.a: $(filter-out $(BUILD)/emul/command/main.o,$(CMD_OBJ))
$(HELPERS): $(HELP_OBJ)
$(BUILD)/apps/shared.a: $(SHARED_OBJ)
$(ARCHIVES) $(BUILD)/apps/shared.a: $(BUILD)/flags
	$(call say,AR,$@)
	$(Q)rm -f $@ && ar rcs $@ $(filter %.o,$^)

# The library's own calls stay inside.
$(BUILD)/libhtmt.so.1: $(LIB_OBJ) emul/packaging/libhtmt.map $(BUILD)/flags
	$(call say,LINK,$@)
	$(Q)$(CC) $(ALL_CFLAGS) -shared -Wl,-soname,libhtmt.so.1 -Wl,-Bsymbolic-functions \
	    -Wl,--version-script=emul/packaging/libhtmt.map $(LIB_OBJ) -o $@ $(SO_LIBS)
$(BUILD)/libhtmt.so: $(BUILD)/libhtmt.so.1
	$(Q)ln -sf $(<F) $@

# Plug-ins are linked without libhtmt: its functions are in the program that loads them.
# target_clones makes symbols that no visibility hides.
PLUG_LIBS = $(OWN_LIBS)
$(BUILD)/%.so: emul/packaging/plugin.map $(BUILD)/flags
	$(call say,LINK,$@)
	$(Q)$(CC) $(ALL_CFLAGS) -shared -Wl,--as-needed $(filter %.o %.a,$^) -o $@ \
	    -Wl,--version-script=$< $(HARDENED_LINK) $(PLUG_LIBS) -lm
$(foreach app,$(APPS),$(eval $(BUILD)/apps/$(app).so: $(call objects,$(call sources,apps/$(app)))))
$(PLUGINS): $(BUILD)/apps/shared.a
$(BUILD)/examples/dot.so: $(EXAMPLES)

$(SHIPPED): $(BUILD)/share/htmt/%:
	@mkdir -p $(@D) && ln -sfnr $(firstword $(wildcard $* emul/*/$* emul/*/*/$* apps/*/$*)) $@
$(BUILD)/htmt $(TESTS) $(NUMBERED) $(HISTORIES): | $(SHIPPED)
$(BUILD)/htmt: | $(PLUGINS) $(filter %.so,$(PARTS))
$(BUILD)/htmt: $(BUILD)/emul/command/main.o $(BUILD)/libhtmtemul.a $(BUILD)/libhtmt.a emul/packaging/exports
	$(call say,LINK,$@)
	$(Q)$(CC) $(ALL_CFLAGS) $< $(BUILD)/libhtmtemul.a $(WHOLE_LIB) -o $@ $(SHEET_LIBS) $(LIB_LIBS)

# Criterion's runner cannot start under the thread sanitizer, and under the address sanitizer each of its tests
# takes a tenth of a second to start: there the tests' own takes its place.
CRITERION := $(if $(OWN_HEAP),$(BUILD)/tests/runner.o,-lcriterion)
# Hundreds of programs, each with little of what it is linked with: gold links them in a third of the
# time, and a test starts quickly that loads no library in vain.
TEST_LINK = $(if $(CLANG),,-fuse-ld=gold) -Wl,--as-needed
define LINK_TESTS
	$(call say,LINK,$@)
	$(Q)$(or $(LINKER),$(CC)) $(ALL_CFLAGS) $(TEST_LINK) $(filter %.o,$^) $(ARCHIVES) -o $@ \
		$(filter -l%,$(CRITERION)) $(SHEET_LIBS) $(APP_LIBS)
endef
$(BUILD)/tests/%_test: $(BUILD)/tests/%_test.o $(filter %.o,$(CRITERION)) $(ARCHIVES)
	$(LINK_TESTS)
# Where many are wanted, those of a folder are linked once, and each is a link to that program, which
# plays the tests of the file that it is called by (tests/runner.c).
define TOGETHER
$(BUILD)/tests/$(1)/together: $(filter $(BUILD)/tests/$(1)/%,$(GROUPED)) $(BUILD)/tests/runner.o $(ARCHIVES) | $(SHIPPED)
	$$(LINK_TESTS)
$(BUILD)/tests/$(1)/named/%_test: $(BUILD)/tests/$(1)/together
	@mkdir -p $$(@D) && ln -sf ../together $$@
endef
$(foreach f,$(notdir $(patsubst %/,%,$(sort $(dir $(GROUPED))))),$(eval $(call TOGETHER,$f)))
$(HISTORIES): $(BUILD)/%: $(BUILD)/%.o $(HELPERS) $(BUILD)/libhtmt.a
	$(call say,LINK,$@)
	$(Q)$(CC) $(ALL_CFLAGS) $(filter %.o %.a,$^) -o $@ $(LIB_LIBS)
# The numbered programs see what a user sees: installed headers and the shared library.
AS_USER = $(filter-out -I.,$(ALL_CFLAGS)) -I$(BUILD)/include -I$(BUILD)/include/htmt \
          -MMD -MP -MF $@.d $< -o $@ -L$(BUILD) -Wl,-rpath,'$$ORIGIN/..' -lhtmt -lm
$(NUMBERED): $(BUILD)/include/htmt.h $(BUILD)/libhtmt.so $(BUILD)/flags
$(BUILD)/examples/%: examples/%/main.c
	$(call say,CC,$<)
	@mkdir -p $(@D)
	$(Q)$(CC) $(AS_USER)
$(BUILD)/examples/%: examples/%/main.cc
	$(call say,CXX,$<)
	@mkdir -p $(@D)
	$(Q)$(CXX) $(patsubst -std=%,-std=c++17,$(filter-out -Wshadow,$(AS_USER)))

-include $(OBJECTS:.o=.d) $(NUMBERED:=.d)

FORCE:
.PHONY: all help run test check-all asan ubsan tsan analyze bench bench-instructions bench-scaling pgo format format-check deps \
        clean examples tests benches fuzz fuzzers replay seq suite install uninstall deb FORCE
.SECONDARY:
.DELETE_ON_ERROR:
