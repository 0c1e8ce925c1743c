# HTMT emulator. `make help` lists the targets.

# ---- Settings: each can be given on the command line --------------------------------------------
VERSION  := 0.1.0
CC       := gcc
# For one test.
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
# With GCC. generate: the build counts where it goes; use: it is laid out after those counts.
PROFILE  :=
# Compilers, test programs run at once.
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
includedir := $(PREFIX)/include
datadir    := $(PREFIX)/share/htmt
mandir     := $(PREFIX)/share/man
pythondir  := $(PREFIX)/lib/python3/dist-packages
cmakedir   := $(libdir)/cmake/htmt

WARNINGS := -std=gnu17 -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Werror
# Guards that cost nothing to speak of, where no sanitizer watches: GCC's stack protector beside the
# address sanitizer leaves vectors on the stack unaligned. _FORTIFY_SOURCE wants an optimizing build.
HARDENING := $(if $(SANITIZE),,-fstack-protector-strong \
             $(if $(filter -O0,$(CFLAGS)),,-U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=2))
HARDENED_LINK := -Wl,-z,relro,-z,now $(LDFLAGS)
# Sanitizer builds: small enough to be quick, precise enough to be read.
SANITIZE_CFLAGS := -O1 -g -fno-omit-frame-pointer

# ---- What is there ------------------------------------------------------------------------------
# $(call sources,FOLDERS): the C files of each folder and of its subfolders, two deep.
sources  = $(sort $(wildcard $(foreach f,$(1),$f/*.c $f/*/*.c $f/*/*/*.c)))
# The product that a file belongs to follows from its folder. Folders of emul/tools are programs and
# plug-ins of their own, and libhtmt has emul/lib.
HOST_PART  := emul/tools/topology/topology_part.c
MPI_SRC    := emul/tools/mpi/mpi.c
PLOT_SRC   := emul/tools/plot/plot_part.c
REC_MAIN   := emul/tools/rec/htmt_rec_main.c
SOURCE_SRC := $(call sources,emul/tools/analyze)
HOOKS_SRC  := emul/tools/cc/hooks/inlined.c
CC_SRC     := $(wildcard emul/tools/cc/*.c)
CMD_SRC    := $(call sources,emul/command emul/view emul/loops emul/validate)
LIB_SRC    := $(call sources,runtime layers parcels apps/lib emul/lib)
APPS     := cannon kernels micro pic prim sar traffic volume
# What plug-ins share: each is linked with what it uses of it.
SHARED_SRC := $(call sources,apps/fft apps/formats)
APP_SRC  := $(call sources,$(APPS:%=apps/%)) $(SHARED_SRC)
TEST_SRC := $(wildcard tests/*/*_test.c)
SCRIPTS  := $(wildcard tests/integration/*.sh $(if $(HTMT_LONG),tests/long/*.sh))
# What the programs of bench/ share.
BENCH_COMMON := bench/clock.c bench/options.c bench/blocks.c bench/stages.c \
                bench/command.c
# Whose instructions are counted.
COUNTED      := emulator_stages hand_stages emulator_messages
# Loaded by the command in place of mpi.so.
BENCH_MPI    := bench/exchanges.c
BENCH_SRC    := $(filter-out $(BENCH_COMMON) $(BENCH_MPI),$(wildcard bench/*.c))

LIB_OBJ   := $(LIB_SRC:%.c=$(BUILD)/%.o)
APP_OBJ   := $(APP_SRC:%.c=$(BUILD)/%.o)
# Kernels that htmt-cc compiles, too, for htmt-rec and htmt-rec-O3, and what they call.
REC_SRC   := $(addprefix apps/cannon/,multiply.c) \
             $(addprefix apps/kernels/,loops_plain.c) \
             $(addprefix apps/pic/,block_owner.c cell_list.c charge.c field.c kernels.c lines.c migrate.c push.c) \
             $(addprefix apps/sar/,decomposition.c geometry.c kernels.c plan.c) \
             $(addprefix apps/volume/,bundle_setup.c cast.c lane.c parcels.c ray.c subcubes.c symmetry.c tally.c)
REC_OBJ   := $(foreach tape,O2 O3,$(REC_SRC:%.c=$(BUILD)/recorded/$(tape)/%.o))
# The same applications, linked.
REC_APPS  := cannon kernels pic sar volume
CMD_OBJ   := $(CMD_SRC:%.c=$(BUILD)/%.o)
SOURCE_OBJ := $(SOURCE_SRC:%.c=$(BUILD)/%.o)
SHARED_OBJ := $(SHARED_SRC:%.c=$(BUILD)/%.o)
PLUGINS   := $(APPS:%=$(BUILD)/apps/%.so)
# In one program each application has a name of its own.
RENAMED   := $(APPS:%=$(BUILD)/tests/apps/%_app.o)
BENCH_OBJ := $(BENCH_COMMON:%.c=$(BUILD)/%.o)
# What bench/scaling.sh wants beside the command.
SCALED    := $(BUILD)/bench/team_rounds $(BENCH_MPI:%.c=$(BUILD)/%.so) $(BUILD)/tests/ranks/transport
CXX_TESTS := $(patsubst %.cc,$(BUILD)/%,$(wildcard tests/*/*_test.cc))
TESTS     := $(TEST_SRC:%.c=$(BUILD)/%) $(CXX_TESTS)
# One of them is linked a second time, without jemalloc.
BENCHES   := $(BENCH_SRC:%.c=$(BUILD)/%) $(BUILD)/bench/emulator_product_pools
# Programs that scripts of tests/ use.
HISTORIES := $(patsubst %.c,$(BUILD)/%,$(wildcard tests/histories/*.c) tests/ranks/transport.c \
             tests/random/command_lines.c tests/random/programs.c)
# What a random program is made of.
RANDOM_OBJ := $(addprefix $(BUILD)/tests/random/,machine.o program.o percolating.o activations.o \
              meetings.o outcome.o)
# What plays the events of a fabric alone.
FABRIC_OBJ := $(patsubst %.c,$(BUILD)/%.o,$(filter-out %_test.c,$(wildcard tests/fabric/*.c)))
# Figures and tapes of tests of the inside of processors.
NODE_OBJ  := $(patsubst %.c,$(BUILD)/%.o,$(filter-out %_test.c,$(wildcard tests/node/*.c)))
# An application of somebody else's, and its test.
EXAMPLES  := $(patsubst %.c,$(BUILD)/%.o,$(call sources,examples/dot))
# Programs of one file.
NUMBERED  := $(patsubst %/,$(BUILD)/%,$(dir $(wildcard examples/[0-9]*/main.c examples/[0-9]*/main.cc)))
SKETCHES  := $(patsubst %.c,$(BUILD)/%.o,$(wildcard tests/sketches/*_sketch.c))
# Preloaded, to make calls of the host fail and to watch the heap.
PRELOADED := $(BUILD)/tests/faults/shim.so $(BUILD)/tests/soak/heap.so
# Harnesses of libFuzzer; input.c is common to them.
FUZZERS   := $(patsubst %.c,$(BUILD)/%,$(filter-out %/input.c,$(wildcard tests/fuzz/*.c)))
# In the order in which the linker wants them: each uses those behind it.
# The first two are for tests: the command without its main(), the applications linked together.
ARCHIVES  := $(BUILD)/libhtmtemul.a $(BUILD)/libhtmtapps.a $(BUILD)/libhtmt.a
OBJECTS   := $(LIB_OBJ) $(patsubst %.c,$(BUILD)/%.o,$(MPI_SRC) $(HOST_PART) $(PLOT_SRC) $(REC_MAIN)) $(SOURCE_OBJ) $(CC_SRC:%.c=$(BUILD)/%.o) $(HOOKS_SRC:%.c=$(BUILD)/%.o) $(APP_OBJ) $(CMD_OBJ) \
             $(BENCH_OBJ) $(TESTS:%=%.o) $(BENCHES:%=%.o) $(BENCH_MPI:%.c=$(BUILD)/%.o) $(HISTORIES:%=%.o) \
             $(RANDOM_OBJ) $(FABRIC_OBJ) $(NODE_OBJ) $(BUILD)/tests/tsan_main.o $(FUZZERS:%=%.o) \
             $(BUILD)/tests/fuzz/input.o $(SKETCHES) $(EXAMPLES) $(BUILD)/tests/pic/counting.o $(BUILD)/tests/nest/lru.o \
             $(BUILD)/tests/ranks/threads.o $(BUILD)/tests/ranks/exchanges.o \
             $(BUILD)/tests/apps/table.o $(BUILD)/tests/examples/table.o

# Of `htmt new`; the first is common to the others.
TEMPLATES := common parcel stencil reduction

# Manual pages, two of them made.
PAGES     := $(addprefix $(BUILD)/share/man/,man1/htmt.1 man3/htmt.3 man5/htmt-machine.5)

# What is shipped with the command: programs of the build find it as installed ones do.
SHIPPED := $(addprefix $(BUILD)/share/htmt/,machines costs golden measured transfers decks tables templates nests)

# The commit, where there is one; it reaches only the command, so that a commit does not rebuild
# the libraries.
COMMIT := $(shell git describe --always --dirty --exclude '*' 2>/dev/null)

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
# Workbooks of `htmt bound`: of the command alone, and of tests that have it in them.
SHEET_LIBS    := -Wl,--push-state,--as-needed $(shell pkg-config --libs xlsxwriter 2>/dev/null) -Wl,--pop-state
# Open MPI, where it is: the command is whole without it.
MPI_CFLAGS    := $(patsubst -I%,-isystem %,$(shell pkg-config --cflags ompi-c 2>/dev/null))
MPI_LIBS      := $(shell pkg-config --libs ompi-c 2>/dev/null)
# libclang and isl, where both are: the command is whole without them. Debian's libclang has no .pc
# file, and lies in a folder of its own.
CLANG_ROOT    := $(patsubst %/include/clang-c/Index.h,%,$(wildcard /usr/lib/llvm-19/include/clang-c/Index.h))
ISL_LIBS      := $(shell pkg-config --libs isl 2>/dev/null)
SOURCE_CFLAGS := $(if $(CLANG_ROOT),-isystem $(CLANG_ROOT)/include)
SOURCE_LIBS   := $(if $(CLANG_ROOT),-L$(CLANG_ROOT)/lib -lclang-19 $(ISL_LIBS))
# LLVM and its compiler, where they are: without them no kernel is recorded.
LLVM          := $(if $(shell command -v clang-14),$(shell command -v llvm-config-14))
LLVM_CFLAGS   := $(if $(LLVM),-isystem $(shell $(LLVM) --includedir))
LLVM_LIBS     := $(if $(LLVM),$(shell $(LLVM) --ldflags --libs))

CLANG   := $(findstring clang,$(CC))
# GCC says by itself which sanitizer watches.
DEFINES := -DHTMT_VERSION='"$(VERSION)"' \
           $(if $(CLANG),$(patsubst address,-D__SANITIZE_ADDRESS__=1,$(filter address,$(OWN_HEAP))))
# Parts that were not run have no counts.
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
# Criterion's runner cannot start under the thread sanitizer; the tests' own takes its place.
CRITERION := $(if $(filter thread,$(OWN_HEAP)),$(BUILD)/tests/tsan_main.o,-lcriterion)
# libhtmt asks for jemalloc's functions weakly, which does not make a linker keep it. A program that
# starts looks its symbols up in one library after another: most are in libc and libm.
SO_LIBS  := $(HARDENED_LINK) -lc -lm $(shell pkg-config --libs $(LIBRARIES) 2>/dev/null) -lpthread
LIB_LIBS := -Wl,--push-state,--no-as-needed $(shell pkg-config --libs $(HEAP) 2>/dev/null) \
            -Wl,--pop-state $(SO_LIBS)
OWN_LIBS := $(shell pkg-config --libs $(APP_LIBRARIES) 2>/dev/null) $(NIFTI_LIBS)
APP_LIBS := $(OWN_LIBS) $(LIB_LIBS)
# What plug-ins find in the command: all of libhtmt that is public.
EXPORTS  := -Wl,--dynamic-list=emul/packaging/exports

# ---- Quiet unless V=1 ---------------------------------------------------------------------------
Q   := $(if $(filter 1,$(V)),,@)
say  = $(if $(filter 1,$(V)),,@printf '  %-4s %s\n' $(1) $(2))
again = +$(Q)$(MAKE) --no-print-directory $(if $(filter -j%,$(MAKEFLAGS)),,-j$(JOBS))

# ---- Targets for people -------------------------------------------------------------------------
MPI_PART := $(if $(MPI_LIBS),$(BUILD)/mpi.so,no-mpi)
SOURCE_PART := $(if $(and $(CLANG_ROOT),$(ISL_LIBS)),$(BUILD)/htmt-analyze,no-source)
REC_PROGRAMS := $(BUILD)/htmt-rec $(BUILD)/htmt-rec-O3
REC_PART := $(if $(LLVM),$(REC_PROGRAMS),no-rec)
all: $(BUILD)/htmt $(BUILD)/libhtmt.so $(BUILD)/include/htmt.h $(MPI_PART) $(SOURCE_PART) $(REC_PART) ## build the htmt command, its plug-ins and libraries

help: ## list the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  %-18s %s\n", $$1, $$2 }' Makefile

# Each of these begins again after deps: what pkg-config says may have changed.
run: deps ## install what is missing, build, multiply two matrices on the emulated machine
	$(again) all
	$(BUILD)/htmt $(RUN)

test: deps ## install what is missing, build, run all tests but the long ones
	$(again) suite

check-all: export HTMT_LONG = 1
check-all: deps ## the same and the long tests
	$(again) suite

check-slices: export HISTORIES_OPTIONS = --checked
check-slices: export HISTORIES_CHECKED = 1
check-slices: deps ## histories again, each slice's state unreadable while another slice plays
	$(again) tests
	$(Q)HTMT=$(abspath $(BUILD)/htmt) JOBS=$(JOBS) tests/run.sh tests/integration/histories.sh \
	    tests/integration/histories_windows.sh tests/integration/histories_programs.sh \
	    $(BUILD)/tests/parcels/slices_test

asan: deps ## the tests under the address and undefined-behaviour sanitizers
	$(again) suite BUILD=$(BUILD)/asan SANITIZE=address,undefined CFLAGS='$(SANITIZE_CFLAGS)'

ubsan: deps ## the tests under the undefined-behaviour sanitizer alone, optimized
	$(again) suite BUILD=$(BUILD)/ubsan SANITIZE=undefined CFLAGS='-O3 -g'

tsan: deps ## the tests under the thread sanitizer
	$(again) suite BUILD=$(BUILD)/tsan SANITIZE=thread CFLAGS='$(SANITIZE_CFLAGS)'

fuzz: deps ## try random inputs on each reader, FUZZ_SECONDS long; needs Clang
	$(again) fuzzers BUILD=$(BUILD)/fuzz CC=clang SANITIZE=fuzzer-no-link,address,undefined \
	    CFLAGS='$(SANITIZE_CFLAGS)'
	$(Q)JOBS=$(JOBS) tests/fuzz/run $(FUZZ_SECONDS) $(FUZZERS:$(BUILD)/%=$(BUILD)/fuzz/%)

analyze: deps $(BUILD)/page/template.inc ## Clang's static analyzer over the sources; docs/architecture.md answers its findings
	$(Q)printf '%s\n' $(LIB_SRC) $(APP_SRC) $(CMD_SRC) | xargs -P $(JOBS) -I{} \
	    clang --analyze --analyzer-output text $(ALL_CFLAGS) -Wno-error -I$(BUILD) -DHTMT_COMMIT='""' {} -o /dev/null

bench: ## install what is missing, measure emulator and base lines against each other
	$(Q).ci/deps .ci/packages.txt .ci/packages-bench.txt
	$(again) all benches seq
	bench/run.sh $(BUILD)/bench

bench-scaling: ## measure threads of the clock and ranks, predict more of them by a closed form
	$(again) all $(SCALED)
	bench/scaling.sh $(BUILD)

bench-instructions: ## count the instructions of a stage and of an event; needs Valgrind
	$(again) $(BUILD)/htmt $(COUNTED:%=$(BUILD)/bench/%)
	bench/instructions.sh $(BUILD)

pgo: deps ## build below BUILD/pgo, laid out after counts of a load (GCC)
	$(Q)rm -rf $(BUILD)/pgo
	$(again) BUILD=$(BUILD)/pgo PROFILE=generate all $(BUILD)/pgo/bench/emulator_stages
	$(Q)bench/profile.sh $(BUILD)/pgo
	$(again) BUILD=$(BUILD)/pgo PROFILE=use all

format: ## lay out the sources
	clang-format -i $$(git ls-files -co --exclude-standard '*.c' '*.h' '*.cc' '*.hpp')

format-check: ## fail when a source is not laid out
	clang-format --dry-run --Werror $$(git ls-files -co --exclude-standard '*.c' '*.h' '*.cc' '*.hpp')

deps: ## install the Debian packages of .ci/packages.txt that are missing
	$(Q).ci/deps .ci/packages.txt

clean: ## remove what was built
	rm -rf $(BUILD)

examples: $(BUILD)/examples/dot.so $(NUMBERED) ## build the plug-in of examples/dot and the numbered programs

tests: all $(TESTS) $(NUMBERED) $(HISTORIES) $(PRELOADED) $(BUILD)/examples/dot.so $(PAGES)
benches: $(BENCHES)
# The base line `seq`, where git has it: its own tree, its own programs.
seq:
	$(Q)bench/seq.sh $(BUILD)/seq
	$(Q)test ! -e $(BUILD)/seq/Makefile || .ci/deps $(BUILD)/seq/.ci/packages.txt
	+$(Q)test ! -e $(BUILD)/seq/Makefile || $(MAKE) --no-print-directory -C $(BUILD)/seq BUILD=build \
	    all build/bench/emulator_stages build/bench/emulator_messages
fuzzers: $(FUZZERS)

suite: tests
	$(Q)HTMT=$(abspath $(BUILD)/htmt) JOBS=$(JOBS) SANITIZE=$(SANITIZE) \
	    HISTORIES=$(abspath $(BUILD)/tests/histories) \
	    RANDOM_LINES=$(abspath $(BUILD)/tests/random/command_lines) \
	    RANDOM_PROGRAMS=$(abspath $(BUILD)/tests/random/programs) tests/run.sh $(TESTS) $(SCRIPTS)

# ---- Rules --------------------------------------------------------------------------------------
# A stamp changes only when its text does, and then what depends on it is made again.
STAMP = @mkdir -p $(@D); printf '%s\n' "$$TEXT" | cmp -s - $@ || printf '%s\n' "$$TEXT" > $@

$(BUILD)/flags: export TEXT = $(CC) $(ALL_CFLAGS) $(APP_LIBS)
$(BUILD)/flags: FORCE
	@pkg-config --exists $(LIBRARIES) $(HEAP) $(APP_LIBRARIES) xlsxwriter && \
	    echo '#include <nifti2_io.h>' | $(CC) $(NIFTI_CFLAGS) -E - >/dev/null 2>&1 || \
	    { echo 'Libraries are missing: make deps' >&2; exit 2; }
	$(STAMP)

$(BUILD)/commit: export TEXT = $(COMMIT)
$(BUILD)/commit: FORCE
	$(STAMP)

$(BUILD)/%.o: %.c $(BUILD)/flags
	$(call say,CC,$<)
	@mkdir -p $(@D)
	$(Q)$(CC) $(ALL_CFLAGS) $(FRAMES) $(VISIBILITY) $(EXTRA_CFLAGS) -MMD -MP -c $< -o $@

# Workers have small stacks. Sanitizers make frames larger.
$(LIB_OBJ) $(APP_OBJ) $(CMD_OBJ) $(SOURCE_OBJ): FRAMES = $(if $(SANITIZE),,-Wframe-larger-than=$(FRAME_MAX))
FRAME_MAX := 32768
# The list of a stretch of particles lies on the stack.
$(BUILD)/apps/pic/kernels.o: FRAME_MAX := 327680

$(BUILD)/emul/lib/options/provenance.o: EXTRA_CFLAGS = -DHTMT_COMMIT='"$(COMMIT)"'
$(BUILD)/emul/lib/options/provenance.o: $(BUILD)/commit

# Where the installed command finds its plug-ins and its data; plug-ins also from the command, where
# nothing was moved. Another PREFIX builds only these again.
$(BUILD)/emul/lib/plugin/folder.o: EXTRA_CFLAGS = -DHTMT_LIBDIR='"$(libdir)"' \
    -DHTMT_LIB_FROM_BIN='"../$(patsubst $(PREFIX)/%,%,$(libdir))"'
$(BUILD)/layers/file/search.o: EXTRA_CFLAGS = -DHTMT_DATADIR='"$(datadir)"'
$(BUILD)/emul/lib/plugin/folder.o $(BUILD)/layers/file/search.o: $(BUILD)/folders

$(BUILD)/folders: export TEXT = $(libdir) $(datadir)
$(BUILD)/folders: FORCE
	$(STAMP)

# The page of `htmt timeline`, without data: its modules in one file, whose bytes become an array.
$(BUILD)/page/page.html: emul/view/page/join $(wildcard emul/view/page/*.js emul/view/page/page.*)
	@mkdir -p $(@D)
	$(Q)bash $< >$@

# The bytes of a file as an array.
define BYTES
	$(Q)od -An -v -td1 $< | sed 's/ *\(-*[0-9][0-9]*\)/\1,/g' >$@ && echo 0 >>$@
endef
$(BUILD)/page/template.inc: $(BUILD)/page/page.html
	$(BYTES)
$(BUILD)/compile/inlined.inc: $(BUILD)/compile/inlined.ll
	$(BYTES)

$(BUILD)/emul/view/page/template.o: EXTRA_CFLAGS = -I$(BUILD)
$(BUILD)/emul/view/page/template.o: $(BUILD)/page/template.inc

# A plug-in exports what it says it does, nothing else, and calls its host without detours. It is
# not counted: a copy of a function for one processor is chosen before counting may begin.
$(APP_OBJ) $(EXAMPLES) $(BUILD)/emul/tools/mpi/mpi.o $(PLOT_SRC:%.c=$(BUILD)/%.o): VISIBILITY = -fvisibility=hidden -fno-plt $(if $(PROFILE),$(UNCOUNTED))
UNCOUNTED := -fno-profile-generate -fno-profile-arcs -fno-profile-values -fno-profile-use

# Kernels for the node model: without vectors, no loop across lines of code. What they count is what
# their text says: no multiplication melts into an addition.
ALIGNED := $(if $(CLANG),,-falign-loops=64)
AS_WRITTEN := -fno-tree-vectorize $(if $(CLANG),,-fno-tree-loop-distribute-patterns)
PLAIN := -O2 $(AS_WRITTEN) -fno-tree-slp-vectorize -ffp-contract=off $(ALIGNED)
$(addprefix $(BUILD)/apps/kernels/loops_,plain.o timed.o annotated.o): EXTRA_CFLAGS = $(PLAIN)
$(BUILD)/apps/kernels/loops_vector.o: EXTRA_CFLAGS = -O3 -ffp-contract=off $(ALIGNED)

# Two ray casters that agree to the last bit: no multiplication melts into an addition. The pattern
# matches io/ too.
$(BUILD)/apps/volume/%.o: EXTRA_CFLAGS = -ffp-contract=off

# Each application's htmt_app under another name, and what the address sanitizer adds to it.
RENAME = objcopy --redefine-sym htmt_app=htmt_app_$(1) \
         --redefine-sym __odr_asan.htmt_app=__odr_asan.htmt_app_$(1)

$(RENAMED): $(BUILD)/tests/apps/%_app.o: $(BUILD)/apps/%/app.o
	@mkdir -p $(@D)
	$(Q)$(call RENAME,$*) $< $@

$(BUILD)/tests/examples/dot_app.o: $(BUILD)/examples/dot/app.o
	@mkdir -p $(@D)
	$(Q)$(call RENAME,dot) $< $@

$(BUILD)/libhtmt.a: $(LIB_OBJ)
$(BUILD)/libhtmtapps.a: $(filter-out $(APPS:%=$(BUILD)/apps/%/app.o),$(APP_OBJ)) $(RENAMED) \
                        $(BUILD)/tests/apps/table.o
$(BUILD)/libhtmtemul.a: $(filter-out $(BUILD)/emul/command/main.o,$(CMD_OBJ))
$(BUILD)/apps/shared.a: $(SHARED_OBJ)
$(ARCHIVES) $(BUILD)/apps/shared.a: $(BUILD)/flags
	$(call say,AR,$@)
	$(Q)rm -f $@ && ar rcs $@ $(filter %.o,$^)

# The library's own calls stay inside.
$(BUILD)/libhtmt.so.0: $(LIB_OBJ) emul/packaging/libhtmt.map $(BUILD)/flags
	$(call say,LINK,$@)
	$(Q)$(CC) $(ALL_CFLAGS) -shared -Wl,-soname,libhtmt.so.0 -Wl,-Bsymbolic-functions \
	    -Wl,--version-script=emul/packaging/libhtmt.map $(LIB_OBJ) -o $@ $(SO_LIBS)

$(BUILD)/libhtmt.so: $(BUILD)/libhtmt.so.0
	$(Q)ln -sf $(<F) $@

# Plug-ins are linked without libhtmt: its functions are in the program that loads them.
PLUG = $(Q)$(CC) $(ALL_CFLAGS) -shared -Wl,--as-needed $(filter %.o %.a,$^) -o $@ $(HARDENED_LINK) \
       $(OWN_LIBS) -lm

# target_clones makes symbols that no visibility hides.
$(PLUGINS) $(BUILD)/plot.so $(BUILD)/mpi.so $(BUILD)/topology.so: PLUG += -Wl,--version-script=emul/packaging/plugin.map
$(PLUGINS) $(BUILD)/plot.so $(BUILD)/mpi.so $(BUILD)/topology.so: emul/packaging/plugin.map

# $(call plug-in,NAME)
define plug-in
$(BUILD)/apps/$(1).so: $(patsubst %.c,$(BUILD)/%.o,$(call sources,apps/$(1))) $(BUILD)/apps/shared.a
endef
$(foreach app,$(APPS),$(eval $(call plug-in,$(app))))
$(PLUGINS): $(BUILD)/flags
	$(call say,LINK,$@)
	$(PLUG)

# Drawing for the command, which links no cairo.
$(BUILD)/plot.so: $(PLOT_SRC:%.c=$(BUILD)/%.o) $(BUILD)/apps/shared.a $(BUILD)/flags
	$(call say,LINK,$@)
	$(PLUG)

# The computer for the command, which links no hwloc.
$(BUILD)/topology.so: OWN_LIBS = $(shell pkg-config --libs hwloc 2>/dev/null)
$(BUILD)/topology.so: $(HOST_PART:%.c=$(BUILD)/%.o) $(BUILD)/flags
	$(call say,LINK,$@)
	$(PLUG)

# Loops that are measured as they stand: no vectors, and none that crosses lines of code.
$(BUILD)/emul/command/host/memory.o: EXTRA_CFLAGS = $(AS_WRITTEN) $(ALIGNED)
$(BUILD)/emul/command/host/operations.o: EXTRA_CFLAGS = -fno-tree-vectorize $(ALIGNED)

# Ranks for the command, which links no MPI.
$(BUILD)/emul/tools/mpi/mpi.o: EXTRA_CFLAGS = $(MPI_CFLAGS)
$(BUILD)/mpi.so: OWN_LIBS = $(MPI_LIBS)
$(BUILD)/mpi.so: $(BUILD)/emul/tools/mpi/mpi.o $(BUILD)/flags
	$(call say,LINK,$@)
	$(PLUG)

no-mpi:
	@echo '  mpi.so is left out: Open MPI is missing (.ci/deps .ci/packages-mpi.txt)'

# Loops out of C source for the command, which links no libclang.
$(SOURCE_OBJ): EXTRA_CFLAGS = $(SOURCE_CFLAGS)
$(BUILD)/htmt-analyze: $(SOURCE_OBJ) $(BUILD)/emul/loops/analyze_arguments.o $(BUILD)/libhtmt.a $(BUILD)/flags
	$(call say,LINK,$@)
	$(Q)$(CC) $(ALL_CFLAGS) -Wl,--as-needed $(filter %.o %.a,$^) -o $@ $(HARDENED_LINK) $(SOURCE_LIBS) \
	    $(SO_LIBS)

no-source:
	@echo '  htmt-analyze is left out: libclang or isl is missing (.ci/deps .ci/packages-source.txt)'

# Kernels for recording. The compiler of kernels alone links LLVM.
$(CC_SRC:%.c=$(BUILD)/%.o): EXTRA_CFLAGS = $(LLVM_CFLAGS) -I$(BUILD)
$(BUILD)/compile/inlined.ll: $(HOOKS_SRC) $(wildcard layers/node/tape/*.h)
	@mkdir -p $(@D)
	$(Q)clang-14 -std=gnu17 -O2 -w -fPIC -I. -S -emit-llvm -o $@ $<
$(BUILD)/emul/tools/cc/hook.o: $(BUILD)/compile/inlined.inc
# Its hooks are compiled for the warnings, too.
$(BUILD)/htmt-cc: $(CC_SRC:%.c=$(BUILD)/%.o) $(BUILD)/libhtmt.a $(BUILD)/flags | $(HOOKS_SRC:%.c=$(BUILD)/%.o)
	$(call say,LINK,$@)
	$(Q)$(CC) $(ALL_CFLAGS) $(filter %.o %.a,$^) -o $@ $(LLVM_LIBS) $(LIB_LIBS)

# The kernels of a tape, and the command with them: $(1) is the tape, $(2) the command.
define RECORDED
$(BUILD)/recorded/$(1)/apps/kernels/%.o $(BUILD)/recorded/$(1)/apps/volume/%.o: REC_CFLAGS = -ffp-contract=off
$(REC_SRC:%.c=$(BUILD)/recorded/$(1)/%.o): TAPE = $(1)
$(REC_SRC:%.c=$(BUILD)/recorded/$(1)/%.o): $(BUILD)/recorded/$(1)/%.o: %.c $(BUILD)/htmt-cc $(BUILD)/flags
	$$(COMPILE_RECORDED)
$(BUILD)/$(2): $(REC_SRC:%.c=$(BUILD)/recorded/$(1)/%.o)
endef
define COMPILE_RECORDED
	$(call say,REC,$<)
	@mkdir -p $(@D)
	$(Q)$(BUILD)/htmt-cc --tape $(TAPE) -std=gnu17 -I. -fvisibility=hidden $(DEFINES) $(REC_CFLAGS) -MD -MP -MF $(@:.o=.d) -MT $@ \
	    $(patsubst -isystem,-I,$(shell pkg-config --cflags $(APP_LIBRARIES) 2>/dev/null)) -c $< -o $@
endef
$(eval $(call RECORDED,O2,htmt-rec))
$(eval $(call RECORDED,O3,htmt-rec-O3))

$(REC_PROGRAMS): $(BUILD)/emul/tools/rec/htmt_rec_main.o $(BUILD)/libhtmtemul.a $(BUILD)/libhtmt.a emul/packaging/exports \
    $(REC_APPS:%=$(BUILD)/tests/apps/%_app.o) $(BUILD)/apps/shared.a \
    $(filter-out $(REC_SRC:%.c=$(BUILD)/%.o) $(APPS:%=$(BUILD)/apps/%/app.o),$(patsubst %.c,$(BUILD)/%.o,$(call sources,$(REC_APPS:%=apps/%))))
	$(call say,LINK,$@)
	$(Q)$(CC) $(ALL_CFLAGS) $(filter %.o,$^) $(filter-out %/libhtmt.a,$(filter %.a,$^)) -Wl,--whole-archive \
	    $(BUILD)/libhtmt.a -Wl,--no-whole-archive $(EXPORTS) -o $@ $(SHEET_LIBS) $(APP_LIBS)

no-rec:
	@echo '  htmt-rec is left out: LLVM 14 or clang-14 is missing (.ci/deps .ci/packages-tape.txt)'

$(BUILD)/examples/dot.so: $(EXAMPLES) $(BUILD)/flags
	$(call say,LINK,$@)
	$(PLUG)

$(SHIPPED): $(BUILD)/share/htmt/%:
	@mkdir -p $(@D) && ln -sfnr $(firstword $(wildcard $* emul/*/$* emul/*/*/$* apps/*/$*)) $@

$(BUILD)/htmt $(TESTS) $(NUMBERED) $(BENCHES) $(HISTORIES): | $(SHIPPED)
$(BUILD)/htmt: | $(PLUGINS) $(BUILD)/plot.so $(BUILD)/topology.so

$(BUILD)/htmt: $(BUILD)/emul/command/main.o $(BUILD)/libhtmtemul.a $(BUILD)/libhtmt.a emul/packaging/exports
	$(call say,LINK,$@)
	$(Q)$(CC) $(ALL_CFLAGS) $(filter-out %/libhtmt.a,$(filter %.o %.a,$^)) -Wl,--whole-archive \
	    $(BUILD)/libhtmt.a -Wl,--no-whole-archive $(EXPORTS) -o $@ $(SHEET_LIBS) $(LIB_LIBS)

# Numbers that count have operators.
$(BUILD)/%.o: %.cc $(BUILD)/flags
	$(call say,CXX,$<)
	@mkdir -p $(@D)
	$(Q)$(CXX) $(CXX_FLAGS) -MMD -MP -c $< -o $@

# parcels/htmt.hpp throws.
$(CXX_TESTS:%=%.o): CXX_FLAGS = $(patsubst -std=%,-std=c++17,$(filter-out -Wshadow,$(ALL_CFLAGS)))
$(CXX_TESTS): $(BUILD)/%: $(BUILD)/%.o $(filter %.o,$(CRITERION)) $(BUILD)/libhtmt.a
	$(call say,LINK,$@)
	$(Q)$(CXX) $(ALL_CFLAGS:-std=%=-std=c++17) $^ -o $@ $(filter -l%,$(CRITERION)) $(LIB_LIBS)

$(BUILD)/tests/pic/kernels_test: $(BUILD)/tests/pic/counting.o

# A memory that is simulated word by word.
$(BUILD)/tests/nest/lru_test: $(BUILD)/tests/nest/lru.o

# Of the fabric alone: topologies made by hand, and who plays its events.
$(patsubst %.c,$(BUILD)/%,$(wildcard tests/fabric/*_test.c)): $(FABRIC_OBJ)
$(BUILD)/tests/layers/fabric_alone_test: $(BUILD)/tests/fabric/player.o
$(patsubst %.c,$(BUILD)/%,$(wildcard tests/node/*_test.c)): $(NODE_OBJ)

$(BUILD)/tests/ranks/threads_test: $(BUILD)/tests/ranks/threads.o $(BUILD)/tests/ranks/exchanges.o
$(addprefix $(BUILD)/tests/,parcels/rank_test apps/per_slice_test cannon/ranks_test pic/program_test \
                             sar/ranks_test volume/program_test): $(BUILD)/tests/ranks/threads.o

# The sketches are linked into the test that runs them.
$(BUILD)/tests/sketches/sketches_test: $(SKETCHES)

$(BUILD)/tests/examples/dot_test: $(filter-out %/app.o,$(EXAMPLES)) \
                                  $(BUILD)/tests/examples/dot_app.o $(BUILD)/tests/examples/table.o

# It loads plug-ins, which find all of libhtmt in it.
$(BUILD)/tests/emul/two_at_once_test: private ARCHIVES := $(BUILD)/libhtmtemul.a -Wl,--whole-archive \
    $(BUILD)/libhtmt.a -Wl,--no-whole-archive $(EXPORTS)
$(BUILD)/tests/emul/two_at_once_test: | $(PLUGINS)

# The host's arenas in a process that has no jemalloc.
$(BUILD)/tests/runtime/arena_pools_test: APP_LIBS := $(filter-out -ljemalloc,$(APP_LIBS))

$(BUILD)/tests/%_test: $(BUILD)/tests/%_test.o $(filter %.o,$(CRITERION)) $(ARCHIVES)
	$(call say,LINK,$@)
	$(Q)$(CC) $(ALL_CFLAGS) $(filter %.o,$^) $(ARCHIVES) -o $@ $(filter -l%,$(CRITERION)) $(SHEET_LIBS) $(APP_LIBS)

# The numbered programs see what a user sees: installed headers and the shared library.
$(NUMBERED): AS_USER = $(filter-out -I.,$(ALL_CFLAGS)) -I$(BUILD)/include -I$(BUILD)/include/htmt
$(NUMBERED): AND_LINKED = -MMD -MP -MF $@.d $< -o $@ -L$(BUILD) -Wl,-rpath,'$$ORIGIN/..' -lhtmt -lm
$(NUMBERED): $(BUILD)/include/htmt.h $(BUILD)/libhtmt.so $(BUILD)/flags
$(BUILD)/examples/%: examples/%/main.c
	$(call say,CC,$<)
	@mkdir -p $(@D)
	$(Q)$(CC) $(AS_USER) $(AND_LINKED)
$(BUILD)/examples/%: examples/%/main.cc
	$(call say,CXX,$<)
	@mkdir -p $(@D)
	$(Q)$(CXX) $(patsubst -std=%,-std=c++17,$(filter-out -Wshadow,$(AS_USER))) $(AND_LINKED)

$(BUILD)/tests/random/programs: $(RANDOM_OBJ) $(BUILD)/tests/ranks/threads.o
$(BUILD)/tests/ranks/transport: $(BUILD)/tests/ranks/exchanges.o
$(HISTORIES): $(BUILD)/%: $(BUILD)/%.o $(BUILD)/libhtmt.a
	$(call say,LINK,$@)
	$(Q)$(CC) $(ALL_CFLAGS) $(filter %.o,$^) $(filter %.a,$^) -o $@ $(LIB_LIBS)

# It takes the place of the C library's functions: no sanitizer, no fortified headers.
$(PRELOADED): $(BUILD)/%.so: %.c $(BUILD)/flags
	$(call say,LINK,$@)
	@mkdir -p $(@D)
	$(Q)$(CC) $(WARNINGS) -O1 -g -fPIC -shared $< -o $@ -ldl

$(FUZZERS): %: %.o $(BUILD)/tests/fuzz/input.o $(ARCHIVES)
	$(call say,LINK,$@)
	$(Q)$(CC) $(ALL_CFLAGS) -fsanitize=fuzzer $^ -o $@ $(SHEET_LIBS) $(APP_LIBS)

# The base lines' own libraries.
$(BUILD)/bench/openmp_%: EXTRA_CFLAGS = -fopenmp
# Their headers are not ours to warn about.
$(BUILD)/bench/starpu_%: EXTRA_CFLAGS = $(subst -I,-isystem ,$(shell pkg-config --cflags starpu-1.3))
$(BUILD)/bench/starpu_%: BENCH_LIBS = $(shell pkg-config --libs starpu-1.3)
$(BUILD)/bench/simgrid_%: BENCH_LIBS = -lsimgrid
$(BUILD)/bench/nest_bounds: BENCH_LIBS = $(BUILD)/libhtmtemul.a $(BUILD)/libhtmt.a
$(BUILD)/bench/nest_bounds: $(BUILD)/libhtmtemul.a

$(BUILD)/bench/emulator_product_pools: APP_LIBS := $(filter-out -ljemalloc,$(APP_LIBS))
$(BUILD)/bench/emulator_product_pools: $(BUILD)/bench/emulator_product.o $(BENCH_OBJ) \
    $(BUILD)/libhtmtapps.a $(BUILD)/libhtmt.a
	$(call say,LINK,$@)
	$(Q)$(CC) $(ALL_CFLAGS) $^ -o $@ $(APP_LIBS)

$(BENCH_MPI:%.c=$(BUILD)/%.so): $(BUILD)/%.so: $(BUILD)/%.o
	$(call say,LINK,$@)
	$(Q)$(CC) $(ALL_CFLAGS) -shared $< -o $@ -ldl

$(BUILD)/bench/%: $(BUILD)/bench/%.o $(BENCH_OBJ) $(BUILD)/libhtmtapps.a $(BUILD)/libhtmt.a
	$(call say,LINK,$@)
	$(Q)$(CC) $(ALL_CFLAGS) $(EXTRA_CFLAGS) $^ -o $@ $(BENCH_LIBS) $(APP_LIBS)

-include $(OBJECTS:.o=.d) $(NUMBERED:=.d) $(REC_OBJ:.o=.d)

# ---- Headers ------------------------------------------------------------------------------------
# The public headers: those that say how C++ has them, the umbrella, and what all of these include.
PUBLIC = $(sort $(shell $(CC) -MM -I. $(PUBLIC_ROOTS) | sed 's/^[^:]*://; s/\\//'))
# On top of them, for C++ alone.
PUBLIC_CXX := parcels/htmt.hpp
PUBLIC_ROOTS := $(shell grep -rlE '^extern "C"' --include='*.h' runtime layers parcels apps/lib emul) \
                emul/htmt.h

# What a user's compiler sees of an installation, as links.
$(BUILD)/include/htmt.h: $(PUBLIC_ROOTS)
	$(Q)rm -rf $(BUILD)/include && mkdir -p $(BUILD)/include/htmt
	$(Q)test -n '$(PUBLIC)'
	$(Q)for h in $(PUBLIC) $(PUBLIC_CXX); do mkdir -p $(BUILD)/include/htmt/$${h%/*} && \
	    ln -sr $$h $(BUILD)/include/htmt/$$h || exit 1; done
	$(Q)echo '#include <htmt/parcels/htmt.hpp>' >$(@D)/htmt.hpp
	$(Q)echo '#include <htmt/emul/htmt.h>' >$@

# ---- Manual pages, completions ------------------------------------------------------------------
COMPLETIONS := $(addprefix $(BUILD)/completions/,bash zsh fish)
DESCRIBE = @mkdir -p $(@D); awk -v version=$(VERSION) -f $(filter %.awk,$^)

$(BUILD)/share/man/man1/htmt.1: emul/packaging/htmt.1
	@mkdir -p $(@D) && ln -sfr $< $@

$(BUILD)/share/man/man3/htmt.3: emul/packaging/manual3.awk $(PUBLIC_ROOTS)
	$(DESCRIBE) $(PUBLIC) >$@

$(BUILD)/share/man/man5/htmt-machine.5: emul/packaging/manual5.awk docs/machines.md
	$(DESCRIBE) docs/machines.md >$@

$(COMPLETIONS): $(BUILD)/completions/%: $(BUILD)/htmt
	@mkdir -p $(@D) && $< completion $* >$@

# ---- Installation -------------------------------------------------------------------------------
# From the folder of the file, so that the tree may be moved.
define PKG_CONFIG
prefix=$${pcfiledir}/$(shell realpath -m -s --relative-to=$(libdir)/pkgconfig $(PREFIX))
libdir=$${prefix}/$(patsubst $(PREFIX)/%,%,$(libdir))
includedir=$${prefix}/$(patsubst $(PREFIX)/%,%,$(includedir))

Name: htmt
Description: Parcels on an emulated processor-in-memory machine
Version: $(VERSION)
Requires.private: $(LIBRARIES) $(HEAP)
Libs: -L$${libdir} -lhtmt
Libs.private: -lm -lpthread
Cflags: -I$${includedir} -I$${includedir}/htmt
endef

$(BUILD)/htmt.pc: export TEXT = $(PKG_CONFIG)
$(BUILD)/htmt.pc: FORCE
	$(STAMP)

# The place of libhtmt below PREFIX, and of PREFIX above the file.
BELOW_PREFIX := $(patsubst $(PREFIX)/%,%,$(libdir))
CONFIGURE     = sed -e 's,@VERSION@,$(VERSION),; s,@LIBDIR@,$(BELOW_PREFIX),' \
                -e 's,@UP@,$(shell realpath -m -s --relative-to=$(cmakedir) $(PREFIX)),' $< >$@

$(BUILD)/cmake/%.cmake: emul/packaging/cmake/%.cmake.in $(BUILD)/flags
	@mkdir -p $(@D) && $(CONFIGURE)

# $(call put,MODE,FOLDER,FILES): the files that exist, into the folder; none: nothing.
put = $(if $(wildcard $(3)),install -d '$(DESTDIR)$(2)' && install -m $(1) $(wildcard $(3)) '$(DESTDIR)$(2)')

CMAKE_FILES := $(addprefix $(BUILD)/cmake/,htmt-config.cmake htmt-config-version.cmake)

install: all $(BUILD)/libhtmt.a $(BUILD)/htmt.pc $(CMAKE_FILES) $(PAGES) $(COMPLETIONS) ## install below PREFIX (and DESTDIR)
	$(Q)$(call put,755,$(bindir),$(BUILD)/htmt $(if $(LLVM),$(BUILD)/htmt-cc $(REC_PROGRAMS)))
	$(Q)$(call put,644,$(libdir),$(BUILD)/libhtmt.a $(BUILD)/libhtmt.so.0)
	$(Q)ln -sf libhtmt.so.0 '$(DESTDIR)$(libdir)/libhtmt.so'
	$(Q)$(call put,644,$(libdir)/htmt,$(BUILD)/plot.so $(BUILD)/topology.so $(BUILD)/mpi.so)
	$(Q)$(call put,755,$(libdir)/htmt,$(BUILD)/htmt-analyze)
	$(Q)$(call put,644,$(libdir)/htmt/apps,$(PLUGINS))
	$(Q)$(call put,644,$(libdir)/pkgconfig,$(BUILD)/htmt.pc)
	$(Q)test -n '$(PUBLIC)'
	$(Q)for h in $(PUBLIC) $(PUBLIC_CXX); do install -D -m 644 $$h '$(DESTDIR)$(includedir)/htmt/'$$h || exit 1; done
	$(Q)$(call put,644,$(includedir),$(BUILD)/include/htmt.h $(BUILD)/include/htmt.hpp)
	$(Q)$(call put,644,$(datadir)/machines,machines/*.yaml)
	$(Q)$(call put,644,$(datadir)/machines/graphs,machines/graphs/*.yaml)
	$(Q)$(call put,644,$(datadir)/costs,costs/*.yaml)
	$(Q)$(call put,644,$(datadir)/golden,emul/validate/golden/*.csv)
	$(Q)$(call put,644,$(datadir)/measured,emul/validate/measured/*.csv)
	$(Q)$(call put,644,$(datadir)/transfers,apps/volume/transfers/*.yaml)
	$(Q)$(call put,644,$(datadir)/decks,apps/pic/decks/*.yaml)
	$(Q)$(call put,644,$(datadir)/tables,apps/traffic/tables/*.yaml)
	$(Q)$(call put,644,$(datadir)/nests,emul/loops/bound/nests/*.yaml)
	$(Q)$(foreach t,$(TEMPLATES),$(call put,644,$(datadir)/templates/$t,emul/command/new/templates/$t/*) &&) true
	$(Q)for page in $(PAGES); do \
	    install -D -m 644 $$page '$(DESTDIR)$(mandir)/'$${page#$(BUILD)/share/man/} || exit 1; done
	$(Q)$(call put,644,$(cmakedir),$(CMAKE_FILES))
	$(Q)$(call put,644,$(pythondir)/htmt,emul/python/htmt/*.py emul/python/htmt/py.typed)
	$(Q)install -D -m 644 $(BUILD)/completions/bash \
	    '$(DESTDIR)$(PREFIX)/share/bash-completion/completions/htmt'
	$(Q)install -D -m 644 $(BUILD)/completions/zsh \
	    '$(DESTDIR)$(PREFIX)/share/zsh/vendor-completions/_htmt'
	$(Q)install -D -m 644 $(BUILD)/completions/fish \
	    '$(DESTDIR)$(PREFIX)/share/fish/vendor_completions.d/htmt.fish'
	@echo "installed htmt $(VERSION) below $(DESTDIR)$(PREFIX)"

uninstall: ## remove what install put there
	rm -f '$(DESTDIR)$(bindir)/htmt' '$(DESTDIR)$(bindir)/htmt-cc' '$(DESTDIR)$(bindir)/htmt-rec' '$(DESTDIR)$(bindir)/htmt-rec-O3' '$(DESTDIR)$(libdir)/libhtmt.a' '$(DESTDIR)$(libdir)/libhtmt.so' \
	    '$(DESTDIR)$(libdir)/libhtmt.so.0' '$(DESTDIR)$(libdir)/pkgconfig/htmt.pc' \
	    $(PAGES:$(BUILD)/share/man/%='$(DESTDIR)$(mandir)/%') '$(DESTDIR)$(includedir)/htmt.h' \
	    '$(DESTDIR)$(includedir)/htmt.hpp' \
	    '$(DESTDIR)$(PREFIX)/share/bash-completion/completions/htmt' \
	    '$(DESTDIR)$(PREFIX)/share/zsh/vendor-completions/_htmt' \
	    '$(DESTDIR)$(PREFIX)/share/fish/vendor_completions.d/htmt.fish'
	rm -rf '$(DESTDIR)$(cmakedir)' '$(DESTDIR)$(pythondir)/htmt' \
	    '$(DESTDIR)$(includedir)/htmt' '$(DESTDIR)$(libdir)/htmt' '$(DESTDIR)$(datadir)'

deb: ## build Debian packages below BUILD, and check them; .ci/packages-check.txt and packages-mpi.txt have what it needs
	emul/packaging/deb $(BUILD)/deb $(VERSION)

FORCE:
.PHONY: all help run test check-all check-slices asan ubsan tsan analyze bench bench-instructions bench-scaling pgo format format-check deps \
        clean examples tests benches fuzz fuzzers seq suite install uninstall deb no-mpi no-source no-rec FORCE
.SECONDARY:
.DELETE_ON_ERROR:
