# ---- Headers, manual pages, completions ---------------------------------------------------------
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

PAGES       := $(addprefix $(BUILD)/share/man/,man1/htmt.1 man3/htmt.3 man5/htmt-machine.5)
COMPLETIONS := $(addprefix $(BUILD)/completions/,bash zsh fish)
DESCRIBE     = @mkdir -p $(@D); awk -v version=$(VERSION) -f $<
$(BUILD)/share/man/man1/htmt.1: emul/packaging/htmt.1
	@mkdir -p $(@D) && ln -sfr $< $@
$(BUILD)/share/man/man3/htmt.3: emul/packaging/manual3.awk $(PUBLIC_ROOTS) \
        $(wildcard $(addsuffix .h,runtime/*/* layers/* layers/*/* parcels/* apps/lib/*))
	$(DESCRIBE) $(PUBLIC) >$@
$(BUILD)/share/man/man5/htmt-machine.5: emul/packaging/manual5.awk docs/machines.md
	$(DESCRIBE) docs/machines.md >$@
$(COMPLETIONS): $(BUILD)/completions/%: $(BUILD)/htmt
	@mkdir -p $(@D) && $< completion $* >$@

# emul/packaging/install has the one list of what goes where.
INSTALL = BUILD='$(BUILD)' DESTDIR='$(DESTDIR)' PREFIX='$(PREFIX)' LIBDIR='$(libdir)' VERSION='$(VERSION)' \
          REQUIRES='$(LIBRARIES) $(HEAP)' emul/packaging/install
install: all $(BUILD)/libhtmt.a $(PAGES) $(COMPLETIONS) ## install below PREFIX (and DESTDIR)
	$(Q)$(INSTALL) put $(PUBLIC) $(PUBLIC_CXX)
uninstall: ## remove what install put there
	$(Q)$(INSTALL) remove
deb: ## build Debian packages below BUILD, and check them; .ci/packages-check.txt and packages-mpi.txt have what it needs
	emul/packaging/deb $(BUILD)/deb $(VERSION)

