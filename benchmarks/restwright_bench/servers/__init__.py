"""
Agents over real servers, which package registries give, judged by the servers' own state.

`alertmanager`, `kinto`, `pdns`, `etherpad`, `flexget`, `jupyter` and `pretalx` are for
development: their questions and documents may be read while prompts are made. `chroma` is never
read: nobody who writes prompts, roles or rules looks at `never_read/`, at what that server is
asked, or at single runs over it; only its figures are looked at.
"""
