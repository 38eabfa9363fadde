"""The Python SDK 2.x as a peer: python py2.py URL [MODE ...]"""

from contextlib import asynccontextmanager
from dataclasses import asdict
from functools import partial

from mcp import Client, types
from mcp.client.subscriptions import PromptsListChanged, ResourceUpdated, ToolsListChanged

from checks import MODERN, Respondent, as_json, run


# The client may keep what it got for as long as the server allows.
ANEW = {"cache_mode": "refresh"}


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
        return [as_json(tool) for tool in (await self._client.list_tools(**ANEW)).tools]

    async def call(self, name, arguments=None, timeout=None, on_progress=None):
        return as_json(await self._client.call_tool(name, arguments, timeout, on_progress))

    async def prompts(self):
        return [as_json(prompt) for prompt in (await self._client.list_prompts(**ANEW)).prompts]

    async def prompt(self, name, arguments=None):
        return as_json(await self._client.get_prompt(name, arguments))

    async def resources(self):
        return [as_json(resource) for resource in (await self._client.list_resources(**ANEW)).resources]

    async def templates(self):
        return [
            as_json(template) for template in (await self._client.list_resource_templates(**ANEW)).resource_templates
        ]

    async def read(self, uri):
        return as_json(await self._client.read_resource(uri, **ANEW))

    async def complete(self, ref, argument):
        kinds = {"ref/prompt": types.PromptReference, "ref/resource": types.ResourceTemplateReference}
        return as_json(await self._client.complete(kinds[ref["type"]].model_validate(ref), argument))

    @asynccontextmanager
    async def listen(self, notifications):
        # The client gives each change a type of its own.
        wire = {
            ToolsListChanged: "notifications/tools/list_changed",
            PromptsListChanged: "notifications/prompts/list_changed",
            ResourceUpdated: "notifications/resources/updated",
        }
        filters = types.SubscriptionFilter.model_validate(notifications)
        async with self._client.listen(**filters.model_dump(exclude_none=True)) as subscription:

            async def change():
                event = await anext(subscription)
                return {"method": wire[type(event)], **asdict(event)}

            yield as_json(subscription.honored), change

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
