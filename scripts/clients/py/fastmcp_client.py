"""FastMCP 4.x as a peer: python fastmcp_client.py URL [MODE ...]"""

from contextlib import asynccontextmanager
from functools import partial

from fastmcp import Client
from fastmcp.exceptions import ToolError
from mcp import types

from checks import MODERN, Respondent, Skip, as_json, expect, run, same

# The client may keep what it got for as long as the server allows.
ANEW = {"cache_mode": "refresh"}


class Peer:
    def __init__(self, client, mode, logged, asked):
        self.client = client
        self.logged = logged
        self.asked = asked
        self.revision = client.protocol_version
        # Pinned to a revision, the client sends no request to open the connection.
        self.asks_who_serves = mode in ("auto", "legacy")

    @property
    def server_name(self):
        return self.client.server_info and self.client.server_info.name

    async def tools(self):
        return [as_json(tool) for tool in await self.client.list_tools(**ANEW)]

    async def call(self, name, arguments=None, timeout=None, on_progress=None):
        return as_json(await self.client.call_tool_mcp(name, arguments, on_progress, timeout))

    async def prompts(self):
        return [as_json(prompt) for prompt in (await self.client.list_prompts_mcp(**ANEW)).prompts]

    async def prompt(self, name, arguments=None):
        return as_json(await self.client.get_prompt_mcp(name, arguments))

    async def resources(self):
        return [as_json(resource) for resource in (await self.client.list_resources_mcp(**ANEW)).resources]

    async def templates(self):
        return [
            as_json(template) for template in (await self.client.list_resource_templates_mcp(**ANEW)).resource_templates
        ]

    async def read(self, uri):
        return as_json(await self.client.read_resource_mcp(uri))

    async def complete(self, ref, argument):
        kinds = {"ref/prompt": types.PromptReference, "ref/resource": types.ResourceTemplateReference}
        return as_json(await self.client.complete_mcp(kinds[ref["type"]].model_validate(ref), argument))

    def listen(self, _notifications):
        raise Skip("the client has no call for it")

    async def ask_for_logs(self):
        # On 2026-07-28 the client asks with every request, for all levels.
        if self.revision != MODERN:
            await self.client.set_logging_level("info")


@asynccontextmanager
async def open_peer(url, mode):
    logged = []
    respondent = Respondent()

    async def on_log(message):
        logged.append(message)

    async def elicit(_message, _type, params, _context):
        return types.ElicitResult.model_validate(respondent.elicit(params))

    async def sample(_messages, params, _context):
        return types.CreateMessageResult.model_validate(respondent.sample(params))

    async def roots(_):
        return types.ListRootsResult.model_validate(respondent.roots()).roots

    async with Client(
        url,
        mode=mode,
        log_handler=on_log,
        elicitation_handler=elicit,
        sampling_handler=sample,
        roots=roots,
    ) as client:
        yield Peer(client, mode, logged, respondent.asked)


async def makes_data_of_an_output(peer):
    """FastMCP builds Python values from the output schema."""
    await peer.tools()
    weather = await peer.client.call_tool("weather", {"city": "Oslo"})
    expect(isinstance(weather.data.conditions, str), weather.data)
    ids = (await peer.client.call_tool("list_ids")).data
    ids = getattr(ids, "result", ids)  # an array is wrapped before 2026-07-28, or in the text alone
    expect(ids is None or all(type(number) is int for number in ids), ids)


async def raises_the_error_of_a_tool(peer):
    try:
        result = await peer.client.call_tool("test_error_handling")
    except ToolError as error:
        expect("intentionally" in str(error), str(error))
    else:
        raise AssertionError(f"it got {result}")
    same((await peer.client.call_tool("echo", {"text": "still here"})).content[0].text, "still here")


run(
    [
        ("fastmcp", "2026-07-28", partial(open_peer, mode="auto")),
        ("fastmcp-pin", "2026-07-28", partial(open_peer, mode="2026-07-28")),
        ("fastmcp-legacy", "2025-11-25", partial(open_peer, mode="legacy")),
    ],
    more=[
        ("makes data of an output", makes_data_of_an_output),
        ("raises the error of a tool", raises_the_error_of_a_tool),
    ],
)
