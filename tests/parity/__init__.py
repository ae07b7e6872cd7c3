"""Does `rubric run` score as AgentV does? Both programs run over the same suites, with one scripted judge, and are compared case by case.

`make parity` runs it. The suites are in `suites/`; differences that are known are in `differences.yaml`, each with the row of
`docs/departures.md` that explains it. Everything else that differs fails.
"""
