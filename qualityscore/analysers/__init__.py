"""Four analysers that read Python without running it: layers, fields, surface, names.

Reading goes in two steps. `facts` are taken from one file alone, in a process that may die; everything that needs
more than one file (bases, re-exports, star imports, import cycles) is decided afterwards over all files' facts.
"""
