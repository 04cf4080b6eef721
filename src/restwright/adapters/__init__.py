"""
A toolbox as the tools of a framework: one module for each, which imports it when it is used.

What a framework asks a person about is what the toolbox would let wait: give the toolbox no
`approve` of its own where the framework has one.
"""
