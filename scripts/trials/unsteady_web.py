"""The web that `scripts/faults` crawls, in a thread of its own: pages by the script, weather by the seed, and a log of all.

Times are of this process's monotonic clock, which nobody sets. Each host has a port of its own.
"""

import asyncio
import threading
import time
from dataclasses import dataclass

from trials import streams, weather
from trials.living_pages import HOSTS, LATE, ROBOTS, STREAMS, Pages


@dataclass
class Contact:
    """A request as the server saw it."""

    host: str
    path: str
    act: int
    at: float
    # Which request of its connection it was.
    place: int
    # Before the last byte of the answer was given to the system; `None` if the answer has no end.
    ended: float | None = None
    bytes_sent: int = 0
    trouble: str = ""
    # Seconds for which the host asked to be left alone.
    asked_to_wait: int = 0
    # Whether the server looked at it, as far as it tells.
    was_seen: bool = True


class Exchange:
    """One request, for what mistreats it."""

    def __init__(self, web, contact, tag, reader, writer):
        self.web, self.contact, self.tag, self.reader, self.writer = web, contact, tag, reader, writer

    def answer(self):
        """What an honest host says."""
        host, path = self.contact.host, self.contact.path
        if path == "/robots.txt" and host in ROBOTS:
            return page([("Content-Type", "text/plain")], ROBOTS[host].encode())
        found = self.web.pages.answer(host, path)
        if found is None:
            return weather.status_only("404 Not Found")
        headers, body = found
        if self.tag is not None and ("ETag", self.tag) in headers:
            return f"HTTP/1.1 304 Not Modified\r\nETag: {self.tag}\r\n\r\n".encode()
        return page(headers, body)

    async def send(self, data):
        self.contact.bytes_sent += len(data)
        # What is sent in vain has ended too, as far as it was heard.
        self.contact.ended = time.monotonic()
        self.writer.write(data)
        await self.writer.drain()

    async def until_deserted(self, seconds):
        """Waits until the other end is gone."""
        try:
            await asyncio.wait_for(self.reader.read(1), seconds)
        except (TimeoutError, ConnectionError):
            pass


def page(headers, body):
    lines = "".join(f"{name}: {value}\r\n" for name, value in headers)
    return f"HTTP/1.1 200 OK\r\n{lines}Content-Length: {len(body)}\r\n\r\n".encode() + body


class UnsteadyWeb:
    def __init__(self, random, folder):
        self.tls, self.authority = streams.certified(folder, STREAMS)
        self.random, self.pages, self.log, self.act = random, Pages(), [], 0
        self.ports, self.spells, self.met = {}, {}, set()
        self.changed = threading.Condition()

    def start(self):
        ready = threading.Event()
        self.loop = asyncio.new_event_loop()
        threading.Thread(target=self.run, args=[ready], daemon=True).start()
        ready.wait()

    def run(self, ready):
        asyncio.set_event_loop(self.loop)
        servers = [self.loop.run_until_complete(self.listen(host)) for host in HOSTS]
        ready.set()
        self.loop.run_forever()
        for server in servers:
            server.close()
        for task in asyncio.all_tasks(self.loop):
            task.cancel()
        self.loop.run_until_complete(asyncio.sleep(0))

    def stop(self):
        self.loop.call_soon_threadsafe(self.loop.stop)

    async def listen(self, host):
        speak = lambda reader, writer: self.serve(host, reader, writer)
        if host == STREAMS:
            speak = lambda reader, writer: streams.Connection(self, host, reader, writer).serve()
        server = await asyncio.start_server(speak, "127.0.0.1", 0, ssl=self.tls if host == STREAMS else None)
        self.ports[host] = server.sockets[0].getsockname()[1]
        return server

    def resolve(self, late_is_known):
        return {host: f"127.0.0.1:{port}" for host, port in self.ports.items() if late_is_known or host != LATE}

    def begin_act(self, act, is_calm):
        """Another process may come now; the weather is drawn anew."""
        self.act, self.met = act, set()
        self.spells = {host: {} if is_calm else self.spell(host) for host in HOSTS}

    def spell(self, host):
        kinds = streams if host == STREAMS else weather
        return weather.spell(self.random, kinds.KINDS, kinds.SELDOM)

    def wait_for_requests(self, number, seconds):
        """Waits until so many requests came in this act; says whether they did."""
        arrived = lambda: sum(contact.act == self.act for contact in self.log[-2000:]) >= number
        with self.changed:
            return self.changed.wait_for(arrived, seconds)

    async def serve(self, host, reader, writer):
        place = 0
        try:
            while head := await self.request(reader):
                place += 1
                await self.handle(host, head, place, reader, writer)
            writer.close()
        except weather.Reset:
            weather.tear_down(writer)
        except (ConnectionError, asyncio.CancelledError):
            writer.close()

    async def request(self, reader):
        try:
            return (await reader.readuntil(b"\r\n\r\n")).decode("latin-1")
        except asyncio.IncompleteReadError:
            return None

    async def handle(self, host, head, place, reader, writer):
        contact = self.note(host, head.split(" ", 2)[1], place)
        exchange = Exchange(self, contact, tag_in(head), reader, writer)
        trouble = self.draw(host, contact)
        if trouble is None:
            return await exchange.send(exchange.answer())
        await trouble(exchange)

    def note(self, host, path, place):
        """A request came."""
        contact = Contact(host, path, self.act, time.monotonic(), place)
        with self.changed:
            self.log.append(contact)
            self.changed.notify_all()
        return contact

    def draw(self, host, contact):
        """What happens to a request, if anything does."""
        chance = self.random.random()
        for kind, share in self.spells[host].items():
            chance -= share
            if chance < 0:
                contact.trouble = kind.__name__.replace("_", "-")
                self.met.add(contact.trouble)
                return kind
        return None


def tag_in(head):
    place = head.lower().find("\r\nif-none-match:")
    return head[place + 16 :].split("\r\n", 1)[0].strip() if place >= 0 else None
