# Loops out of C source for the command, which links no libclang: libclang and isl, where both are.
# Debian's libclang has no .pc file, and lies in a folder of its own.
CLANG_ROOT  := $(patsubst %/include/clang-c/Index.h,%,$(wildcard /usr/lib/llvm-19/include/clang-c/Index.h))
ISL_LIBS    := $(shell pkg-config --libs isl 2>/dev/null)
PARTS       += $(if $(and $(CLANG_ROOT),$(ISL_LIBS)),$(BUILD)/htmt-analyze,no-source)
ANALYZE_OBJ := $(call objects,$(call sources,emul/tools/analyze))
$(ANALYZE_OBJ): EXTRA_CFLAGS = -isystem $(CLANG_ROOT)/include $(FRAMES)
$(BUILD)/htmt-analyze: $(ANALYZE_OBJ) $(BUILD)/emul/loops/analyze_arguments.o $(BUILD)/libhtmt.a $(BUILD)/flags
	$(call say,LINK,$@)
	$(Q)$(CC) $(ALL_CFLAGS) -Wl,--as-needed $(filter %.o %.a,$^) -o $@ $(HARDENED_LINK) \
	    -L$(CLANG_ROOT)/lib -lclang-19 $(ISL_LIBS) $(SO_LIBS)
