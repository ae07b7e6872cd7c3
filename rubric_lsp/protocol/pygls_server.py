"""The parts of pygls that the server uses, loaded without creating the 550 classes of `lsprotocol.types`.

attrs generates and compiles the methods of each class at import: half of the instructions before the first diagnostics,
and 20 MB. The server talks plain JSON and instantiates none of them. So while that module loads, attrs makes no class;
each
is made where it is, when it is first used: instantiated, asked for its fields, structured by cattrs. Only then may it
matter
that such a class has a `__dict__` where attrs would have given it `__slots__`.

Import pygls from here only: imported elsewhere before, lsprotocol comes as usual, and all works the same, only slower.
"""

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import attrs

from rubric_core.lazy_compilation import Pending

__all__ = ["LanguageServer", "LanguageServerProtocol", "Workspace", "deferred_classes"]

_TYPES = "lsprotocol.types"


#: Looked up before anything else that attrs adds: the first for instances, the second for fields.
_FIRST_USES = ("__init__", "__attrs_attrs__")


@contextmanager
def deferred_classes(module: str = _TYPES) -> Iterator[None]:
    """Within this context, the attrs classes of `module` are created only when first used."""
    define: Callable[..., Any] = attrs.define
    lock = threading.RLock()  # another class may be its base

    def make(cls: type) -> None:
        with lock:
            if isinstance(vars(cls)["__init__"], Pending):
                # With slots there would be a second class; the first one is known under its name already.
                # `init=True`: otherwise the placeholder would be taken for a method of the class itself.
                define(cls, slots=False, init=True)

    def defer(cls: type | None = None, **options: Any) -> Any:
        plain = type(cls) is type and not options and not any(name in vars(cls) for name in (*_FIRST_USES, "__slots__"))
        if cls is None or not plain or cls.__module__ != module:
            return define(cls, **options)  # created in an unknown way, or by another thread
        for name in _FIRST_USES:
            setattr(cls, name, Pending(name, cls, make))
        return cls

    attrs.define = defer  # type: ignore[assignment]  # of its overloads only the bare decorator
    try:
        yield
    finally:
        attrs.define = define


with deferred_classes():
    from pygls.lsp.server import LanguageServer
    from pygls.protocol import LanguageServerProtocol
    from pygls.workspace import Workspace
