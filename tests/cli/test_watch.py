"""`watch` outlives a restart of the service that it follows."""

from __future__ import annotations

import json
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from click.testing import Result
from typer.testing import CliRunner

from cli.main import app

RUNNING: dict[str, Any] = {
    "name": "nightly",
    "state": "running",
    "counts": {"done": 1, "failed": 0, "total": 2},
    "progress": 0.0,
    "eta_s": None,
    "arms": [],
}
DONE = RUNNING | {"state": "completed", "progress": 1.0, "counts": {"done": 2, "failed": 0, "total": 2}}


class Answers(BaseHTTPRequestHandler):
    """A job whose stream of events is cut off before its length."""

    detail = RUNNING
    followed = threading.Event()

    def do_GET(self) -> None:
        stream = self.path.endswith("/events")
        if stream:
            self.followed.set()
        body = b"event: progress\ndata: {}\n\n" if stream else json.dumps(self.detail).encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(body) + 100 * stream))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None: ...


class DoneAnswers(Answers):
    detail = DONE


def serve(port: int, answers: type[Answers]) -> ThreadingHTTPServer:
    server = ThreadingHTTPServer(("127.0.0.1", port), answers)
    threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True).start()
    return server


def test_watch_goes_on_when_the_service_is_back() -> None:
    first = serve(0, Answers)
    port = first.server_address[1]
    later: list[ThreadingHTTPServer] = []

    def restart() -> None:
        assert Answers.followed.wait(60)
        first.shutdown()
        first.server_close()
        time.sleep(2)
        later.append(serve(port, DoneAnswers))

    thread = threading.Thread(target=restart)
    thread.start()
    watched: Result = CliRunner().invoke(app, ["watch", "j", "--url", f"http://127.0.0.1:{port}", "--json"])
    thread.join()
    for server in later:
        server.shutdown()
        server.server_close()
    assert watched.exit_code == 0, watched.stderr
    assert json.loads(watched.stdout)["state"] == "completed"
    assert "the connection broke off" in watched.stderr
