#!/bin/bash
# The same as tests/integration/sweep.sh with twenty kills at random moments, on a grid of 360 points.
export KILLS=${KILLS:-20}
exec bash "$(dirname "$0")/../integration/sweep.sh"
