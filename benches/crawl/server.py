"""An nginx of our own on a free loopback port: no file of the system's nginx is read or written."""

import os
import re
import shutil
import socket
import subprocess
import time
import urllib.request

from measure import BenchError

# One worker: the other core of two is the client's. Only 304 answers are logged, so a first crawl costs no logging.
CONFIGURATION = """
{user}
worker_processes 1;
daemon off;
pid nginx.pid;
error_log error.log warn;
events {{ worker_connections 1024; }}
http {{
    types {{ text/html html; text/plain txt; }}
    charset utf-8;
    map $status $unchanged {{ 304 1; default 0; }}
    log_format unchanged '$request_uri';
    access_log unchanged.log unchanged buffer=64k flush=100ms if=$unchanged;
    sendfile on;
    tcp_nodelay on;
    keepalive_timeout 1h;
    keepalive_requests 1000000000;
    client_body_temp_path temporary;
    proxy_temp_path temporary;
    fastcgi_temp_path temporary;
    uwsgi_temp_path temporary;
    scgi_temp_path temporary;
    server {{
        listen 127.0.0.1:{port} backlog=1024;
        root "{root}";
        etag on;
        location = /-/requests {{ stub_status; }}
    }}
}}
"""


class Server:
    """Serves `root` while the `with` block lasts. `folder` takes its configuration and logs."""

    def __init__(self, folder, root):
        self.folder, self.root, self.port, self.process = folder, root, free_port(), None

    @property
    def origin(self):
        return f"http://127.0.0.1:{self.port}"

    def __enter__(self):
        shutil.rmtree(self.folder, ignore_errors=True)
        self.folder.mkdir(parents=True)
        # A master that runs as root would give its worker to a user who may not read the repository.
        user = "user root;" if os.geteuid() == 0 else ""
        configuration = self.folder / "nginx.conf"
        configuration.write_text(CONFIGURATION.format(user=user, port=self.port, root=self.root))
        nginx = shutil.which("nginx") or "/usr/sbin/nginx"
        self.process = subprocess.Popen(
            [nginx, "-p", self.folder, "-c", configuration, "-e", self.folder / "error.log"]
        )
        try:
            self.wait_until_up()
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_):
        self.process.terminate()
        self.process.wait()

    def wait_until_up(self):
        for _ in range(100):
            if self.process.poll() is not None:
                break
            try:
                return self.requests()
            except OSError:
                time.sleep(0.05)
        raise BenchError(f"nginx does not answer on {self.origin}: see {self.folder / 'error.log'}")

    def requests(self):
        """Requests served so far, this question included."""
        direct = urllib.request.build_opener(urllib.request.ProxyHandler({}))
        with direct.open(f"{self.origin}/-/requests", timeout=5) as answer:
            return int(re.search(r"\n \d+ \d+ (\d+)", answer.read().decode())[1])

    def unchanged(self):
        """304 answers so far."""
        time.sleep(0.5)  # nginx writes its log every 100 ms
        with (self.folder / "unchanged.log").open() as log:
            return sum(1 for _ in log)


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]
