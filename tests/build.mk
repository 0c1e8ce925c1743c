# How many small faults the unit programs notice.
MUTANTS := 200
mutants: ## flip one token of the source at a time (MUTANTS in all), count what the unit programs notice
	$(again) tests
	tests/mutants.py --count $(MUTANTS) --jobs $(JOBS) $(BUILD)
.PHONY: mutants
