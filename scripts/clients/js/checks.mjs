// What every JavaScript client is held to: one list, which the clients' files run against a peer.
//
// A peer is { revision, server, asked, tools(), call(name, args, { timeout, signal, onprogress, onlog }), prompts(),
// prompt(name, args), resources(), templates(), read(uri), complete(ref, argument), listen(notifications), close() }:
// `asked` is that of the `respondent` which answers for it, what lists asks the server anew, the others resolve to the
// result and reject with what the client throws, or with `Skip` where the client cannot do that; `args` undefined sends
// none, and with `onlog` the client asks for log messages from info on. `listen` resolves once the server acknowledged,
// to { acknowledged, heard, close() }: `heard` grows by each change, which is { method } or { method, uri }. A client
// that knows one code only for a resource which is not found, whatever the server sends, has it in `notFound`; one that
// tells nobody the codes of errors has `tellsNoCodes`.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';

export const fixture = JSON.parse(readFileSync(new URL('../fixture.json', import.meta.url), 'utf8'));
const modern = '2026-07-28';

/** Long enough for a busy machine; a check that takes longer hangs. */
const limit = 20_000;

/** Within so many milliseconds the client hears of a change. */
export const hearing = 5_000;

/** How often the server says something on a stream at least, in milliseconds. 0: nobody told. */
const keepAlive = Number(process.env.MCP_CLIENTS_KEEP_ALIVE ?? 0);
/** Within so many keep-alives the server has dropped a call whose client has left: two, and some time to spare. */
const patience = 8;

/** Whether nobody can listen to the server. */
const noStreams = process.env.MCP_CLIENTS_NO_STREAMS === '1';
/** Whether the server keeps nothing that would let it ask clients of older revisions. */
const stateless = process.env.MCP_CLIENTS_STATELESS === '1';

/** The beginnings of the names of the checks that are wanted; without any, all are. */
const wanted = (process.env.MCP_CLIENTS_ONLY ?? '').split('|').filter(Boolean);

/** Thrown by a check that says nothing about this peer, with the reason. */
export class Skip extends Error {}

/** Skips a check where nobody can listen. */
export function listens() {
  if (noStreams) throw new Skip('nobody can listen to the server');
}

