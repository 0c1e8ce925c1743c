#!/bin/bash
# The same as tests/integration/sweep.sh with twenty kills at random moments on a grid of 360 points; two
# commands go on at once behind each.
export KILLS=${KILLS:-20}
exec bash "$(dirname "$0")/../integration/sweep.sh"
