import sys

sys.stderr.write("only noise")
