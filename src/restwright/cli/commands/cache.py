"""`cache path` and `cache clear`: what is kept between two runs, and can go at any time."""

from __future__ import annotations

from restwright.cli.render.errors import DONE
from restwright.cli.render.output import Output


def path(*, out: Output) -> int:
    """Print the folder of the caches. RESTWRIGHT_CACHE=off turns them off."""
    from restwright.net.storage import cache_folder, is_cache_on

    folder = cache_folder()
    if out.json:
        out.value({"path": str(folder), "here": folder.is_dir(), "on": is_cache_on()})
    else:
        out.text(str(folder))
        if not is_cache_on():
            out.note("the caches are turned off (RESTWRIGHT_CACHE)")
    return DONE


def clear(*, out: Output) -> int:
    """
    Delete what is kept of documents, and of prompts of the local model. Models stay; they are files
    that `model path` shows.
    """
    from restwright.net.storage import clear_state

    files, size = clear_state()
    if out.json:
        out.value({"files": files, "bytes": size})
    else:
        out.text(f"{files:,} files deleted, {size / 1e6:,.1f} MB")
    return DONE
