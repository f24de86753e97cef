"""The table of proven results as Python sees it."""

from threading import Lock

from libc.stdint cimport uint64_t
from libc.string cimport memset

from scopa_fast.core.transpositions cimport Bucket, SolverTable, WORDS

from scopa_fast.arguments import check_megabytes, check_path
from scopa_fast.errors import InvalidTableError
from scopa_fast.table_file import read_table, write_table

_taking = Lock()


cdef size_t buckets_of(object megabytes) except? 0:
    """The largest power of two of buckets that fits."""
    return 1 << ((megabytes << 20) // <object>sizeof(Bucket)).bit_length() - 1 if megabytes else 0


cdef class SolverTable:
    """A table of proven results, allocated once and kept between calls as long as one likes.

    What it holds is true for ever: a table may be used for positions of any deal and any rules, in turn.

    :param megabytes: its size, rounded down to a power of two; 0 for no table.
    :raises ValueError: if that is negative or absurd.
    :raises MemoryError: if there is not so much memory.
    """

    def __init__(self, megabytes=64):
        if self.busy:
            raise RuntimeError("a SolverTable in use cannot be made anew")
        self.megabytes = check_megabytes(megabytes)
        self.make(buckets_of(self.megabytes))

    cdef int make(self, size_t count) except -1:
        cdef uint64_t[::1] view
        # Nothing is there until it is all there.
        self.count, self.buckets, self.words = 0, NULL, None
        if count:
            import numpy as np  # large arrays of it lie in large pages, and are nothing until they are written

            words = np.zeros((count + 1) * WORDS, np.uint64)
            view = words
            self.words = words
            self.buckets = <Bucket*>((<size_t>&view[0] + sizeof(Bucket) - 1) & ~<size_t>(sizeof(Bucket) - 1))
            self.count = count
        return 0

    def __repr__(self):
        return f"SolverTable(megabytes={self.megabytes})"

    def __reduce__(self):
        raise TypeError("a SolverTable cannot be pickled or copied: save() writes it to a file, load() reads it")

    cdef object used(self, size_t count):
        """The words of the first buckets."""
        if count == 0:
            return b""
        cdef size_t first = (<size_t>self.buckets - <size_t>self.words.ctypes.data) // 8
        return self.words[first : first + count * WORDS]

    cdef int take(self) except -1:
        with _taking:
            if self.busy:
                raise RuntimeError("this SolverTable is in use by another call: one at a time")
            self.busy = True
        return 0

    @property
    def entries(self):
        """Results that it holds; counting them reads the whole table."""
        return int((self.used(self.count)[1::2] != 0).sum()) if self.count else 0

    def clear(self):
        """Forget everything.

        :raises RuntimeError: if a call is using the table.
        """
        self.take()
        memset(self.buckets, 0, self.count * sizeof(Bucket))
        self.busy = False

    def save(self, path):
        """Write the table to a file, whole or not at all.

        :raises OSError: if it cannot be written.
        :raises RuntimeError: if a call is using the table.
        """
        check_path(path, "path")
        self.take()
        try:
            write_table(path, {"kind": "table", "megabytes": self.megabytes}, self.used(self.count))
        finally:
            self.busy = False

    @staticmethod
    def load(path):
        """Return the table of a file.

        :raises InvalidTableError: if the file holds none, or is damaged.
        :raises OSError: if it cannot be read.
        """
        check_path(path, "path")
        cdef SolverTable table = SolverTable(0)
        header = table.read(path, "table", {"megabytes": int})
        try:
            table.megabytes = check_megabytes(header["megabytes"])
        except (TypeError, ValueError) as error:
            raise InvalidTableError(f"{path}: damaged: {error}") from None
        return table

    cdef object read(self, path, kind, wanted):
        """Take over the table of a file; return its header, which holds what is wanted of it."""

        def place(header, words):
            if header.get("kind") != kind:
                raise InvalidTableError(f"{path}: not a saved {kind} but a {header.get('kind')}")
            if words % WORDS or words & (words - 1) or not all(isinstance(header.get(name), type_) for name, type_ in wanted.items()):
                raise InvalidTableError(f"{path}: damaged: {header}")
            self.make(words // WORDS)
            return self.used(self.count)

        return read_table(path, place)


def check_table(table):
    """Refuse what is neither a table nor None."""
    if table is not None and not isinstance(table, SolverTable):
        raise TypeError(f"table must be a SolverTable, not {type(table).__name__}: {table!r}")
