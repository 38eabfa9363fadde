"""The Python SDK 1.x as a peer: python py1.py URL"""

from contextlib import asynccontextmanager
from datetime import timedelta

from mcp import ClientSession, types
from mcp.client.streamable_http import streamable_http_client
from pydantic import AnyUrl

from checks import Respondent, as_json, run


class Peer:
    def __init__(self, session, hello, logged, asked):
        self._session = session
        self.revision = hello.protocolVersion
        self.server_name = hello.serverInfo.name
        self.logged = logged
        self.asked = asked

    async def tools(self):
        return [as_json(tool) for tool in (await self._session.list_tools()).tools]

    async def call(self, name, arguments=None, timeout=None, on_progress=None):
        limit = timeout and timedelta(seconds=timeout)
        result = await self._session.call_tool(
            name, arguments, read_timeout_seconds=limit, progress_callback=on_progress
        )
        return as_json(result)

    async def prompts(self):
        return [as_json(prompt) for prompt in (await self._session.list_prompts()).prompts]

    async def prompt(self, name, arguments=None):
        return as_json(await self._session.get_prompt(name, arguments))

    async def resources(self):
        return [as_json(resource) for resource in (await self._session.list_resources()).resources]

    async def templates(self):
        return [as_json(template) for template in (await self._session.list_resource_templates()).resourceTemplates]

    async def read(self, uri):
        return as_json(await self._session.read_resource(AnyUrl(uri)))

    async def complete(self, ref, argument):
        kinds = {"ref/prompt": types.PromptReference, "ref/resource": types.ResourceTemplateReference}
        return as_json(await self._session.complete(kinds[ref["type"]].model_validate(ref), argument))

    async def ask_for_logs(self):
        await self._session.set_logging_level("info")


@asynccontextmanager
async def open_peer(url):
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

    async with (
        streamable_http_client(url) as (read, write, _),
        ClientSession(
            read,
            write,
            logging_callback=on_log,
            elicitation_callback=elicit,
            sampling_callback=sample,
            list_roots_callback=roots,
        ) as session,
    ):
        yield Peer(session, await session.initialize(), logged, respondent.asked)


run([("py1", "2025-11-25", open_peer)])
