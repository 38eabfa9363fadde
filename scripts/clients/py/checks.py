"""What every Python client is held to: one list, which the clients' files run against a peer.

A peer has `revision`, `server_name`, and coroutines: `tools()`, `prompts()`, `resources()` and `templates()` ask the
server anew and give what it lists as JSON; `call(name, arguments, timeout, on_progress)`, `prompt(name, arguments)`,
`read(uri)` and `complete(ref, argument)` give the result as JSON and raise what the client raises; arguments None sends
none, and the client calls the coroutine `on_progress(progress, total, message)`. After `ask_for_logs()` the log
messages from info on come to `logged`, which is a list. `listen(notifications)` is an async context manager, entered
once the server acknowledged, for what it acknowledged and a coroutine that waits for the next change, which is a
"method" and perhaps a "uri". What the client cannot do raises `Skip`.
"""

import base64
import json
import os
import re
import sys
from functools import partial
from pathlib import Path

import anyio

FIXTURE = json.loads((Path(__file__).parent.parent / "fixture.json").read_text(encoding="utf-8"))
MODERN = "2026-07-28"

# Long enough for a busy machine; a check, or a client, that takes longer hangs. In seconds.
CHECK_LIMIT = 20
MODE_LIMIT = 240

# Within so many seconds the client hears of a change.
HEARING = 5

# How often the server says something on a stream at least, in seconds. 0: nobody told.
KEEP_ALIVE = int(os.environ.get("MCP_CLIENTS_KEEP_ALIVE") or 0) / 1000
# Within so many keep-alives the server has dropped a call whose client has left: two, and some time to spare.
PATIENCE = 8

# Whether nobody can listen to the server.
NO_STREAMS = os.environ.get("MCP_CLIENTS_NO_STREAMS") == "1"
# Whether the server keeps nothing that would let it ask clients of older revisions.
STATELESS = os.environ.get("MCP_CLIENTS_STATELESS") == "1"

# The beginnings of the names of the checks that are wanted; without any, all are.
ONLY = tuple(filter(None, os.environ.get("MCP_CLIENTS_ONLY", "").split("|")))


class Skip(Exception):
    """Raised by a check that says nothing about this peer, with the reason."""


class Respondent:
    """The user, the model and the folders of a client: answers as the fixture says, in JSON."""

    def __init__(self):
        self.asked = []

    def elicit(self, params):
        return self._answer(params.message)

    def sample(self, params):
        return self._answer(params.messages[-1].content.text)

    def roots(self):
        return self._answer("roots")

    def _answer(self, question):
        self.asked.append(question)
        return FIXTURE["answers"][question]


def expect(condition, why=""):
    """Like assert, but also under -O."""
    if not condition:
        raise AssertionError(why or "it is not so")


def same(got, wanted):
    expect(got == wanted, f"wanted {repr(wanted)[:120]}, got {repr(got)[:120]}")


async def names_the_server(peer):
    if not getattr(peer, "asks_who_serves", True):
        raise Skip("the client does not ask")
    expect(peer.server_name, f"its name is {peer.server_name!r}")


async def lists_the_tools(peer):
    names = [tool["name"] for tool in await peer.tools()]
    same([name for name in FIXTURE["tools"] if name not in names], [])


async def lists_the_same_tools_twice(peer):
    # As text: the order of tools and of properties counts.
    same(json.dumps(await peer.tools()), json.dumps(await peer.tools()))


async def lists_each_name_once(peer):
    names = [tool["name"] for tool in await peer.tools()]
    same(len(set(names)), len(names))


async def lists_object_schemas_and_descriptions(peer):
    for tool in await peer.tools():
        expect(tool["inputSchema"].get("type") == "object", tool["name"])
        expect(tool.get("description"), f"{tool['name']} has no description")


async def lists_a_schema_unchanged(peer):
    (schema,) = [tool["inputSchema"] for tool in await peer.tools() if tool["name"] == "json_schema_2020_12_tool"]
    same(schema["$schema"], "https://json-schema.org/draft/2020-12/schema")
    for keyword in ("$defs", "allOf", "if", "then", "else"):
        expect(schema.get(keyword), f"no {keyword}")
    same(schema["$defs"]["address"]["$anchor"], "addressDef")
    same(schema["additionalProperties"], False)


async def echoes(peer, text):
    result = await peer.call("echo", {"text": text})
    expect(not result.get("isError"), "it is an error")
    same([block["type"] for block in result["content"]], ["text"])
    same(result["content"][0]["text"], text)


