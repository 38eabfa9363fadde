"""The Python SDK 2.x as a peer: python py2.py URL [MODE ...]"""

from contextlib import asynccontextmanager
from functools import partial

from mcp import Client, types

from checks import MODERN, Respondent, as_json, run


class Peer:
    def __init__(self, client, mode, logged, asked):
        self._client = client
        self.logged = logged
        self.asked = asked
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
    respondent = Respondent()

    async def on_log(message):
        logged.append(message)

    async def elicit(_, params):
        return types.ElicitResult.model_validate(respondent.elicit(params))

    async def sample(_, params):
        return types.CreateMessageResult.model_validate(respondent.sample(params))

    async def roots(_):
        return types.ListRootsResult.model_validate(respondent.roots())

    async with Client(
        url,
        mode=mode,
        logging_callback=on_log,
        log_level="info",
        elicitation_callback=elicit,
        sampling_callback=sample,
        list_roots_callback=roots,
    ) as client:
        yield Peer(client, mode, logged, respondent.asked)


run(
    [
        ("py2", "2026-07-28", partial(open_peer, mode="auto")),
        ("py2-pin", "2026-07-28", partial(open_peer, mode="2026-07-28")),
        ("py2-legacy", "2025-11-25", partial(open_peer, mode="legacy")),
    ]
)
