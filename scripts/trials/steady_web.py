"""A web that never fails and is as quick as one thread allows: pages that change with every tenth visit, 304 otherwise."""

import asyncio
import threading
import time

CHANGES_EVERY = 10
WORDS = "the quick brown fox jumps over a lazy dog while seven wizards box in the hazy morning light".split()


class SteadyWeb:
    def __init__(self, hosts, pages):
        self.hosts = [f"host{number}.test" for number in range(hosts)]
        self.pages, self.port, self.first_request = pages, None, None
        self.asked = [0] * pages
        self.bodies = [self.body(number) for number in range(pages)]

    def resolve(self):
        return {host: f"127.0.0.1:{self.port}" for host in self.hosts}

    def url(self, number):
        return f"http://{self.hosts[number % len(self.hosts)]}/page/{number}"

    def seeds(self):
        return [self.url(number) for number in range(self.pages)]

    def body(self, number):
        """Some 4 KB of text that no other page has."""
        words = [f"{WORDS[(number * 7 + place * place) % len(WORDS)]}{(number * 31 + place) % 97}" for place in range(560)]
        return " ".join(words)

    def answer(self, path, tag):
        """The answer to a request for a path that names a version by its tag, if any."""
        if not path.startswith("/page/"):
            return b"HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n"
        number = int(path[6:])
        # As if every page had another birthday, so that a tenth of them changes in each cycle.
        version = (self.asked[number] + number) // CHANGES_EVERY
        self.asked[number] += 1
        current = f'"{number}-{version}"'
        head = f"Date: Mon, 01 Jan 2024 00:00:00 GMT\r\nServer: steady\r\nETag: {current}\r\n"
        if tag == current:
            return f"HTTP/1.1 304 Not Modified\r\n{head}\r\n".encode()
        body = f"<!doctype html><title>Page {number}</title><p>Version {version} of {self.bodies[number]}".encode()
        return f"HTTP/1.1 200 OK\r\n{head}Content-Type: text/html\r\nContent-Length: {len(body)}\r\n\r\n".encode() + body


class Connection(asyncio.Protocol):
    def __init__(self, web):
        self.web, self.buffer = web, b""

    def connection_made(self, transport):
        self.transport = transport

    def data_received(self, data):
        self.buffer += data
        while (end := self.buffer.find(b"\r\n\r\n")) >= 0:
            head, self.buffer = self.buffer[:end].decode("latin-1"), self.buffer[end + 4 :]
            if self.web.first_request is None:
                self.web.first_request = time.monotonic()
            self.transport.write(self.web.answer(head.split(" ", 2)[1], tag_in(head)))


def tag_in(head):
    place = head.lower().find("\r\nif-none-match:")
    return head[place + 16 :].split("\r\n", 1)[0].strip() if place >= 0 else None


def start(hosts, pages):
    """A web that answers, in a thread of its own."""
    web, ready = SteadyWeb(hosts, pages), threading.Event()

    async def serve():
        server = await asyncio.get_running_loop().create_server(lambda: Connection(web), "127.0.0.1", 0)
        web.port = server.sockets[0].getsockname()[1]
        ready.set()
        await server.serve_forever()

    threading.Thread(target=lambda: asyncio.run(serve()), daemon=True).start()
    ready.wait()
    return web
