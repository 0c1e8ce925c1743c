# The pages as one searchable site. A link that leads nowhere is an error.
site: ## build the documentation as HTML below BUILD/site
	$(Q).ci/deps .ci/packages-site.txt
	$(Q)sphinx-build -q -W --keep-going -j $(JOBS) -c docs . $(BUILD)/site
	@echo 'see $(BUILD)/site/docs/README.html'
.PHONY: site
