# Results of studies for the command, which links no SQLite.
PARTS += $(BUILD)/study.so
$(BUILD)/emul/tools/study/study_part.o: EXTRA_CFLAGS = $(HIDDEN)
$(BUILD)/study.so: PLUG_LIBS = $(shell pkg-config --libs sqlite3 2>/dev/null)
$(BUILD)/study.so: $(BUILD)/emul/tools/study/study_part.o
