#!/bin/sh
echo "out {{who}}"
exit 3
