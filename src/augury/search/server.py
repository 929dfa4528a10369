"""The search engine on a Qdrant server or cluster, reached by URL.

One collection holds all partitions; a payload field says which one a document is in. Terms and
weights are the same as in `augury.search.edge`, so lexical scores agree. Dense hits come from the
server's graph, which is exact for small collections and approximate for large ones.

The collection's name contains the schema's fingerprint, so during an upgrade two versions of the
service can run side by side, each with its own collection. The collection's metadata (Qdrant >=
1.16) holds the checkpoint: up to which change of the catalogue the index has followed. A write
returns when the server has logged and applied it.
"""

from __future__ import annotations

import base64
import socket
from collections.abc import Iterable, Sequence, Set
from typing import Any

import httpx2
import numpy as np
from numpy.typing import NDArray

from augury.errors import Unavailable
from augury.net.cookies import no_cookies
from augury.search.engine import (
    STATUSES,
    EngineHits,
    IndexDocument,
    IndexSchema,
    SparseVector,
    batches,
    best,
    check,
    partitions,
)

_BATCH = 256  # documents in one request
_EFFORT = 256  # `hnsw_ef`, candidates kept in a dense search: more are slower and more exact

Query = dict[str, Any]
"""The JSON of one query to the server: a vector, and the name of the stored vectors (`dense`,
`terms` or `tags`) that it is compared with."""

Hit = dict[str, Any]
"""The JSON of one document that the server found: id, score, payload {status, record}."""


class ServerEngine:
    """The search engine on a Qdrant server. A search takes one request. If it finds some markets
    by their terms alone, a second request gets their cosines."""

    def __init__(
        self,
        url: str,
        schema: IndexSchema,
        *,
        collection: str = "augury",
        api_key: str | None = None,
        timeout: float = 10.0,
        replicas: int = 1,
    ) -> None:
        """Connect, and create the collection if it does not exist.

        timeout : seconds that one request may take
        replicas : number of copies of every shard that a new collection keeps
        """
        self._schema = schema
        self._path = f"/collections/{collection}-{schema.fingerprint}"
        self._replicas = replicas
        self._client = httpx2.Client(
            base_url=url,
            timeout=timeout,
            headers={"api-key": api_key} if api_key else {},
            cookies=no_cookies(),
            # A query is larger than one TCP segment: without this its end waits 40 ms for the
            # server's delayed acknowledgment.
            transport=httpx2.HTTPTransport(
                socket_options=[(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)]
            ),
        )
        try:
            if not self._call("GET", f"{self._path}/exists")["exists"]:
                self._create()
        except BaseException:
            self._client.close()
            raise

    @property
    def schema(self) -> IndexSchema:
        return self._schema

    def upsert(self, docs: Iterable[IndexDocument]) -> None:
        for batch in batches(docs, _BATCH):
            for doc in batch:
                check(doc, self._schema)
            points = [_point(doc) for doc in {doc.key: doc for doc in batch}.values()]
            self._call("PUT", f"{self._path}/points?wait=true", {"points": points})

    def delete(self, keys: Iterable[int]) -> None:
        for batch in batches(keys, _BATCH):
            self._call("POST", f"{self._path}/points/delete?wait=true", {"points": batch})

    def search(
        self,
        terms: SparseVector | None,
        vector: NDArray[np.float32] | None,
        statuses: Sequence[str] | None = None,
        limit: int = 100,
    ) -> EngineHits:
        if limit < 1:
            raise ValueError("limit must be at least 1")
        names = partitions(statuses)
        within = [] if len(names) == len(STATUSES) else [_status_in(names)]
        by_terms = _by_terms(terms) if terms is not None and len(terms) else None
        by_vector = _by_vector(vector) if vector is not None and vector.any() else None
        lexical, dense = self._query(
            by_terms and _best_of(by_terms, limit, within),
            by_vector and _best_of(by_vector, limit, within),
        )
        lexical, dense = _best(lexical, limit), _best(dense, limit)
        # Hits that only the terms found have no cosine yet; ask for these.
        _, more = self._query(
            None, by_vector and _scores_of(by_vector, lexical.keys() - dense.keys())
        )
        return self._candidates(lexical | dense, lexical, dense | more)

    def _candidates(
        self, found: dict[int, Hit], lexical: dict[int, Hit], dense: dict[int, Hit]
    ) -> EngineHits:
        payloads = {key: hit["payload"] for key, hit in found.items()}
        keys = sorted(payloads)
        return EngineHits(
            keys=np.array(keys, np.int64),
            lexical=_scores(keys, lexical),
            dense=_scores(keys, dense),
            status=np.array([STATUSES.index(payloads[key]["status"]) for key in keys], np.uint8),
            payload=np.frombuffer(
                b"".join(base64.b64decode(payloads[key]["record"]) for key in keys),
                self._schema.payload,
            ),
        )

    def tagged(
        self,
        tags: Sequence[int],
        vector: NDArray[np.float32] | None,
        statuses: Sequence[str] | None = None,
        limit: int = 100,
        most_tags: int | None = None,
    ) -> EngineHits:
        if limit < 1:
            raise ValueError("limit must be at least 1")
        names = partitions(statuses)
        within = [] if len(names) == len(STATUSES) else [_status_in(names)]
        tags = list(dict.fromkeys(tags))
        at_once = most_tags or max(1, len(tags))
        used: list[dict[int, Hit]] = []
        # Some tags have no document. So as many as are wanted are asked for, then the next ones.
        for start in range(0, len(tags), at_once):
            asked = tags[start : start + at_once]
            hits = self._query(*(_best_of(_by_tag(tag), limit, within) for tag in asked))
            used += [under for under in hits if under]
            if len(used) >= at_once:
                break
        used = used[:most_tags]
        found = {key: hit for under in used for key, hit in _best(under, limit).items()}
        by_vector = _by_vector(vector) if vector is not None and vector.any() else None
        (dense,) = self._query(by_vector and _scores_of(by_vector, found.keys()))
        return self._candidates(found, {}, dense)

    def shown(self, keys: Sequence[int]) -> dict[int, bytes]:
        """Always empty. What search results show is not stored on the server, because reading it
        from the database is as fast."""
        return {}

    def checkpoint(self) -> int:
        return self._call("GET", self._path)["config"]["metadata"]["checkpoint"]

    def set_checkpoint(self, sequence: int) -> None:
        self._call("PATCH", self._path, {"metadata": {"checkpoint": sequence}})

    def flush(self) -> None:
        """Nothing to do: the server has logged each write before it answered."""

    def count(self, status: str | None = None) -> int:
        within = [] if status is None else [_status_in(partitions([status]))]
        body = {"filter": {"must": within}, "exact": True}
        return self._call("POST", f"{self._path}/points/count", body)["count"]

    def clear(self) -> None:
        self._call("DELETE", self._path)
        self._create()

    def close(self) -> None:
        self._client.close()

    def _create(self) -> None:
        dense = {"size": self._schema.dim, "distance": "Dot", "datatype": "float16"}
        self._call(
            "PUT",
            self._path,
            {
                "vectors": {"dense": dense},
                "sparse_vectors": {"terms": {}, "tags": {}},
                "replication_factor": self._replicas,
                "metadata": {"checkpoint": 0},
            },
        )
        self._call(
            "PUT",
            f"{self._path}/index?wait=true",
            {"field_name": "status", "field_schema": "keyword"},
        )

    def _query(self, *sides: Query | None) -> list[dict[int, Hit]]:
        """Send the queries `sides` in one request, and return for each one its hits by key; a query
        that is None has no hits."""
        asked = [side for side in sides if side]
        if not asked:
            return [{} for _ in sides]
        answers = self._call("POST", f"{self._path}/points/query/batch", {"searches": asked})
        found = iter(answers)
        return [{hit["id"]: hit for hit in next(found)["points"]} if side else {} for side in sides]

    def _call(self, method: str, path: str, body: dict[str, Any] | None = None) -> Any:
        try:
            answer = self._client.request(method, path, json=body)
            if answer.is_success:
                return answer.json()["result"]
            problem = f"{answer.status_code} {_reason(answer)}"
        except (httpx2.HTTPError, ValueError, KeyError) as error:
            problem = str(error) or type(error).__name__
        except RuntimeError:  # the client was closed
            raise Unavailable(
                "The service is shutting down, so search is not available. Try again in a moment."
            ) from None
        raise Unavailable(f"The search server failed: {problem}")


