"""An HTTP/2 server made of hyper-h2: every host it answers for has the same pages and a fault of its own.

usage: h2_server.py CERTIFICATE KEY PAGES

Says its port on the first line, then what happens, an object a line; ends with its input. The front page of a host links to
/1, /2 and so on. The first name of a host says which fault it has; see the classes below.
"""

import json
import random
import socket
import ssl
import sys
import threading
import time

from h2.config import H2Configuration
from h2.connection import H2Connection
from h2.errors import ErrorCodes
from h2.events import RequestReceived, SettingsAcknowledged
from h2.exceptions import ProtocolError
from h2.settings import SettingCodes, Settings
from hyperframe.frame import DataFrame, GoAwayFrame, PingFrame

PAGES = int(sys.argv[3])
FLOOD = 20_000
printing = threading.Lock()


def say(told):
    with printing:
        print(json.dumps(told), flush=True)


class Connection:
    """A connection without a fault."""

    streams = 100

    def __init__(self, host, number, sock):
        self.host, self.number, self.sock = host, number, sock
        self.answered = 0
        self.http = H2Connection(H2Configuration(client_side=False, header_encoding="utf-8"))
        allowed = {SettingCodes.MAX_CONCURRENT_STREAMS: self.streams}
        self.http.local_settings = Settings(client=False, initial_values=allowed)

    def serve(self):
        self.say("opened")
        self.http.initiate_connection()
        self.flush()
        self.begin()
        while received := self.sock.recv(1 << 16):
            for event in self.taken(received):
                if isinstance(event, RequestReceived):
                    path = dict(event.headers)[":path"]
                    self.say("asked", path)
                    self.asked(event.stream_id, path)
                elif isinstance(event, SettingsAcknowledged):
                    self.settled(event.changed_settings)
            self.flush()

    def taken(self, received):
        """What the client sent, which hyper-h2 holds against the rules."""
        try:
            return self.http.receive_data(received)
        except ProtocolError as error:
            self.say(f"objected: {error!r}")
            raise OSError from error

    def begin(self):
        """The connection is open."""

    def asked(self, stream, path):
        """A request came."""
        self.answer(stream, path)

    def settled(self, changed):
        """The client has taken in our settings."""

    def answer(self, stream, path, fields=()):
        status, page = ("404", "") if path == "/robots.txt" else ("200", self.page(path))
        self.http.send_headers(stream, [(":status", status), ("content-type", "text/html"), *fields])
        self.http.send_data(stream, page.encode(), end_stream=True)
        self.answered += 1
        self.flush()

    def page(self, path):
        links = "".join(f'<a href="/{page}">{page}</a> ' for page in range(1, PAGES + 1)) if path == "/" else ""
        return f"<title>{path}</title><p>The page {path} of {self.host}. {links}"

    def has_begun(self):
        """Whether this is the first connection, and robots.txt and the front page went over it."""
        return self.number == 0 and self.answered >= 2

    def go_away(self, last):
        self.say("went away")
        self.flush()
        self.sock.sendall(GoAwayFrame(0, last_stream_id=last).serialize())

    def flush(self):
        self.sock.sendall(self.http.data_to_send())

    def say(self, event, path=None):
        say({"host": self.host, "connection": self.number, "event": event, "path": path})


class Dead(Connection):
    """The first connection takes a request and is silent from then on, to signs of life too."""

    def asked(self, stream, path):
        if self.has_begun():
            self.say("died")
            threading.Event().wait()
        self.answer(stream, path)


class Deaf(Connection):
    """The first connection answers no request any more, but signs of life."""

    def asked(self, stream, path):
        if self.has_begun():
            self.say("is deaf")
        else:
            self.answer(stream, path)


class Leaving(Connection):
    """Two connections go away before they looked at anything, the others after three answers."""

    def begin(self):
        if self.number in (0, 4):
            self.go_away(0)

    def asked(self, stream, path):
        if self.number in (0, 4) or self.answered == 3:
            return
        self.answer(stream, path)
        if self.answered == 3:
            self.go_away(stream)


