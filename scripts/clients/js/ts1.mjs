// The TypeScript SDK 1.x as a peer: node ts1.mjs URL

import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import {
  CreateMessageRequestSchema, ElicitRequestSchema, ListRootsRequestSchema, LoggingMessageNotificationSchema,
} from '@modelcontextprotocol/sdk/types.js';
import { capabilities, respondent, run } from './checks.mjs';

async function open(url) {
  const client = new Client({ name: 'ts1', version: '1' }, { capabilities });
  const { asked, elicit, sample, roots } = respondent();
  client.setRequestHandler(ElicitRequestSchema, elicit);
  client.setRequestHandler(CreateMessageRequestSchema, sample);
  client.setRequestHandler(ListRootsRequestSchema, roots);
  const transport = new StreamableHTTPClientTransport(new URL(url));
  await client.connect(transport);
  return {
    revision: transport.protocolVersion,
    asked,
    server: client.getServerVersion(),
    tools: async () => (await client.listTools()).tools,
    call: async (name, args, { onlog, ...options } = {}) => {
      if (onlog) {
        client.setNotificationHandler(LoggingMessageNotificationSchema, ({ params }) => onlog(params));
        await client.setLoggingLevel('info');
      }
      return client.callTool({ name, arguments: args }, undefined, options);
    },
    prompts: async () => (await client.listPrompts()).prompts,
    prompt: (name, args) => client.getPrompt({ name, arguments: args }),
    resources: async () => (await client.listResources()).resources,
    templates: async () => (await client.listResourceTemplates()).resourceTemplates,
    read: (uri) => client.readResource({ uri }),
    complete: (ref, argument) => client.complete({ ref, argument }),
    close: () => client.close(),
  };
}

await run([['ts1', '2025-11-25', open]]);
