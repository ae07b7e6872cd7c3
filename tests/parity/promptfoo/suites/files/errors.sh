#!/bin/sh
echo "no prompt" >&2
