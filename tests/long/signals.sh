#!/bin/bash
# The same as tests/integration/signals.sh with fifty interrupts and a hundred kills.
export INTERRUPTS=${INTERRUPTS:-50} KILLS=${KILLS:-100}
exec bash "$(dirname "$0")/../integration/signals.sh"