async def takes(arguments, gives, peer):
    same(json.loads(success(await peer.call("test_typed_arguments", arguments))), gives)


async def refuses(arguments, names, peer):
    text = await refusal(peer, "test_typed_arguments", arguments, codes=[-32602])
    for name in names:
        expect(name in text, f"the text does not name {name}: {text}")
    await echoes(peer, "still here")


async def takes_nested_arguments(peer):
    result = await peer.call("configure", FIXTURE["configure"])
    same(result["structuredContent"], FIXTURE["configure"])
    same(json.loads(text_of(result)), FIXTURE["configure"])


async def takes_null_for_an_optional_argument(peer):
    result = await peer.call("configure", {"name": "a", "limit": None, "note": None})
    same(result["structuredContent"], {"name": "a"})


async def mirrors(arguments, peer):
    await peer.tools()  # which tells a modern client what it has to mirror in headers
    same(json.loads(success(await peer.call("test_x_mcp_header", arguments))), arguments)


async def reads_content(case, peer):
    result = await peer.call(case["tool"])
    expect(not result.get("isError"), "it is an error")
    same([block["type"] for block in result["content"]], case["kinds"])
    if "mimeType" in case:
        same(result["content"][0]["mimeType"], case["mimeType"])
    for block in result["content"]:
        if "data" in block:
            expect(base64.b64decode(block["data"], validate=True), "no data")
        if "resource" in block:
            expect(block["resource"]["uri"] and block["resource"]["text"], "no resource")


async def reads_structured_content(peer):
    await peer.tools()
    result = await peer.call("test_structured_content", {"city": "Zürich"})
    output = result["structuredContent"]
    same(output["city"], "Zürich")
    same(type(output["humidity"]), int)
    expect(isinstance(output["temperature"], (int, float)) and isinstance(output["conditions"], str), output)
    same(json.loads(text_of(result)), output)


async def accepts_the_output_of_weather(peer):
    await peer.tools()
    result = await peer.call("weather", {"city": "Oslo"})
    same(sorted(result["structuredContent"]), ["conditions", "temperature"])


async def accepts_an_error_beside_an_output_schema(peer):
    await peer.tools()
    same((await peer.call("weather", {"city": "__fail__"})).get("isError"), True)


async def accepts_an_array_as_output(peer):
    await peer.tools()
    result = await peer.call("list_ids")
    expect(not result.get("isError"), "it is an error")
    output = result.get("structuredContent")
    # Before 2026-07-28 structured content is an object, so the array is wrapped or in the text alone.
    ids = output if peer.revision == MODERN else (output or {}).get("result", [])
    expect(isinstance(ids, list) and all(type(number) is int for number in ids), output)


async def accepts_a_tagged_union_as_output(peer):
    await peer.tools()
    result = await peer.call("outcome")
    expect(not result.get("isError"), "it is an error")
    expect(any(isinstance(value, str) for value in result["structuredContent"].values()), "no tag")


async def reads_the_error_of_a_tool(peer):
    result = await peer.call("test_error_handling")
    same(result["isError"], True)
    expect(FIXTURE["error_text"] in text_of(result), text_of(result))


async def reads_an_error_value_as_a_result(peer):
    result = await peer.call("fail")
    same(result["isError"], True)
    expect(text_of(result), "it has no text")


async def outlives_a_panic(peer):
    text = await refusal(peer, "panic", None, codes=[-32603])
    expect("secret" not in text, text)
    await echoes(peer, "still here")


async def gets_an_error_for_an_unknown_tool(peer):
    try:
        result = await peer.call("no_such_tool", {})
    except Exception as error:
        same(code_of(error), -32602)
        expect("no_such_tool" in str(error), str(error))
    else:
        raise AssertionError(f"it got {result}")
    await echoes(peer, "still here")


async def gets_its_own_answers(peer):
    async with anyio.create_task_group() as group:
        for number in range(16):
            group.start_soon(echoes, peer, f"call {number}")


async def overtakes_a_slow_call(peer):
    order = []

    async def slow():
        result = await peer.call("slow_compute", {"seconds": 1, "label": "slow"})
        expect(not result.get("isError"), "the slow call failed")
        order.append("slow")

    async with anyio.create_task_group() as group:
        group.start_soon(slow)
        await anyio.sleep(0.1)
        await echoes(peer, "quick")
        order.append("quick")
    same(order, ["quick", "slow"])


