#!/bin/sh
echo "out {{who}}"
echo warning >&2
