#!/bin/sh
echo "report-settings {{who}}"