async def hears_progress(peer):
    heard = []

    async def on_progress(progress, total, message):
        heard.append({"progress": progress, "total": total, "message": message})

    success(await peer.call("test_tool_with_progress", {}, on_progress=on_progress))
    same(heard, FIXTURE["progress"])


async def hears_log_messages(peer):
    await peer.ask_for_logs()
    peer.logged.clear()
    success(await peer.call("test_tool_with_logging", {}))
    same([{"level": message.level, "data": message.data} for message in peer.logged], FIXTURE["logged"])


async def is_asked(case, peer):
    if STATELESS and peer.revision != MODERN:
        raise Skip("the server cannot ask this revision")
    peer.asked.clear()
    same(success(await peer.call(case["tool"], case["arguments"])), case["gives"])
    same(peer.asked, case["asks"])


async def times_out(peer, name, arguments):
    try:
        await peer.call(name, arguments, timeout=0.2)
    except Exception as error:
        expect(re.search("timed? ?out", str(error), re.IGNORECASE), str(error))
    else:
        raise AssertionError("the call did not time out")


async def cancels(peer, name, arguments):
    with anyio.move_on_after(0.2) as scope:
        await peer.call(name, arguments)
    expect(scope.cancelled_caught, "the call was not cancelled")


async def drops(give_up, peer):
    """Gives a call up, which the server then drops."""
    before = await dropped_calls(peer)
    await give_up(peer, "slow", {"ms": 10_000})
    start = anyio.current_time()
    while await dropped_calls(peer) == before:
        waited = anyio.current_time() - start
        expect(waited < PATIENCE * KEEP_ALIVE, f"the call went on for {waited:.1f} s")
        await anyio.sleep(0.05)


async def lets_go_on(give_up, peer):
    """Gives a call up, which goes on at the server.

    Before 2026-07-28 a client that leaves cancels nothing, and the server may pass over the `notifications/cancelled`
    that most clients send.
    """
    before = await dropped_calls(peer)
    await give_up(peer, "slow", {"ms": 10_000})
    await anyio.sleep(PATIENCE * KEEP_ALIVE)
    same(await dropped_calls(peer), before)


async def dropped_calls(peer):
    """How many calls the server has dropped while they slept, whoever sent them."""
    if not KEEP_ALIVE:
        raise Skip("nobody told the keep-alive of the server")
    return (await peer.call("slow", {"ms": 0}))["_meta"]["io.github.mcp-http/dropped"]


async def goes_on_after(give_up, peer):
    await give_up(peer, "slow_compute", {"seconds": 2})
    await echoes(peer, "still here")


async def lists_the_prompts(peer):
    prompts = {prompt["name"]: prompt for prompt in await peer.prompts()}
    for name, wanted in FIXTURE["prompts"]["listed"].items():
        expect(prompts.get(name, {}).get("description"), f"{name} is missing or has no description")
        same([only(argument, "name", "required") for argument in prompts[name].get("arguments", [])], wanted)


async def gets_a_prompt(case, peer):
    result = await peer.prompt(case["name"], case.get("arguments"))
    same(result["messages"], case["gives"])


async def gets_no_prompt(case, peer):
    await fails(peer.prompt(case["name"], case.get("arguments")), FIXTURE["prompts"]["code"], case["names"])


async def is_asked_for_a_prompt(peer):
    if STATELESS and peer.revision != MODERN:
        raise Skip("the server cannot ask this revision")
    case = FIXTURE["prompts"]["asked"]
    peer.asked.clear()
    same((await peer.prompt(case["name"]))["messages"], case["gives"])
    same(peer.asked, case["asks"])


async def lists_the_resources(peer):
    lists(await peer.resources(), FIXTURE["resources"]["listed"])


async def lists_the_templates(peer):
    lists(await peer.templates(), FIXTURE["resources"]["templates"])


async def reads_a_resource(wanted, peer):
    same((await peer.read(wanted["uri"]))["contents"], [wanted])


async def reads_no_resource(uri, peer):
    codes = FIXTURE["resources"]["codes"]
    await fails(peer.read(uri), codes["modern" if peer.revision == MODERN else "legacy"], uri)


async def completes(case, peer):
    same((await peer.complete(case["ref"], case["argument"]))["completion"]["values"], case["values"])


