# HTMT emulator. `make help` lists the targets.
# Settings; each can be given on the command line.
CC       ?= gcc
BUILD    ?= build
PREFIX   ?= /usr/local
CFLAGS   ?= -O3 -g
V        ?= 0
SANITIZE ?=

Q := $(if $(filter 1,$(V)),,@)
WARN   := -std=gnu17 -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Werror
ALL_CFLAGS = $(WARN) $(CFLAGS) $(if $(SANITIZE),-fsanitize=$(SANITIZE) -fno-omit-frame-pointer) \
             -I. -I$(BUILD) -pthread -MMD -MP $(shell pkg-config --cflags liburcu-cds yaml-0.1 jansson)
LIB_LIBS := $(shell pkg-config --libs liburcu-cds yaml-0.1 jansson jemalloc) -lm -lpthread
APP_LIBS := $(shell pkg-config --libs openblas) $(LIB_LIBS)

LIB_SRC  := $(wildcard runtime/*.c layers/*.c parcels/*.c)
APP_SRC  := $(wildcard apps/*.c apps/*/*.c)
EMUL_SRC := $(wildcard emul/*.c)
TEST_SRC := $(wildcard tests/*/*_test.c)
LIB_OBJ  := $(LIB_SRC:%.c=$(BUILD)/%.o)
APP_OBJ  := $(APP_SRC:%.c=$(BUILD)/%.o)
EMUL_OBJ := $(EMUL_SRC:%.c=$(BUILD)/%.o)
TESTS    := $(TEST_SRC:%.c=$(BUILD)/%)

all: $(BUILD)/htmt ## build the htmt command and its libraries

$(BUILD)/%.o: %.c
	@mkdir -p $(@D)
	$(Q)$(CC) $(ALL_CFLAGS) -c $< -o $@

$(BUILD)/libhtmt.a: $(LIB_OBJ)
	$(Q)rm -f $@ && ar rcs $@ $^

$(BUILD)/libhtmtapps.a: $(APP_OBJ)
	$(Q)rm -f $@ && ar rcs $@ $^

$(BUILD)/htmt: $(EMUL_OBJ) $(BUILD)/libhtmtapps.a $(BUILD)/libhtmt.a
	$(Q)$(CC) $(ALL_CFLAGS) $^ -o $@ $(APP_LIBS)

$(BUILD)/tests/%_test: $(BUILD)/tests/%_test.o $(BUILD)/libhtmtapps.a $(BUILD)/libhtmt.a
	$(Q)$(CC) $(ALL_CFLAGS) $^ -o $@ -lcriterion $(APP_LIBS)

# The sketches are linked into the test that runs them.
$(BUILD)/tests/sketches/sketches_test: \
    $(patsubst %.c,$(BUILD)/%.o,$(wildcard tests/sketches/*_sketch.c))

tests: $(TESTS) ## build the tests

test: tests ## run the tests
	$(Q)for t in $(TESTS); do $$t || exit 1; done

format: ## lay out the sources
	clang-format -i $(shell git ls-files '*.c' '*.h')

clean: ## remove what was built
	rm -rf $(BUILD)

-include $(LIB_OBJ:.o=.d) $(APP_OBJ:.o=.d) $(EMUL_OBJ:.o=.d) $(TESTS:%=%.d)
.PHONY: all tests test format clean
.SECONDARY:
