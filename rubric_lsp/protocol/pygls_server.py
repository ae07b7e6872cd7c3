"""What the server uses of pygls, loaded without making the 550 classes of `lsprotocol.types`.

attrs writes and compiles the methods of each class as its module loads: half of the instructions before the first diagnostics,
and 20 MB. The server talks plain JSON and instantiates none of them. So while that module loads, attrs makes no class; each
is made where it is, when it is first used: instantiated, asked for its fields, structured by cattrs. Only then may it matter
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


#: Looked up before anything else that attrs adds can matter: instances come by the one, fields by the other.
_FIRST_USES = ("__init__", "__attrs_attrs__")


@contextmanager
def deferred_classes(module: str = _TYPES) -> Iterator[None]:
    """While this lasts, the attrs classes of `module` are left to be made at their first use."""
    define: Callable[..., Any] = attrs.define
    lock = threading.RLock()  # a class may have another one as its base

    def make(cls: type) -> None:
        with lock:
            if isinstance(vars(cls)["__init__"], Pending):
                # With slots there would be a second class; the first one is known under its name already.
                # `init=True`: or what waits in its place would pass for a method that the class has written itself.
                define(cls, slots=False, init=True)

    def defer(cls: type | None = None, **options: Any) -> Any:
        plain = type(cls) is type and not options and not any(name in vars(cls) for name in (*_FIRST_USES, "__slots__"))
        if cls is None or not plain or cls.__module__ != module:
            return define(cls, **options)  # made in another way than is understood here, or by another thread
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
