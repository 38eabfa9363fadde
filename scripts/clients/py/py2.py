"""The Python SDK 2.x as a peer: python py2.py URL [MODE ...]"""

from contextlib import asynccontextmanager
from functools import partial

from mcp import Client

from checks import MODERN, as_json, run


class Peer:
    def __init__(self, client, mode, logged):
        self._client = client
        self.logged = logged
        self.revision = client.protocol_version
        # Pinned to a revision, the client sends no request to open the connection.
        self.asks_who_serves = mode in ("auto", "legacy")

    @property
    def server_name(self):
        return self._client.server_info and self._client.server_info.name

    async def tools(self):
        # The client may keep a list for as long as the server allows.
        return [as_json(tool) for tool in (await self._client.list_tools(cache_mode="refresh")).tools]

    async def call(self, name, arguments=None, timeout=None, on_progress=None):
        return as_json(await self._client.call_tool(name, arguments, timeout, on_progress))

    async def ask_for_logs(self):
        # On 2026-07-28 the client asks with every request.
        if self.revision != MODERN:
            await self._client.set_logging_level("info")


@asynccontextmanager
async def open_peer(url, mode):
    logged = []

    async def on_log(message):
        logged.append(message)

    async with Client(url, mode=mode, logging_callback=on_log, log_level="info") as client:
        yield Peer(client, mode, logged)


run(
    [
        ("py2", "2026-07-28", partial(open_peer, mode="auto")),
        ("py2-pin", "2026-07-28", partial(open_peer, mode="2026-07-28")),
        ("py2-legacy", "2025-11-25", partial(open_peer, mode="legacy")),
    ]
)
