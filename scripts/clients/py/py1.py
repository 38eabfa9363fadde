"""The Python SDK 1.x as a peer: python py1.py URL"""

from contextlib import asynccontextmanager
from datetime import timedelta

from mcp import ClientSession
from mcp.client.streamable_http import streamable_http_client

from checks import as_json, run


class Peer:
    def __init__(self, session, hello):
        self._session = session
        self.revision = hello.protocolVersion
        self.server_name = hello.serverInfo.name

    async def tools(self):
        return [as_json(tool) for tool in (await self._session.list_tools()).tools]

    async def call(self, name, arguments=None, timeout=None):
        limit = timeout and timedelta(seconds=timeout)
        return as_json(await self._session.call_tool(name, arguments, read_timeout_seconds=limit))


@asynccontextmanager
async def open_peer(url):
    async with streamable_http_client(url) as (read, write, _), ClientSession(read, write) as session:
        yield Peer(session, await session.initialize())


run([("py1", "2025-11-25", open_peer)])