// A name, what to do, and the era that it is for if not for both.
const toolChecks = [
  ['names the server', (peer) => assert.ok(peer.server?.name, `its name is ${JSON.stringify(peer.server?.name)}`)],
  ['lists the tools', async (peer) => {
    const names = (await peer.tools()).map((tool) => tool.name);
    assert.deepEqual(fixture.tools.filter((name) => !names.includes(name)), [], 'tools are missing');
  }],
  ['lists the same tools twice', async (peer) => assert.deepEqual(await peer.tools(), await peer.tools())],
  ['lists each name once', async (peer) => {
    const names = (await peer.tools()).map((tool) => tool.name);
    assert.deepEqual(names.filter((name, index) => names.indexOf(name) !== index), []);
  }],
  ['lists object schemas and descriptions', async (peer) => {
    for (const tool of await peer.tools()) {
      assert.equal(tool.inputSchema.type, 'object', tool.name);
      assert.ok(tool.description, `${tool.name} has no description`);
    }
  }],
  ['lists a schema of the application unchanged', async (peer) => {
    const { inputSchema } = (await peer.tools()).find((tool) => tool.name === 'json_schema_2020_12_tool');
    assert.equal(inputSchema.$schema, 'https://json-schema.org/draft/2020-12/schema');
    for (const keyword of ['$defs', 'allOf', 'if', 'then', 'else']) assert.ok(inputSchema[keyword], `no ${keyword}`);
    assert.equal(inputSchema.$defs.address.$anchor, 'addressDef');
    assert.equal(inputSchema.additionalProperties, false);
  }],

  ...fixture.echo.map(({ what, text, times = 1 }) => [`echoes ${what}`, (peer) => echoes(peer, text.repeat(times))]),
  ...fixture.typed_arguments.good.map(({ what, arguments: args, gives = args }) => [
    `takes ${what}`,
    async (peer) => assert.deepEqual(JSON.parse(success(await peer.call('test_typed_arguments', args))), gives),
  ]),
  ...fixture.typed_arguments.bad.map(({ what, arguments: args, names }) => [
    `refuses ${what}`,
    async (peer) => {
      const text = await refusal(peer.call('test_typed_arguments', args), [-32602]);
      for (const name of names) assert.ok(text.includes(name), `the text does not name ${name}: ${text}`);
      await echoes(peer, 'still here');
    },
  ]),
  ['takes nested arguments', async (peer) => {
    const result = await peer.call('configure', fixture.configure);
    assert.deepEqual(result.structuredContent, fixture.configure);
    assert.deepEqual(JSON.parse(textOf(result)), fixture.configure);
  }],
  ['takes null for an optional argument', async (peer) => {
    const result = await peer.call('configure', { name: 'a', limit: null, note: null });
    assert.deepEqual(result.structuredContent, { name: 'a' });
  }],
  ...fixture.mirrored.map(({ what, arguments: args }) => [
    `calls with mirrored arguments: ${what}`,
    async (peer) => {
      await peer.tools(); // which tells a modern client what it has to mirror in headers
      assert.deepEqual(JSON.parse(success(await peer.call('test_x_mcp_header', args))), args);
    },
  ]),

  ...fixture.content.map(({ tool, kinds, mimeType }) => [`reads the content of ${tool}`, async (peer) => {
    const { content, isError } = await peer.call(tool);
    assert.ok(!isError, 'it is an error');
    assert.deepEqual(content.map((block) => block.type), kinds);
    if (mimeType) assert.equal(content[0].mimeType, mimeType);
    for (const block of content) {
      if ('data' in block) assert.ok(Buffer.from(block.data, 'base64').length > 0, 'no data');
      if ('resource' in block) assert.ok(block.resource.uri && block.resource.text, 'no resource');
    }
  }]),
  ['reads structured content', async (peer) => {
    await peer.tools();
    const result = await peer.call('test_structured_content', { city: 'Zürich' });
    const { city, temperature, conditions, humidity } = result.structuredContent;
    assert.deepEqual(
      [city, typeof temperature, typeof conditions, Number.isInteger(humidity)],
      ['Zürich', 'number', 'string', true],
    );
    assert.deepEqual(JSON.parse(textOf(result)), result.structuredContent);
  }],
  ['accepts the output of weather', async (peer) => {
    await peer.tools();
    const { structuredContent } = await peer.call('weather', { city: 'Oslo' });
    assert.deepEqual(Object.keys(structuredContent).sort(), ['conditions', 'temperature']);
  }],
  ['accepts an error where there is an output schema', async (peer) => {
    await peer.tools();
    assert.equal((await peer.call('weather', { city: '__fail__' })).isError, true);
  }],
  ['accepts an array as output', async (peer) => {
    await peer.tools();
    const { structuredContent, isError } = await peer.call('list_ids');
    assert.ok(!isError, 'it is an error');
    // Before 2026-07-28 structured content is an object, so the array is wrapped or in the text alone.
    const ids = peer.revision === modern ? structuredContent : (structuredContent?.result ?? []);
    assert.ok(Array.isArray(ids) && ids.every(Number.isInteger), JSON.stringify(structuredContent));
  }],
  ['accepts a tagged union as output', async (peer) => {
    await peer.tools();
    const { structuredContent, isError } = await peer.call('outcome');
    assert.ok(!isError, 'it is an error');
    assert.equal(typeof structuredContent, 'object');
    assert.ok(Object.values(structuredContent).some((value) => typeof value === 'string'), 'no tag');
  }],

  ['reads the error of a tool', async (peer) => {
    const result = await peer.call('test_error_handling');
    assert.equal(result.isError, true);
    assert.ok(textOf(result).includes(fixture.error_text), textOf(result));
  }],
  ['reads an error value as a result', async (peer) => {
    const result = await peer.call('fail');
    assert.equal(result.isError, true);
    assert.ok(textOf(result));
  }],
  ['outlives a panic, which tells nothing', async (peer) => {
    const text = await refusal(peer.call('panic'), [-32603]);
    assert.ok(!text.includes('secret'), text);
    await echoes(peer, 'still here');
  }],
  ['gets -32602 for an unknown tool', async (peer) => {
    await assert.rejects(peer.call('no_such_tool', {}), (error) => {
      assert.equal(error.code, -32602, `${error.code}: ${error.message}`);
      assert.ok(error.message.includes('no_such_tool'), error.message);
      return true;
    });
    await echoes(peer, 'still here');
  }],

  ['gets its own answer to each of 16 calls at once', async (peer) => {
    await Promise.all(Array.from({ length: 16 }, (_, index) => echoes(peer, `call ${index}`)));
  }],
  ['overtakes a slow call', async (peer) => {
    const order = [];
    const slow = peer.call('slow_compute', { seconds: 1, label: 'slow' }).then((result) => {
      order.push('slow');
      return result;
    });
    await echoes(peer, 'quick').then(() => order.push('quick'));
    assert.ok(!(await slow).isError, 'the slow call failed');
    assert.deepEqual(order, ['quick', 'slow']);
  }],

  ['hears progress before the result', async (peer) => {
    const heard = [];
    success(await peer.call('test_tool_with_progress', {}, { onprogress: (step) => heard.push(step) }));
    assert.deepEqual(heard, fixture.progress);
  }],
  ['hears log messages', async (peer) => {
    const heard = [];
    const onlog = ({ level, data }) => heard.push({ level, data });
    success(await peer.call('test_tool_with_logging', {}, { onlog }));
    assert.deepEqual(heard, fixture.logged);
  }],

  ...fixture.asked.map(({ what, tool, arguments: args, asks, gives }) => [what, async (peer) => {
    if (stateless && peer.revision !== modern) throw new Skip('the server cannot ask this revision');
    peer.asked.splice(0);
    assert.equal(success(await peer.call(tool, args)), gives);
    assert.deepEqual(peer.asked, asks);
  }]),
];

