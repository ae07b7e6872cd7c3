#!/bin/sh
# Prints a prompt: how many arguments there are, the first one, and the settings in the context, which is the last one.
for last; do :; done
printf '\033[31mHi {{who}}\033[0m %s|%s' "$#" "$( [ $# -gt 1 ] && echo "$1")"
printf '%s\n\n' "$last" | sed 's/.*"config":/ /; s/}$//'
