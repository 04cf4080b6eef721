"""From the name of a model to a `Model`: the local one, or a provider's."""

from __future__ import annotations

from restwright.errors import ModelUnavailable
from restwright.typing import Model

LOCAL = "local"


def model_named(name: str | None, *, url: str | None = None) -> Model:
    """Return the model called `name`; None is the local one."""
    kind, _, rest = (name or LOCAL).partition(":")
    if kind == LOCAL and url is None:
        from restwright.agents.local_model import LocalModel
        from restwright.agents.model_files import model_path

        return LocalModel(model_path(rest or LOCAL), name=name or LOCAL)
    raise ModelUnavailable(name or LOCAL, "not built yet", "use the local model")
