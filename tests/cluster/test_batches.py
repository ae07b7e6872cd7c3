"""How many cases go to a worker at once."""

from rubric_core.cluster.batches import BatchSize


def test_the_first_batches_are_single_cases():
    assert BatchSize().size(ready=10_000, slots=8) == 1


def test_a_batch_takes_half_a_second():
    size = BatchSize()
    size.took(0.1, 10)
    assert size.size(ready=10_000, slots=8) == 50


def test_towards_the_end_batches_are_smaller():
    size = BatchSize()
    size.took(0.1, 100)
    assert [size.size(ready, slots=8) for ready in (8_000, 160, 16, 1)] == [500, 10, 1, 1]


def test_a_case_that_takes_long_is_a_batch():
    size = BatchSize()
    size.took(30, 1)
    assert size.size(ready=10_000, slots=2) == 1
