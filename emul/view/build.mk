# The page of `htmt timeline`, without data: its modules in one file, whose bytes become an array.
$(BUILD)/page/page.html: emul/view/page/join $(wildcard emul/view/page/*.js emul/view/page/page.*)
	@mkdir -p $(@D)
	$(Q)bash $< >$@
$(BUILD)/page/template.inc: $(BUILD)/page/page.html
	$(BYTES)
$(BUILD)/emul/view/page/page.o: EXTRA_CFLAGS = -I$(BUILD)
$(BUILD)/emul/view/page/page.o: $(BUILD)/page/template.inc
