"""A PostgreSQL server of one's own, from the system's programs, in a folder that is thrown away."""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
import time
from pathlib import Path

import psycopg

from tools.servers import MissingProgramError, free_port

USER = "spidervet"


def programs() -> Path | None:
    """The folder with initdb and postgres, newest version first; None where there is none."""
    found = sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"), reverse=True)
    if found:
        return found[0].parent
    initdb = shutil.which("initdb")
    return Path(initdb).parent if initdb else None


def need_programs() -> Path:
    """The programs. Raises MissingProgramError."""
    found = programs()
    if found is None:
        raise MissingProgramError("PostgreSQL's server programs")
    return found


class Postgres:
    """A server on a free port of 127.0.0.1; as root it runs as the user `postgres`, as it must.

    also: further addresses to listen on, for clients of their networks.
    """

    def __init__(self, also: tuple[str, ...] = ()) -> None:
        self._bin = need_programs()
        self._listen = ",".join(("127.0.0.1", *also))
        self.folder = Path(tempfile.mkdtemp(prefix="spidervet-pg-"))
        self.port = free_port()
        self._process: subprocess.Popen[bytes] | None = None
        if os.geteuid() == 0:
            shutil.chown(self.folder, "postgres", "postgres")
        options = ["-D", str(self.folder / "db"), "-U", USER, "--auth=trust", "-E", "UTF8", "--no-sync"]
        subprocess.run(self._as_user(["initdb", *options]), check=True, capture_output=True, cwd="/")
        with (self.folder / "db" / "pg_hba.conf").open("a") as file:
            file.writelines(f"host all all {address}/24 trust\n" for address in also)
        self.start()

    def _as_user(self, command: list[str]) -> list[str]:
        command = [str(self._bin / command[0]), *command[1:]]
        return ["runuser", "-u", "postgres", "--", *command] if os.geteuid() == 0 else command

    def start(self) -> None:
        options = ["-D", str(self.folder / "db"), "-p", str(self.port), "-h", self._listen, "-k", ""]
        options += ["-c", "fsync=off", "-c", "max_connections=60"]
        self._log = (self.folder.parent / f"{self.folder.name}.log").open("ab")
        self._process = subprocess.Popen(
            self._as_user(["postgres", *options]), stdout=self._log, stderr=self._log, cwd="/"
        )
        deadline = time.monotonic() + 30
        while True:
            try:
                psycopg.connect(self.dsn("postgres"), connect_timeout=2).close()
                return
            except psycopg.OperationalError:
                if time.monotonic() > deadline:
                    raise
                time.sleep(0.1)

    @property
    def server_pid(self) -> int:
        """The postmaster's process; its children serve the connections."""
        return int((self.folder / "db" / "postmaster.pid").read_text().split()[0])

    def stop(self, mode: str = "fast") -> None:
        """Stop it: fast, or immediate, which is as a crash."""
        command = ["pg_ctl", "-D", str(self.folder / "db"), "stop", "-m", mode, "-w"]
        subprocess.run(self._as_user(command), check=True, capture_output=True, cwd="/")
        assert self._process is not None
        self._process.wait(30)
        self._log.close()

    def close(self) -> None:
        self.stop("immediate")
        shutil.rmtree(self.folder, ignore_errors=True)
        self.folder.parent.joinpath(f"{self.folder.name}.log").unlink(missing_ok=True)

    def dsn(self, database: str) -> str:
        return f"host=127.0.0.1 port={self.port} user={USER} dbname={database}"

    def url(self, database: str) -> str:
        return f"postgresql://{USER}@127.0.0.1:{self.port}/{database}"

    def create(self, name: str, template: str = "template0") -> str:
        """Make a database; gives its URL."""
        with psycopg.connect(self.dsn("postgres"), autocommit=True) as conn:
            conn.execute(f'create database "{name}" template "{template}"'.encode())
        return self.url(name)

    def drop(self, name: str) -> None:
        with psycopg.connect(self.dsn("postgres"), autocommit=True) as conn:
            conn.execute(f'drop database if exists "{name}" with (force)'.encode())
