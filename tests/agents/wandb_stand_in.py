"""A server on this machine that answers wandb as its service does, as far as a run needs it.

What a run sends is kept. It can be made to stop answering, as a network does that goes away.
"""

from __future__ import annotations

import contextlib
import http.server
import json
import threading
from collections.abc import Iterator
from typing import Any


class StandIn(http.server.ThreadingHTTPServer):
    """Answers until ``silent`` is set, and holds every connection open from then on."""

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Answers)
        self.silent = threading.Event()
        self.ended = threading.Event()
        self.history: list[dict[str, Any]] = []
        self.paths: list[str] = []

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}"


@contextlib.contextmanager
def stand_in() -> Iterator[StandIn]:
    server = StandIn()
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield server
    finally:
        server.ended.set()
        server.shutdown()
        server.server_close()
        thread.join()


class _Answers(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def _answer(self) -> None:
        server = self.server
        assert isinstance(server, StandIn)
        body = self.rfile.read(int(self.headers.get("content-length", 0)))
        if server.silent.is_set():
            server.ended.wait()
            return
        server.paths.append(self.path)
        data: dict[str, Any] = {}
        if self.path == "/graphql":
            asked = json.loads(body)
            data = {"data": _answered(asked["query"], asked.get("variables") or {})}
        elif self.path.endswith("/file_stream"):
            sent = json.loads(body).get("files", {}).get("wandb-history.jsonl", {})
            server.history += [json.loads(line) for line in sent.get("content", [])]
        answer = json.dumps(data).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(answer)))
        self.end_headers()
        self.wfile.write(answer)

    do_GET = do_POST = do_PUT = _answer  # noqa: N815 -- names of http.server

    def log_message(self, format: str, *args: Any) -> None:
        """Say nothing."""


def _answered(query: str, variables: dict[str, Any]) -> dict[str, Any]:
    if "upsertBucket" in query:
        project = {"id": "p", "name": "carrom-rl", "entity": {"id": "e", "name": "e"}}
        bucket = {
            "id": "b",
            "name": variables.get("name"),
            "displayName": "run",
            "description": "",
            "config": "{}",
            "sweepName": None,
            "historyLineCount": 0,
            "project": project,
        }
        return {"upsertBucket": {"bucket": bucket, "inserted": True}}
    if "createRunFiles" in query:
        files = [{"name": name, "uploadUrl": ""} for name in variables.get("files", [])]
        return {"createRunFiles": {"runID": "b", "uploadHeaders": [], "files": files}}
    if "createArtifact(" in query:
        # Known already, so that nothing is to be sent.
        artifact = {"id": "a", "state": "COMMITTED", "artifactSequence": {"id": "s"}}
        return {"createArtifact": {"artifact": artifact}}
    if "useArtifact(" in query:
        return {"useArtifact": {"artifact": {"id": "a"}}}
    if "query ArtifactType" in query:
        return {"project": {"artifact": None}}
    if "viewer" in query:
        teams: dict[str, Any] = {"edges": []}
        return {
            "viewer": {"id": "v", "username": "u", "entity": "e", "flags": "{}", "teams": teams}
        }
    return {}