const promptChecks = [
  ['lists the prompts', async (peer) => {
    const prompts = await peer.prompts();
    for (const [name, wanted] of Object.entries(fixture.prompts.listed)) {
      const prompt = prompts.find((prompt) => prompt.name === name);
      assert.ok(prompt?.description, `${name} is missing or has no description`);
      assert.deepEqual((prompt.arguments ?? []).map(({ name, required }) => ({ name, required })), wanted, name);
    }
  }],
  ...fixture.prompts.good.map(({ what, name, arguments: args, gives }) => [
    `gets a prompt with ${what}`,
    async (peer) => assert.deepEqual((await peer.prompt(name, args)).messages, gives),
  ]),
  ...fixture.prompts.bad.map(({ what, name, arguments: args, names }) => [
    `gets an error for ${what}`,
    (peer) => fails(peer, peer.prompt(name, args), fixture.prompts.code, names),
  ]),
  ['answers a form for a prompt', async (peer) => {
    if (stateless && peer.revision !== modern) throw new Skip('the server cannot ask this revision');
    const { name, asks, gives } = fixture.prompts.asked;
    peer.asked.splice(0);
    assert.deepEqual((await peer.prompt(name)).messages, gives);
    assert.deepEqual(peer.asked, asks);
  }],
];

const resourceChecks = [
  ['lists the resources', async (peer) => lists(await peer.resources(), fixture.resources.listed)],
  ['lists the templates', async (peer) => lists(await peer.templates(), fixture.resources.templates)],
  ...fixture.resources.good.map(({ what, gives }) => [
    `reads ${what}`,
    async (peer) => assert.deepEqual((await peer.read(gives.uri)).contents, [gives]),
  ]),
  ...fixture.resources.bad.map(({ what, uri }) => [`gets an error for ${what}`, (peer) => {
    const { legacy, modern: newest } = fixture.resources.codes;
    return fails(peer, peer.read(uri), peer.notFound ?? (peer.revision === modern ? newest : legacy), uri);
  }]),
];

const completionChecks = fixture.completed.map(({ what, ref, argument, values }) => [
  `completes ${what}`,
  async (peer) => assert.deepEqual((await peer.complete(ref, argument)).completion.values, values),
]);

const changeChecks = [
  ['hears of changes', async (peer) => {
    listens();
    const { notifications, made } = fixture.changes;
    const { acknowledged, heard, close } = await peer.listen(notifications);
    try {
      assert.deepEqual(acknowledged, notifications);
      for (const { tool, heard: wanted } of made) {
        await peer.call(tool);
        const start = Date.now();
        while (!heard.some((change) => isDeepStrictEqual(change, wanted))) {
          assert.ok(Date.now() - start < hearing, `nothing came of ${tool}, only ${JSON.stringify(heard)}`);
          await sleep(10);
        }
      }
      const known = (change) => made.some(({ heard }) => isDeepStrictEqual(change, heard));
      assert.deepEqual(heard.filter((change) => !known(change)), [], 'nobody asked for these');
    } finally {
      await close();
    }
    await echoes(peer, 'still here');
  }, 'modern'],
];