class Parting(Connection):
    """The first connection goes away when two requests are under way, and answers only the first of them."""

    held = None

    def asked(self, stream, path):
        if not self.has_begun():
            self.answer(stream, path)
        elif self.held is None:
            self.held = (stream, path)
        elif self.held:
            self.go_away(self.held[0])
            held, self.held = self.held, ()
            self.answer(*held)


class Refusing(Connection):
    """Refuses every page once."""

    known = set()

    def asked(self, stream, path):
        if path in self.known:
            self.answer(stream, path)
        else:
            self.known.add(path)
            self.say("refused", path)
            self.http.reset_stream(stream, ErrorCodes.REFUSED_STREAM)


class Limiting(Connection):
    """One stream at a time; none after three answers, and one again after a while. What goes beyond is an error to hyper-h2."""

    streams = 1

    def asked(self, stream, path):
        self.answer(stream, path)
        if self.answered == 3:
            self.http.update_settings({SettingCodes.MAX_CONCURRENT_STREAMS: 0})

    def settled(self, changed):
        limit = changed.get(SettingCodes.MAX_CONCURRENT_STREAMS)
        if limit and limit.new_value == 0:
            self.say("allows none")
            time.sleep(0.2)
            self.http.update_settings({SettingCodes.MAX_CONCURRENT_STREAMS: 1})


class Closing(Connection):
    """One stream a connection, for its first answer, and none from then on."""

    streams = 1

    def asked(self, stream, path):
        self.answer(stream, path)
        self.http.update_settings({SettingCodes.MAX_CONCURRENT_STREAMS: 0})


class Heads(Connection):
    """Two pages have heads larger than anybody takes; the second cannot even be skipped."""

    def asked(self, stream, path):
        fields, length = {"/3": (80, 1000), "/4": (40, 15_000)}.get(path, (0, 0))
        letters = "abcdefghijklmnopqrstuvwxyz0123456789"
        self.answer(stream, path, [(f"x-{field}", "".join(random.choices(letters, k=length))) for field in range(fields)])


class Flooding(Connection):
    """One page comes after a flood of pings, one after a flood of nothing."""

    def asked(self, stream, path):
        if path == "/5":
            self.sock.sendall(PingFrame(0, b"flooding").serialize() * FLOOD)
        elif path == "/6":
            self.http.send_headers(stream, [(":status", "200"), ("content-type", "text/html")])
            self.flush()
            self.sock.sendall(DataFrame(stream, b"").serialize() * FLOOD)
            self.http.end_stream(stream)
            return
        self.answer(stream, path)


class Halved(Connection):
    """The first connection takes a request and closes its half; ours stays open."""

    def asked(self, stream, path):
        if self.has_begun():
            self.say("closed its half")
            try:
                self.sock.unwrap()
            finally:
                threading.Event().wait()
        self.answer(stream, path)


FAULTS = {
    fault.__name__.lower(): fault
    for fault in [Dead, Deaf, Leaving, Parting, Refusing, Limiting, Closing, Heads, Flooding, Halved]
}
opened = {}


def serve(plain, context):
    sock = context.wrap_socket(plain, server_side=True, do_handshake_on_connect=False)
    try:
        sock.do_handshake()
        host = names.pop(sock, "")
        with printing:
            number = opened[host] = opened.get(host, -1) + 1
        FAULTS.get(host.split(".")[0], Connection)(host, number, sock).serve()
    except OSError:
        pass  # the client went away


names = {}
context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
context.load_cert_chain(sys.argv[1], sys.argv[2])
context.set_alpn_protocols(["h2"])
context.sni_callback = lambda sock, name, context: names.__setitem__(sock, name)
listener = socket.create_server(("127.0.0.1", 0), backlog=128)
print(listener.getsockname()[1], flush=True)


def accept():
    while True:
        plain, _ = listener.accept()
        plain.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        threading.Thread(target=serve, args=(plain, context), daemon=True).start()


threading.Thread(target=accept, daemon=True).start()
sys.stdin.read()
