"""What hosts do wrong: each kind of trouble is a coroutine that mistreats one request.

They are drawn when a request comes, by the host's own share of each kind, so that a host has a bad spell of something and not
all of everything.
"""

import asyncio
import socket
import struct

# Longer than any time-out in the trial's settings.
FOR_EVER = 30


class Reset(Exception):
    """The connection is to be torn down."""


async def reset(exchange):
    """The connection is torn down instead of an answer."""
    raise Reset


async def silence(exchange):
    """Nothing comes."""
    await exchange.until_deserted(FOR_EVER)
    raise Reset


async def half_head(exchange):
    """The head breaks off."""
    await exchange.send(b"HTTP/1.1 200 OK\r\nContent-Ty")
    raise ConnectionError


async def half_body(exchange):
    """The body breaks off."""
    answer = exchange.answer()
    await exchange.send(answer[: len(answer) - min(60, len(answer) // 3)])
    raise ConnectionError


async def stalled_body(exchange):
    """The body begins and does not end."""
    answer = exchange.answer()
    await exchange.send(answer[: len(answer) - 40])
    await exchange.until_deserted(FOR_EVER)
    raise Reset


async def slow_body(exchange):
    """All of it comes, bit by bit."""
    answer = exchange.answer()
    part = len(answer) // 8 + 1
    for start in range(0, len(answer) - part, part):
        await exchange.send(answer[start : start + part])
        await asyncio.sleep(0.05)
    last = (len(answer) - 1) // part * part
    await exchange.send(answer[last:])


async def garbage(exchange):
    """What comes is no HTTP."""
    await exchange.send(b"\x00\xff\x13\x37 no protocol\r\n\r\n")
    raise ConnectionError


async def broken(exchange):
    """500."""
    await exchange.send(status_only("500 Internal Server Error"))


async def busy(exchange):
    """503, and when to come back."""
    exchange.contact.asked_to_wait = 2
    await exchange.send(status_only("503 Service Unavailable", "Retry-After: 2\r\n"))


async def too_many(exchange):
    """429 without a word on when to come back."""
    await exchange.send(status_only("429 Too Many Requests"))


async def goodbye(exchange):
    """A good answer, after which the connection is closed without having said so."""
    await exchange.send(exchange.answer())
    raise ConnectionError


KINDS = [reset, silence, half_head, half_body, stalled_body, slow_body, garbage, broken, busy, too_many, goodbye]
# Waiting for a time-out takes long, so these come seldom.
SELDOM = {silence, stalled_body, busy}


def status_only(status, headers=""):
    return f"HTTP/1.1 {status}\r\n{headers}Content-Length: 0\r\n\r\n".encode()


def spell(random, kinds, seldom):
    """A host's weather: kinds of trouble with the share of requests that each meets."""
    chosen = random.sample(kinds, random.choice([0, 1, 1, 2, 3]))
    return {kind: random.uniform(0.02, 0.06 if kind in seldom else 0.2) for kind in chosen}


def tear_down(writer):
    """Closes a connection so that the other end reads a reset."""
    connection = writer.get_extra_info("socket")
    # It may be closed already, by the other end.
    if connection is not None and connection.fileno() >= 0:
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    writer.transport.abort()