const givingUpChecks = [
  // Before those that give calls up and do not look at what becomes of them, which would be counted here.
  ['drops a call that it timed out', (peer) => drops(peer, { timeout: 200 }), 'modern'],
  ['drops a call that it aborted', (peer) => drops(peer, { signal: after(200) }), 'modern'],
  ['lets a call go on that it timed out', (peer) => letsGoOn(peer, { timeout: 200 }), 'legacy'],
  ['lets a call go on that it aborted', (peer) => letsGoOn(peer, { signal: after(200) }), 'legacy'],
  ['goes on after a call that it timed out', async (peer) => {
    await givesUp(peer.call('slow_compute', { seconds: 2 }, { timeout: 200 }));
    await echoes(peer, 'still here');
  }],
  ['goes on after a call that it aborted', async (peer) => {
    await givesUp(peer.call('slow_compute', { seconds: 2 }, { signal: after(200) }));
    await echoes(peer, 'still here');
  }],
];

/** What clients are held to, by what it is about. */
const checks = {
  tools: toolChecks,
  prompts: promptChecks,
  resources: resourceChecks,
  completion: completionChecks,
  changes: changeChecks,
  givingUp: givingUpChecks,
};

/** What a client that `respondent` answers for declares. */
export const capabilities = { elicitation: { form: {} }, sampling: {}, roots: {} };

/** The user, the model and the folders of a client: answers as the fixture says, and keeps the questions in `asked`. */
export function respondent() {
  const asked = [];
  const answer = (question) => {
    asked.push(question);
    assert.ok(fixture.answers[question], `nobody knows an answer to ${JSON.stringify(question)}`);
    return fixture.answers[question];
  };
  return {
    asked,
    elicit: ({ params }) => answer(params.message),
    sample: ({ params }) => answer(params.messages.at(-1).content.text),
    roots: () => answer('roots'),
  };
}

/** Calls each tool with the arguments that it names itself, as `schemas_axum` serves them. */
async function schemaChecks(peer) {
  const tools = await peer.tools();
  return tools.map(({ name, _meta }) => [`calls ${name}`, async () => {
    const { 'com.example/arguments': args, 'com.example/gives': gives } = _meta;
    const result = await peer.call(name, args);
    assert.deepEqual(JSON.parse(success(result)), gives);
    // Before 2026-07-28 structured content is an object, so others are wrapped in one.
    const isObject = gives !== null && typeof gives === 'object' && !Array.isArray(gives);
    const wrapped = peer.revision !== modern && (!isObject || !('value' in gives) && 'result' in result.structuredContent);
    assert.deepEqual(result.structuredContent, wrapped ? { result: gives } : gives);
  }]);
}

/**
 * Runs the checks of each mode: [name, revision, open], where `open(url)` gives a peer. A client may be held to the
 * checks `about` some things only, and to `more` than the others.
 */
export async function run(modes, { about = Object.keys(checks), more = [] } = {}) {
  const [url, ...only] = process.argv.slice(2);
  if (!url) {
    console.error(`usage: URL [${modes.map(([name]) => name).join(' | ')} ...]`);
    process.exit(2);
  }
  const count = { passed: 0, failed: 0, skipped: 0 };
  const strays = [];
  process.on('unhandledRejection', (reason) => strays.push(reason));
  const check = async (label, name, body) => {
    try {
      const value = await within(body());
      count.passed += 1;
      console.log(`PASS ${label} ${name}`);
      return value;
    } catch (error) {
      const skipped = error instanceof Skip;
      count[skipped ? 'skipped' : 'failed'] += 1;
      const why = String(error?.message ?? error).replace(/\s+/g, ' ').slice(0, 300);
      console.log(`${skipped ? 'SKIP' : 'FAIL'} ${label} ${name} because ${why}`);
      return undefined;
    }
  };

  for (const [name, revision, open] of modes.filter(([name]) => only.length === 0 || only.includes(name))) {
    const label = `${name} ${revision}`;
    const peer = await check(label, 'connects', () => open(url, revision));
    if (!peer) continue;
    await check(label, 'negotiates the revision', async () => assert.equal(peer.revision, revision));
    const list = process.env.MCP_CLIENTS_CHECKS === 'schemas'
      ? await check(label, 'lists the tools', () => schemaChecks(peer)) ?? []
      : [...about.flatMap((what) => checks[what]), ...more].filter(([, , era]) => !era || era === (revision === modern ? 'modern' : 'legacy'));
    const isWanted = (what) => wanted.length === 0 || wanted.some((start) => what.startsWith(start));
    for (const [what, body] of list.filter(([what]) => isWanted(what))) await check(label, what, async () => body(peer));
    await check(label, 'closes', async () => {
      await peer.close();
      assert.deepEqual(strays.splice(0).map(String), [], 'rejections that nobody handled');
    });
  }
  console.log(`${count.passed} passed, ${count.failed} failed, ${count.skipped} skipped`);
  // A client that keeps the process alive after its close is let go: what counts is that the close came to an end.
  process.exit(count.failed > 0 || count.passed === 0 ? 1 : 0);
}