async def hears_of_changes(peer):
    if NO_STREAMS:
        raise Skip("nobody can listen to the server")
    changes = FIXTURE["changes"]
    async with peer.listen(changes["notifications"]) as (acknowledged, change):
        same(acknowledged, changes["notifications"])
        for index, case in enumerate(changes["made"]):
            await peer.call(case["tool"])
            # What was heard before may come again, as each of these tools changes something twice.
            known = [earlier["heard"] for earlier in changes["made"][:index]]
            with anyio.move_on_after(HEARING) as scope:
                while (heard := await change()) in known:
                    pass
                same(heard, case["heard"])
            expect(not scope.cancelled_caught, f"nothing came of {case['tool']}")
    await echoes(peer, "still here")


# A name, what to do, and the era that it is for if not for both.
CHECKS = [
    ("names the server", names_the_server),
    ("lists the tools", lists_the_tools),
    ("lists the same tools twice", lists_the_same_tools_twice),
    ("lists each name once", lists_each_name_once),
    ("lists object schemas and descriptions", lists_object_schemas_and_descriptions),
    ("lists a schema of the application unchanged", lists_a_schema_unchanged),
    *[
        (f"echoes {case['what']}", partial(echoes, text=case["text"] * case.get("times", 1)))
        for case in FIXTURE["echo"]
    ],
    *[
        (f"takes {case['what']}", partial(takes, case["arguments"], case.get("gives", case["arguments"])))
        for case in FIXTURE["typed_arguments"]["good"]
    ],
    *[
        (f"refuses {case['what']}", partial(refuses, case.get("arguments"), case["names"]))
        for case in FIXTURE["typed_arguments"]["bad"]
    ],
    ("takes nested arguments", takes_nested_arguments),
    ("takes null for an optional argument", takes_null_for_an_optional_argument),
    *[
        (f"calls with mirrored arguments: {case['what']}", partial(mirrors, case["arguments"]))
        for case in FIXTURE["mirrored"]
    ],
    *[(f"reads the content of {case['tool']}", partial(reads_content, case)) for case in FIXTURE["content"]],
    ("reads structured content", reads_structured_content),
    ("accepts the output of weather", accepts_the_output_of_weather),
    ("accepts an error where there is an output schema", accepts_an_error_beside_an_output_schema),
    ("accepts an array as output", accepts_an_array_as_output),
    ("accepts a tagged union as output", accepts_a_tagged_union_as_output),
    ("reads the error of a tool", reads_the_error_of_a_tool),
    ("reads an error value as a result", reads_an_error_value_as_a_result),
    ("outlives a panic, which tells nothing", outlives_a_panic),
    ("gets -32602 for an unknown tool", gets_an_error_for_an_unknown_tool),
    ("gets its own answer to each of 16 calls at once", gets_its_own_answers),
    ("overtakes a slow call", overtakes_a_slow_call),
    ("hears progress before the result", hears_progress),
    ("hears log messages", hears_log_messages),
    *[(case["what"], partial(is_asked, case)) for case in FIXTURE["asked"]],
    ("lists the prompts", lists_the_prompts),
    *[(f"gets a prompt with {case['what']}", partial(gets_a_prompt, case)) for case in FIXTURE["prompts"]["good"]],
    *[
        (f"gets an error for {case['what']}", partial(gets_no_prompt, case))
        for case in FIXTURE["prompts"]["bad"]
    ],
    ("answers a form for a prompt", is_asked_for_a_prompt),
    ("lists the resources", lists_the_resources),
    ("lists the templates", lists_the_templates),
    *[(f"reads {case['what']}", partial(reads_a_resource, case["gives"])) for case in FIXTURE["resources"]["good"]],
    *[
        (f"gets an error for {case['what']}", partial(reads_no_resource, case["uri"]))
        for case in FIXTURE["resources"]["bad"]
    ],
    *[(f"completes {case['what']}", partial(completes, case)) for case in FIXTURE["completed"]],
    ("hears of changes", hears_of_changes, "modern"),
    # Before those that give calls up and do not look at what becomes of them, which would be counted here.
    ("drops a call that it timed out", partial(drops, times_out), "modern"),
    ("drops a call that it cancelled", partial(drops, cancels), "modern"),
    ("lets a call go on that it timed out", partial(lets_go_on, times_out), "legacy"),
    ("lets a call go on that it cancelled", partial(lets_go_on, cancels), "legacy"),
    ("goes on after a call that it timed out", partial(goes_on_after, times_out)),
    ("goes on after a call that it cancelled", partial(goes_on_after, cancels)),
]


