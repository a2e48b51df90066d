"""An nginx of our own on a free loopback port, with a name for each folder it serves; nothing of the system's is touched."""

import os
import shutil
import socket
import subprocess
import sys
import time

CONFIGURATION = """
{user}
worker_processes 1;
daemon off;
pid nginx.pid;
error_log error.log warn;
events {{ worker_connections 1024; }}
http {{
    include /etc/nginx/mime.types;
    access_log off;
    absolute_redirect off;
    keepalive_timeout 1h;
    keepalive_requests 1000000000;
    server_names_hash_bucket_size 128;
    client_body_temp_path temporary;
    proxy_temp_path temporary;
    fastcgi_temp_path temporary;
    uwsgi_temp_path temporary;
    scgi_temp_path temporary;
    {servers}
}}
"""
SERVER = 'server {{ listen 127.0.0.1:{port}; server_name {name}; root "{root}"; index index.html; }}'


class Nginx:
    """Serves folders, by name, while the `with` block lasts."""

    def __init__(self, place, roots):
        self.place, self.roots, self.port, self.process = place, roots, free_port(), None

    @property
    def address(self):
        return f"127.0.0.1:{self.port}"

    def __enter__(self):
        program = shutil.which("nginx") or "/usr/sbin/nginx"
        # A master that runs as root would give its worker to a user who may not read everything.
        user = "user root;" if os.geteuid() == 0 else ""
        servers = "\n    ".join(SERVER.format(port=self.port, name=name, root=root) for name, root in self.roots.items())
        self.place.mkdir(parents=True)
        (self.place / "nginx.conf").write_text(CONFIGURATION.format(user=user, servers=servers))
        self.process = subprocess.Popen([program, "-p", self.place, "-c", self.place / "nginx.conf", "-e", self.place / "error.log"])
        self.wait()
        return self

    def __exit__(self, *_):
        self.process.terminate()
        self.process.wait()

    def wait(self):
        for _ in range(100):
            try:
                return socket.create_connection(("127.0.0.1", self.port), timeout=1).close()
            except OSError:
                time.sleep(0.1)
        self.__exit__()
        sys.exit(f"nginx did not start; see {self.place}/error.log")


def free_port():
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return listener.getsockname()[1]
