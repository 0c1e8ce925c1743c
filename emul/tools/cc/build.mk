# Kernels for recording: the compiler htmt-cc, which alone links LLVM, and the programs htmt-rec with
# kernels that it compiled. REC_SRC of an application's build.mk names these kernels.
LLVM      := $(if $(shell command -v clang-14),$(shell command -v llvm-config-14))
REC_PROGRAMS := $(patsubst %-O2,%,$(TAPES:%=$(BUILD)/htmt-rec-%))
PARTS     += $(if $(LLVM),$(BUILD)/htmt-cc $(REC_PROGRAMS) $(BUILD)/htmt-plain,no-tape)
CC_OBJ    := $(call objects,$(wildcard emul/tools/cc/*.c))
$(CC_OBJ): EXTRA_CFLAGS = -isystem $(shell $(LLVM) --includedir) -I$(BUILD)
# What htmt-cc puts in line, as bytes of its program; compiled for the warnings, too.
$(BUILD)/compile/inlined.ll: emul/tools/cc/hooks/inlined.c $(wildcard layers/node/tape/*.h)
	@mkdir -p $(@D)
	$(Q)clang-14 -std=gnu17 -O2 -w -fPIC -I. -S -emit-llvm -o $@ $<
$(BUILD)/compile/inlined.inc: $(BUILD)/compile/inlined.ll
	$(BYTES)
$(BUILD)/emul/tools/cc/hook.o: $(BUILD)/compile/inlined.inc
$(BUILD)/htmt-cc: $(CC_OBJ) $(BUILD)/libhtmt.a $(BUILD)/flags | $(BUILD)/emul/tools/cc/hooks/inlined.o
	$(call say,LINK,$@)
	$(Q)$(CC) $(ALL_CFLAGS) $(filter %.o %.a,$^) -o $@ $(if $(LLVM),$(shell $(LLVM) --ldflags --libs)) $(LIB_LIBS)

# The applications that have such kernels, linked; $(1) is the tape, $(2) the command.
REC_APPS  := $(patsubst apps/%/build.mk,%,$(shell grep -l ^REC_SRC apps/*/build.mk))
REC_OTHER  = $(filter-out $(REC_SRC:%.c=$(BUILD)/%.o) $(APPS:%=$(BUILD)/apps/%/app.o),\
             $(call objects,$(call sources,$(REC_APPS:%=apps/%))))
define RECORDED
$(BUILD)/recorded/$(1)/%.o: %.c $(BUILD)/htmt-cc $(BUILD)/flags
	$$(call say,REC,$$<)
	@mkdir -p $$(@D)
	$$(Q)$(BUILD)/htmt-cc --tape $(1) -std=gnu17 -I. -fvisibility=hidden $(DEFINES) $$(REC_CFLAGS) -MD -MP -MF $$(@:.o=.d) -MT $$@ \
	    $(patsubst -isystem,-I,$(shell pkg-config --cflags $(APP_LIBRARIES) 2>/dev/null)) -c $$< -o $$@
$(BUILD)/recorded/$(1)/apps/kernels/%.o $(BUILD)/recorded/$(1)/apps/volume/%.o: REC_CFLAGS = -ffp-contract=off
$(BUILD)/$(2): $$(REC_SRC:%.c=$(BUILD)/recorded/$(1)/%.o)
endef
OBJECTS   += $(foreach tape,$(TAPES),$(REC_SRC:%.c=$(BUILD)/recorded/$(tape)/%.o))
$(eval $(call RECORDED,O2,htmt-rec))
$(eval $(call RECORDED,O3,htmt-rec-O3))
# The same kernels without hooks: what the clock times beside a prediction (docs/host.md).
$(BUILD)/recorded/plain/%.o: %.c $(BUILD)/htmt-cc $(BUILD)/flags
	$(call say,CLANG,$<)
	@mkdir -p $(@D)
	$(Q)$(BUILD)/htmt-cc --plain -std=gnu17 -ffp-contract=off -I. -fvisibility=hidden $(DEFINES) -MD -MP \
	    $(patsubst -isystem,-I,$(shell pkg-config --cflags $(APP_LIBRARIES) 2>/dev/null)) -c $< -o $@
OBJECTS   += $(REC_SRC:%.c=$(BUILD)/recorded/plain/%.o)
$(BUILD)/htmt-plain: $(REC_SRC:%.c=$(BUILD)/recorded/plain/%.o)
$(REC_PROGRAMS) $(BUILD)/htmt-plain: $(BUILD)/emul/tools/rec/htmt_rec_main.o $(BUILD)/libhtmtemul.a $(BUILD)/libhtmt.a emul/packaging/exports \
    $(REC_APPS:%=$(BUILD)/tests/apps/%_app.o) $(BUILD)/apps/shared.a $(REC_OTHER)
	$(call say,LINK,$@)
	$(Q)$(CC) $(ALL_CFLAGS) $(filter %.o,$^) $(filter-out %/libhtmt.a,$(filter %.a,$^)) $(WHOLE_LIB) -o $@ $(SHEET_LIBS) $(APP_LIBS)
