# The kernel files under core/ are for cimport: see examples/cython.
