"""report.parquet: typed columns, written in row groups so that memory stays the same for any number of rows.

The file's own metadata says whether it is partial (`spidervet.partial`), of which job, and by which engine.
"""

from __future__ import annotations

import io
from collections.abc import Iterator
from itertools import islice
from typing import TYPE_CHECKING

from evaluation.reports.document import Report

if TYPE_CHECKING:
    import pyarrow

ROWS_AT_ONCE = 20_000
WHOLE = ("arm", "repeat", "moves", "stock_deals", "sequences", "length", "nodes")


class _Drain(io.RawIOBase):
    """A file that only grows; what was written is taken off it piece by piece."""

    def __init__(self) -> None:
        self._pieces: list[bytes] = []
        self._at = 0

    def writable(self) -> bool:
        return True

    def write(self, data: object) -> int:
        piece = bytes(memoryview(data))  # type: ignore[arg-type]
        self._pieces.append(piece)
        self._at += len(piece)
        return len(piece)

    def tell(self) -> int:
        return self._at

    def taken(self) -> bytes:
        """Everything written since the last call."""
        data = b"".join(self._pieces)
        self._pieces = []
        return data


def parquet_chunks(report: Report) -> Iterator[bytes]:
    """report.parquet in pieces."""
    import pyarrow as pa  # loaded only here: it is large
    import pyarrow.parquet as pq

    schema, sink = parquet_schema(report), _Drain()
    rows = report.rows()
    with pq.ParquetWriter(sink, schema, compression="zstd") as writer:
        while True:
            some = list(islice(rows, ROWS_AT_ONCE))
            if not some:
                break
            columns = [
                pa.array(list(c), f.type) for c, f in zip(zip(*some, strict=True), schema, strict=True)
            ]
            writer.write_table(pa.Table.from_arrays(columns, schema=schema))
            yield sink.taken()
    yield sink.taken()


def parquet_schema(report: Report) -> pyarrow.Schema:
    """Names, types and metadata of the file."""
    import pyarrow as pa

    kinds = dict.fromkeys(WHOLE, pa.int64()) | {"won": pa.bool_(), "seconds": pa.float64()}
    fields = [
        pa.field(name, kinds.get(name, pa.int64() if name.startswith("score_") else pa.string()))
        for name in report.columns
    ]
    job = report.detail.job
    metadata = {
        "spidervet.format": "spidervet-rows/1",
        "spidervet.job": job.name,
        "spidervet.state": job.state.value,
        "spidervet.partial": str(report.partial).lower(),
        "spidervet.rows_in_all": str(job.counts.total),
        "spidervet.engine": job.engine,
    }
    return pa.schema(fields, metadata)
