// A small server on the TypeScript SDK 2.x: `node ts2.mjs PORT`

import { createServer } from 'node:http';
import { localhostHostValidation, localhostOriginValidation, toNodeHandler } from '@modelcontextprotocol/node';
import { McpServer, createMcpHandler } from '@modelcontextprotocol/server';
import * as z from 'zod';

const handler = toNodeHandler(createMcpHandler(() => {
  const server = new McpServer({ name: 'ts2', version: '1.0.0' });
  const annotations = { readOnlyHint: true };
  server.registerTool(
    'add',
    { description: 'Adds two numbers', inputSchema: z.object({ a: z.number(), b: z.number() }), annotations },
    async ({ a, b }) => ({ content: [{ type: 'text', text: String(a + b) }] }),
  );
  server.registerTool(
    'fail',
    { description: 'Fails', inputSchema: z.object({}), annotations },
    async () => ({ content: [{ type: 'text', text: 'it failed' }], isError: true }),
  );
  server.registerPrompt(
    'greet',
    { description: 'Greets', argsSchema: z.object({ name: z.string() }) },
    ({ name }) => ({ messages: [{ role: 'user', content: { type: 'text', text: `Greet ${name}` } }] }),
  );
  server.registerResource('hello', 'note://hello', { mimeType: 'text/plain' }, async (uri) => ({
    contents: [{ uri: uri.href, mimeType: 'text/plain', text: 'Hello' }],
  }));
  return server;
}));
const guards = [localhostHostValidation(), localhostOriginValidation()];
createServer((request, response) => {
  if (guards.every((guard) => guard(request, response))) handler(request, response);
}).listen(Number(process.argv[2]), '127.0.0.1');
