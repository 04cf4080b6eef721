"""
The namespace experiment: one model, three APIs with names in common, and four ways to offer tools.

Document 004 of the reference tells of 48 calls for one image where the tools of all APIs stood in
one flat list. The same tasks are run here with bare names, with namespaces, with what a search
finds and with meta-tools alone.
"""