async def schema_checks(peer):
    """Calls each tool with the arguments that it names itself, as `schemas_axum` serves them."""

    async def calls(name, arguments, gives):
        same(json.loads(success(await peer.call(name, arguments))), gives)

    def check(tool):
        meta = tool["_meta"]
        return f"calls {tool['name']}", partial(
            calls, tool["name"], meta["com.example/arguments"], meta["com.example/gives"]
        )

    return [check(tool) for tool in await peer.tools()]


def run(modes, more=()):
    """Runs the checks of each mode: (name, revision, open), where `open(url)` is an async context manager for a peer.

    `more` are checks that one client has beyond the others.
    """
    url, *only = sys.argv[1:] or [None]
    if url is None:
        sys.exit(f"usage: URL [{' | '.join(name for name, _, _ in modes)} ...]")
    count = {"PASS": 0, "FAIL": 0, "SKIP": 0}

    def tell(outcome, label, what, error=None):
        count[outcome] += 1
        because = f" because {reason(error)}" if error else ""
        print(f"{outcome} {label} {what}{because}", flush=True)

    async def check(label, what, body):
        try:
            with anyio.fail_after(CHECK_LIMIT):
                await body()
        except Skip as skip:
            tell("SKIP", label, what, skip)
        except Exception as error:
            tell("FAIL", label, what, error)
        else:
            tell("PASS", label, what)

    async def run_mode(name, revision, open_peer):
        label = f"{name} {revision}"
        stage = "connects"
        try:
            with anyio.fail_after(MODE_LIMIT):
                async with open_peer(url) as peer:
                    tell("PASS", label, stage)
                    stage = "runs its checks"
                    await check(label, "negotiates the revision", partial(negotiates, peer, revision))
                    if os.environ.get("MCP_CLIENTS_CHECKS") == "schemas":
                        for what, body in await schema_checks(peer):
                            await check(label, what, body)
                    else:
                        era = "modern" if revision == MODERN else "legacy"
                        for what, body, *eras in [*CHECKS, *more]:
                            if era in (eras or [era]) and (not ONLY or what.startswith(ONLY)):
                                await check(label, what, partial(body, peer))
                    stage = "closes"
            tell("PASS", label, stage)
        except Exception as error:
            tell("FAIL", label, stage, error)

    async def negotiates(peer, revision):
        same(peer.revision, revision)

    async def main():
        for mode in modes:
            if not only or mode[0] in only:
                await run_mode(*mode)

    anyio.run(main)
    print(f"{count['PASS']} passed, {count['FAIL']} failed, {count['SKIP']} skipped")
    sys.exit(1 if count["FAIL"] or not count["PASS"] else 0)


async def refusal(peer, name, arguments, codes):
    """The text of a call that must fail: with a result that is an error, or with one of the error codes."""
    try:
        result = await peer.call(name, arguments)
    except Exception as error:
        expect(code_of(error) in codes, f"{code_of(error)}: {error}")
        return str(error)
    expect(result.get("isError"), "it is not an error")
    return text_of(result)


async def fails(request, code, names):
    """Waits for an error with this code, which names something."""
    try:
        result = await request
    except Skip:
        raise
    except Exception as error:
        same(code_of(error), code)
        expect(names in str(error), str(error))
    else:
        raise AssertionError(f"it got {result}")


def lists(listed, wanted):
    """Whether among the `listed` is each of the `wanted`, which may have more to them, and a description."""
    listed = {one["name"]: one for one in listed}
    for one in wanted:
        expect(listed.get(one["name"], {}).get("description"), f"{one['name']} is missing or has no description")
        same(only(listed[one["name"]], *one), one)


def only(members, *names):
    return {name: members.get(name) for name in names}


def success(result):
    """The text of a result that is no error."""
    expect(not result.get("isError"), f"it is an error: {text_of(result)}")
    return text_of(result)


def text_of(result):
    expect(result["content"] and result["content"][0]["type"] == "text", "the first block is not text")
    return result["content"][0]["text"]


def code_of(error):
    """The JSON-RPC code that a client's exception carries, if it does."""
    return getattr(getattr(error, "error", None), "code", None)


def reason(error):
    while isinstance(error, BaseExceptionGroup):
        error = error.exceptions[0]
    text = " ".join(f"{type(error).__name__}: {error}".split())
    return text.removeprefix("AssertionError: ").removeprefix("Skip: ")[:300]


def as_json(model):
    """What the server sent, as the client understood it."""
    return model.model_dump(mode="json", by_alias=True, exclude_none=True)
