#!/bin/sh
# record_parity.sh SOURCE SHADEWOOD PACKAGE SCRIPT: what scripts/SCRIPT compares is the same. Ends with 77 where the Python
# package is missing.
for python in /usr/bin/python3 python3; do
    "$python" -c "import $3" 2>/dev/null && break
done
exec "$python" "$1/scripts/$4" --shadewood "$2"
