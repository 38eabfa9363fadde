// The MCP Inspector 2.x as a peer, by both of its command lines: node inspector.mjs URL [MODE ...]
//
// Its --cli opens a connection for each command. Its mcpdo opens one that a process in the background keeps, which can
// do more: complete, answer forms, and tell of updates. Neither takes an empty value or tells the code of an error, and
// neither tells of changes of lists. Of tools only what is needed for that is called: each command takes a second.

import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { Skip, fixture, hearing, listens, respondent, run } from './checks.mjs';

// What the Inspector keeps goes here, and the process in the background is found here, instead of one of the user.
const home = mkdtempSync(join(tmpdir(), 'mcp-'));
const env = {
  ...process.env,
  HOME: home,
  MCP_INSPECTOR_DAEMON_DIR: join(home, 'daemon'),
  MCP_INSPECTOR_DAEMON_TOKEN: crypto.randomUUID(),
  MCP_INSPECTOR_SECRET_STORE: 'file',
};

/** Whether the process in the background may run, which would outlive this one. */
let background = false;
process.on('exit', () => {
  if (background) spawnSync(process.execPath, [path('mcpdo'), 'daemon', 'stop'], { env, timeout });
  rmSync(home, { recursive: true, force: true });
});
for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => process.exit(1));

/** A command may take so many milliseconds. */
const timeout = 15_000;

function path(bin) {
  return fileURLToPath(new URL(`../node_modules/.bin/${bin}`, import.meta.url));
}

function start(bin, args) {
  const options = { env, stdio: ['ignore', 'pipe', 'pipe'], timeout };
  return spawn(process.execPath, [path(bin), ...args, '--format', 'json'], options);
}

/** What a command prints, or the error that it tells. */
async function command(bin, ...args) {
  const child = start(bin, args);
  const [out, err, [code, signal]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')]);
  if (code === 0) return JSON.parse(out);
  const told = err.split('\n').findLast((line) => line.startsWith('{"error":'));
  throw new Error(told ? JSON.parse(told).error.message : `it ended with ${code ?? signal}: ${err}`);
}

/** A peer that runs the command of a method with `invoke`. */
const peer = ({ protocolVersion, serverInfo }, invoke) => ({
  revision: protocolVersion,
  server: serverInfo,
  tellsNoCodes: true,
  tools: async () => (await invoke('tools/list')).tools,
  call: (name, args = {}) => invoke('tools/call', '--tool-name', name, '--tool-args-json', JSON.stringify(args)),
  prompts: async () => (await invoke('prompts/list')).prompts,
  prompt: async (name, args = {}) => invoke('prompts/get', '--prompt-name', name, ...pairs(args)),
  resources: async () => (await invoke('resources/list')).resources,
  templates: async () => (await invoke('resources/templates/list')).resourceTemplates,
  read: (uri) => invoke('resources/read', '--uri', uri),
});

function pairs(args) {
  if (Object.values(args).includes('')) throw new Skip('the client takes no empty value');
  return Object.entries(args).flatMap(([name, value]) => ['--prompt-args', `${name}=${value}`]);
}

const openCli = (era) => async (url) => {
  const invoke = async (...method) =>
    (await command('mcp-inspector', '--cli', url, '--protocol-era', era, '--method', ...method)).result;
  const it = peer(await invoke('initialize'), invoke);
  return {
    ...it,
    asked: [],
    prompt: async (name, args) => {
      if (name === fixture.prompts.asked.name) throw new Skip('the client answers nothing');
      return it.prompt(name, args);
    },
    complete: async () => { throw new Skip('the client has no command for it'); },
    close: async () => {},
  };
};

const openMcpdo = (era) => async (url) => {
  background = true;
  const { name: connection } = await command('mcpdo', 'connect', url, '--era', era);
  const mcpdo = (...args) => command('mcpdo', '--connection', connection, ...args);
  const { asked, elicit } = respondent();
  const invoke = async (...method) => {
    let result = await mcpdo(...method);
    while (result.elicitationPending) {
      const { elicitationId, message } = result.elicitationPending;
      const { action, content } = elicit({ params: { message } });
      const answer = action === 'accept' ? JSON.stringify(content) : `--${action}`;
      result = await mcpdo('elicitation/respond', elicitationId, answer);
    }
    return result;
  };
  return {
    ...peer(await invoke('connections/show'), invoke),
    asked,
    complete: async ({ type, name, uri }, argument) => ({
      completion: await invoke(
        'prompts/complete',
        ...['--complete-ref-type', type, '--complete-ref', name ?? uri],
        ...['--complete-arg-name', argument.name, '--complete-arg-value', argument.value],
      ),
    }),
    watch: (uri) => start('mcpdo', ['--connection', connection, 'resources/subscribe', '--uri', uri]),
    close: async () => {
      await command('mcpdo', 'daemon', 'stop');
      background = false;
    },
  };
};

/** The command that subscribes to a resource goes on, and prints when the resource was updated. */
async function hearsOfAnUpdate(peer) {
  if (!peer.watch) throw new Skip('the client has no command for it');
  listens();
  const { tool, heard: { uri } } = fixture.changes.made.find(({ heard }) => heard.uri);
  const watching = peer.watch(uri);
  try {
    let printed = '';
    watching.stdout.on('data', (some) => { printed += some; });
    const prints = async (type) => {
      const start = Date.now();
      const told = () => printed.split(/(?<=^})$/m).slice(0, -1).map((one) => JSON.parse(one));
      while (!told().some((one) => one.type === type && one.uri === uri)) {
        assert.ok(Date.now() - start < hearing, `it does not print ${type}, but ${printed}`);
        await sleep(20);
      }
    };
    await prints('subscribed');
    await peer.call(tool);
    await prints('resources/updated');
  } finally {
    watching.kill();
  }
  assert.equal((await peer.call('echo', { text: 'still here' })).content[0].text, 'still here');
}

await run(
  [
    ['inspector', '2025-11-25', openCli('legacy')],
    ['inspector-modern', '2026-07-28', openCli('modern')],
    ['inspector-mcpdo', '2025-11-25', openMcpdo('legacy')],
    ['inspector-mcpdo-modern', '2026-07-28', openMcpdo('modern')],
  ],
  { about: ['prompts', 'resources', 'completion'], more: [['hears of an update', hearsOfAnUpdate, 'modern']] },
);
