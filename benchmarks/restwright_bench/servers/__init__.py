"""
Agents over real servers, which package registries give, judged by the servers' own state.

`alertmanager`, `kinto`, `pdns`, `etherpad`, `flexget` and `jupyter` are for development: their
questions and documents may be read while prompts are made. `chroma` and `pretalx` are never read:
nobody who writes prompts, roles or rules looks at `never_read/`, at what these servers are asked,
or at single runs over them; only their figures are looked at.
"""
