"""Files of promptfoo with arbitrary content."""

from typing import ClassVar

from rubric_core.language.shape import Shape

__all__ = ["JsonSchema", "ModelTool", "VariablesFile"]


class VariablesFile(Shape):
    """A file of promptfoo variables: their values by their names."""

    open: ClassVar[bool] = True


class JsonSchema(Shape):
    """A JSON Schema: what the output of an `is-json` or `contains-json` assertion has to be like."""

    open: ClassVar[bool] = True


class ModelTool(Shape):
    """A tool that a model may call."""

    open: ClassVar[bool] = True
