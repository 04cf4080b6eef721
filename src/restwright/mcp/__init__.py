"""A server of the Model Context Protocol over a catalog: any API as tools for any client."""

import sys
from types import ModuleType
from typing import Any


class _CallableModule(ModuleType):
    """`restwright.mcp` is a function of the library too, under the name that this package has."""

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        from restwright.mcp_client.opening import mcp

        return mcp(*args, **kwargs)


sys.modules[__name__].__class__ = _CallableModule