async function echoes(peer, text) {
  const { content, isError } = await peer.call('echo', { text });
  assert.ok(!isError, 'it is an error');
  assert.deepEqual(content.map((block) => block.type), ['text']);
  assert.ok(content[0].text === text, `sent ${JSON.stringify(text.slice(0, 60))}, got ${JSON.stringify(content[0].text.slice(0, 60))}`);
}

function textOf({ content }) {
  assert.equal(content[0]?.type, 'text', 'the first block is not text');
  return content[0].text;
}

/** The text of a result that is no error. */
function success(result) {
  assert.ok(!result.isError, `it is an error: ${textOf(result)}`);
  return textOf(result);
}

/** The text of a call that must fail: with a result that is an error, or with one of the error codes. */
async function refusal(call, codes) {
  const result = await call.catch((error) => {
    assert.ok(codes.includes(error.code), `${error.code}: ${error.message}`);
    return { isError: true, content: [{ type: 'text', text: error.message }] };
  });
  assert.ok(result.isError === true, 'it is not an error');
  return textOf(result);
}

/** Waits for an error with this code, which names something. */
async function fails(peer, promise, code, names) {
  await assert.rejects(promise, (error) => {
    if (error instanceof Skip) throw error;
    if (!peer.tellsNoCodes) assert.equal(error.code, code, `${error.code}: ${error.message}`);
    assert.ok(error.message.includes(names), error.message);
    return true;
  });
}

/** Whether among the `listed` is each of the `wanted`, which may have more to them, and a description. */
function lists(listed, wanted) {
  for (const one of wanted) {
    const found = listed.find(({ name }) => name === one.name);
    assert.ok(found?.description, `${one.name} is missing or has no description`);
    assert.deepEqual(Object.fromEntries(Object.keys(one).map((key) => [key, found[key]])), one);
  }
}

/** Waits for the client to give a call up. */
async function givesUp(call) {
  await assert.rejects(call, (error) => {
    assert.match(String(error?.message ?? error), /timed? ?out|abort/i);
    return true;
  });
}

/** A signal that aborts after so many milliseconds. */
function after(ms) {
  const abort = new AbortController();
  setTimeout(() => abort.abort(), ms);
  return abort.signal;
}

/** Gives a call up, which the server then drops. */
async function drops(peer, options) {
  const before = await droppedCalls(peer);
  await givesUpSleeping(peer, options);
  const start = Date.now();
  while (await droppedCalls(peer) === before) {
    assert.ok(Date.now() - start < patience * keepAlive, `the call went on for ${Date.now() - start} ms`);
    await sleep(50);
  }
}

/**
 * Gives a call up, which goes on at the server: before 2026-07-28 a client that leaves cancels nothing, and the server
 * may pass over the `notifications/cancelled` that most clients send.
 */
async function letsGoOn(peer, options) {
  const before = await droppedCalls(peer);
  await givesUpSleeping(peer, options);
  await sleep(patience * keepAlive);
  assert.equal(await droppedCalls(peer), before, 'the call was dropped');
}

async function givesUpSleeping(peer, options) {
  await givesUp(peer.call('slow', { ms: 10_000 }, options));
}

/** How many calls the server has dropped while they slept, whoever sent them. */
async function droppedCalls(peer) {
  if (!keepAlive) throw new Skip('nobody told the keep-alive of the server');
  const { _meta } = await peer.call('slow', { ms: 0 });
  return _meta['io.github.mcp-http/dropped'];
}

function within(promise) {
  let timer;
  const late = new Promise((_, reject) => {
    timer = setTimeout(() => reject(new Error(`nothing came within ${limit / 1000} s`)), limit);
  });
  return Promise.race([promise, late]).finally(() => clearTimeout(timer));
}
