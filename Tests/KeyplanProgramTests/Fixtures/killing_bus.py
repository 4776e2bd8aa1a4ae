"""Forwards the messages of a D-Bus session bus. It kills a program between the effect of a method and its reply.

usage: killing_bus.py SOCKET FOLDER     the bus's socket

Listens at FOLDER/bus, and says so with an empty line. If FOLDER has a file `armed`, which contains names of methods, the first
call of one of them is forwarded, its reply is awaited, the file is removed, and the process whose number is in FOLDER/pid is
killed instead of getting the reply.
"""
import os
import re
import signal
import socket
import struct
import sys
import threading

BUS, FOLDER = sys.argv[1:]
ARMED = os.path.join(FOLDER, "armed")


def messages(data):
    """Takes whole lines of the authentication and whole messages out of the data: (type, serial, reply to, method, bytes)."""
    while data:
        if len(data) < 16 or data[1] > 4:
            line = re.match(rb"\0?[^\r]*\r\n", bytes(data))
            if not line:
                return
            yield None, 0, 0, b"", take(data, line.end())
            continue
        order = "<" if data[0] == ord("l") else ">"
        body, serial, fields = struct.unpack_from(order + "III", data, 4)
        size = 16 + (fields + 7) // 8 * 8 + body
        if len(data) < size:
            return
        header = bytes(data[16:16 + fields])
        # Field 3 is the method, a string; field 5 the call that is answered, a number.
        method = re.search(rb"\x03\x01s\0....([A-Za-z]+)\0", header, re.S)
        reply = re.search(rb"\x05\x01u\0(....)", header, re.S)
        yield (data[1], serial, struct.unpack(order + "I", reply[1])[0] if reply else 0, method[1] if method else b"",
               take(data, size))


def take(data, count):
    taken = bytes(data[:count])
    del data[:count]
    return taken


def is_deadly(method):
    if not os.path.exists(ARMED):
        return False
    with open(ARMED) as file:
        if method.decode() not in file.read().split():
            return False
    os.unlink(ARMED)
    return True


def receive(one):
    try:
        return one.recv(65536)
    except OSError:  # reset by a killed program, or closed by the other direction
        return b""


def forward(one, other, deadly, is_program):
    data = bytearray()
    while more := receive(one):
        data += more
        for kind, serial, reply, method, message in messages(data):
            if is_program and kind == 1 and is_deadly(method):
                deadly.add(serial)
            if not is_program and kind in (2, 3) and reply in deadly:
                with open(os.path.join(FOLDER, "pid")) as file:
                    os.kill(int(file.read()), signal.SIGKILL)
                return
            other.sendall(message)
    other.close()


LISTENER = socket.socket(socket.AF_UNIX)
LISTENER.bind(os.path.join(FOLDER, "bus"))
LISTENER.listen()


def serve():
    while True:
        program, bus, deadly = LISTENER.accept()[0], socket.socket(socket.AF_UNIX), set()
        bus.connect(BUS)
        for one, other, is_program in ((program, bus, True), (bus, program, False)):
            threading.Thread(target=forward, args=(one, other, deadly, is_program), daemon=True).start()


threading.Thread(target=serve, daemon=True).start()
print(flush=True)
sys.stdin.read()
