#!/bin/bash
# Every utilisation of every view is that of the report: all applications on all machines.
ALL=1 exec bash "$(dirname "$0")/../integration/utilization.sh"
