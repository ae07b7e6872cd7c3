import sys

sys.exit("no answer today")
