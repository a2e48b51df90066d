"""A host that speaks HTTP/2 over TLS, by hyper-h2, and goes away, refuses and falls silent as its weather says.

Its certificate is from an authority of the trial's own, valid long before and after now, since the clock is set too.
"""

import asyncio
import datetime
import ssl
import time

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from h2.config import H2Configuration
from h2.connection import H2Connection
from h2.errors import ErrorCodes
from h2.events import RequestReceived
from h2.exceptions import ProtocolError
from hyperframe.frame import GoAwayFrame

from trials import weather


class Connection:
    """One connection; requests come one after the other, since the host has one at a time."""

    def __init__(self, web, host, reader, writer):
        self.web, self.host, self.reader, self.writer = web, host, reader, writer
        self.http, self.place, self.last = H2Connection(H2Configuration(client_side=False, header_encoding="utf-8")), 0, 0

    async def serve(self):
        try:
            self.http.initiate_connection()
            await self.flush()
            while received := await self.reader.read(1 << 16):
                for event in self.http.receive_data(received):
                    if isinstance(event, RequestReceived):
                        await self.handle(event.stream_id, dict(event.headers))
                await self.flush()
        except weather.Reset:
            weather.tear_down(self.writer)
        except (OSError, ProtocolError, asyncio.CancelledError):
            self.writer.close()

    async def handle(self, stream, headers):
        self.place += 1
        contact = self.web.note(self.host, headers[":path"], self.place)
        trouble = self.web.draw(self.host, contact)
        await (trouble or answer)(self, stream, contact, headers.get("if-none-match"))

    async def send(self, stream, contact, status, headers, body=b""):
        contact.ended, contact.bytes_sent = time.monotonic(), 1
        self.last = stream
        self.http.send_headers(stream, [(":status", status), *((name.lower(), value) for name, value in headers)], end_stream=not body)
        # Pages are larger than a frame and smaller than the window.
        for start in range(0, len(body), 16_000):
            self.http.send_data(stream, body[start : start + 16_000], end_stream=start + 16_000 >= len(body))
        await self.flush()

    async def flush(self):
        self.writer.write(self.http.data_to_send())
        await self.writer.drain()

    async def go_away(self, last):
        """Says which request was the last that was looked at."""
        await self.flush()
        self.writer.write(GoAwayFrame(0, last_stream_id=last).serialize())
        await self.writer.drain()


async def answer(connection, stream, contact, tag):
    """What an honest host says."""
    found = connection.web.pages.answer(contact.host, contact.path)
    if found is None:
        return await connection.send(stream, contact, "404", [])
    headers, body = found
    if tag is not None and ("ETag", tag) in headers:
        return await connection.send(stream, contact, "304", [("ETag", tag)])
    await connection.send(stream, contact, "200", headers, body)


async def goaway(connection, stream, contact, tag):
    """The answer is the last on this connection."""
    await answer(connection, stream, contact, tag)
    await connection.go_away(stream)
    raise ConnectionError


async def goaway_unseen(connection, stream, contact, tag):
    """The connection ends, and the request was not looked at: it may be sent again at once."""
    contact.was_seen = False
    await connection.go_away(connection.last)
    raise ConnectionError


async def refused_stream(connection, stream, contact, tag):
    """The request was not looked at."""
    contact.was_seen = False
    connection.http.reset_stream(stream, ErrorCodes.REFUSED_STREAM)


async def dead_connection(connection, stream, contact, tag):
    """Nothing comes any more, to signs of life neither."""
    await asyncio.sleep(weather.FOR_EVER)
    raise weather.Reset


async def reset_connection(connection, stream, contact, tag):
    """The connection is torn down."""
    raise weather.Reset


async def busy_stream(connection, stream, contact, tag):
    """503, and when to come back."""
    contact.asked_to_wait = 2
    await connection.send(stream, contact, "503", [("Retry-After", "2")])


KINDS = [goaway, goaway_unseen, refused_stream, dead_connection, reset_connection, busy_stream]
SELDOM = {dead_connection, busy_stream}


def certified(folder, host):
    """The TLS of a host, and the file of the authority that answers for it."""
    now, keys = datetime.datetime.now(datetime.timezone.utc), [ec.generate_private_key(ec.SECP256R1()) for _ in range(2)]
    names = [x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, name)]) for name in ("trial", host)]
    files = [folder.with_suffix(suffix) for suffix in (".authority", ".certificate", ".key")]
    for number, file in enumerate(files[:2]):
        certificate = x509.CertificateBuilder().subject_name(names[number]).issuer_name(names[0]).public_key(keys[number].public_key())
        certificate = certificate.serial_number(x509.random_serial_number())
        certificate = certificate.not_valid_before(now - datetime.timedelta(9)).not_valid_after(now + datetime.timedelta(9))
        certificate = certificate.add_extension(x509.BasicConstraints(ca=number == 0, path_length=None), critical=True)
        certificate = certificate.add_extension(x509.SubjectAlternativeName([x509.DNSName(host)]), critical=False)
        file.write_bytes(certificate.sign(keys[0], hashes.SHA256()).public_bytes(serialization.Encoding.PEM))
    encoding, no_password = serialization.Encoding.PEM, serialization.NoEncryption()
    files[2].write_bytes(keys[1].private_bytes(encoding, serialization.PrivateFormat.PKCS8, no_password))
    context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    context.load_cert_chain(files[1], files[2])
    context.set_alpn_protocols(["h2"])
    return context, files[0]
