"""A websocket server and client with the library `websockets`. `websocket.py serve` prints its port and echoes.
`websocket.py talk PORT` talks to it through a proxy, and prints the received messages as JSON."""
import asyncio
import json
import os
import sys

from websockets.asyncio.client import connect
from websockets.asyncio.server import serve


PATIENT = {"open_timeout": 60, "close_timeout": 60, "ping_timeout": 60}


async def echo(socket):
    async for message in socket:
        if message == "close":
            await socket.close(4001, "as asked")
            return
        if message == "stream":
            for i in range(200):
                await socket.send(json.dumps({"type": "response.text.delta", "delta": f"word {i} "}))
            continue
        await socket.send(message)


async def run_server():
    async with serve(echo, "127.0.0.1", 0, max_size=8 << 20, **PATIENT) as server:
        print(server.sockets[0].getsockname()[1], flush=True)
        await asyncio.Future()


async def talk(port):
    seen = {}
    url = f"ws://127.0.0.1:{port}/v1/realtime?model=simulated"
    async with connect(url, max_size=8 << 20, subprotocols=None, **PATIENT, additional_headers={"Authorization": "Bearer secret-of-the-client"}) as socket:
        seen["accepted"] = socket.response.status_code
        await socket.send("hello")
        seen["hello"] = await socket.recv()
        big = os.urandom(4 << 20)
        await socket.send(big)
        seen["big"] = await socket.recv() == big
        await (await socket.ping())
        await socket.send("stream")
        seen["streamed"] = [json.loads(await socket.recv())["delta"] for _ in range(200)] == [f"word {i} " for i in range(200)]
        await socket.send("close")
        await socket.wait_closed()
        seen["close"] = [socket.close_code, socket.close_reason]
    sockets = [await connect(url, **PATIENT) for _ in range(20)]
    for i, one in enumerate(sockets):
        await one.send(f"number {i}")
    seen["many"] = [await one.recv() for one in sockets] == [f"number {i}" for i in range(20)]
    for one in sockets:
        await one.close()
    print(json.dumps(seen))


if sys.argv[1] == "serve":
    asyncio.run(run_server())
else:
    asyncio.run(talk(int(sys.argv[2])))