def _reason(answer: httpx2.Response) -> str:
    try:
        return str(answer.json()["status"]["error"])[:200]
    except (ValueError, KeyError, TypeError):
        return answer.text[:200]


def _point(doc: IndexDocument) -> dict[str, Any]:
    return {
        "id": doc.key,
        "vector": {
            "dense": doc.vector.tolist(),
            "terms": _sparse(doc.terms),
            "tags": _sparse(doc.tags),
        },
        "payload": {"status": doc.status, "record": base64.b64encode(doc.payload).decode()},
    }


def _sparse(terms: SparseVector) -> dict[str, list[Any]]:
    return {"indices": terms.indices.tolist(), "values": terms.values.tolist()}


def _by_terms(terms: SparseVector) -> Query:
    return {"query": _sparse(terms), "using": "terms"}


def _by_tag(tag: int) -> Query:
    return {"query": {"indices": [tag], "values": [1.0]}, "using": "tags"}


def _by_vector(vector: NDArray[np.float32]) -> Query:
    return {"query": vector.tolist(), "using": "dense", "params": {"hnsw_ef": _EFFORT}}


def _status_in(names: Sequence[str]) -> dict[str, Any]:
    return {"key": "status", "match": {"any": list(names)}}


def _best_of(query: Query, limit: int, must: list[dict[str, Any]]) -> Query:
    return query | {"limit": limit, "filter": {"must": must}, "with_payload": True}


def _scores_of(query: Query, keys: Set[int]) -> Query | None:
    """`query` restricted to the documents with these keys, to get their scores; None if there are
    no keys."""
    if not keys:
        return None
    return query | {"limit": len(keys), "filter": {"must": [{"has_id": sorted(keys)}]}}


def _best(hits: dict[int, Hit], limit: int) -> dict[int, Hit]:
    keys = np.array(list(hits), np.int64)
    order = best(keys, _scores(list(hits), hits), limit)
    return {key: hits[key] for key in keys[order].tolist()}


def _scores(keys: Sequence[int], hits: dict[int, Hit]) -> NDArray[np.float32]:
    return np.array([hits[key]["score"] if key in hits else 0.0 for key in keys], np.float32)
