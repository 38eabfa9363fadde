// The TypeScript client 2.x as a peer: node ts2.mjs URL [MODE ...]

import { Client, LOG_LEVEL_META_KEY, ProtocolErrorCode, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { capabilities, respondent, run } from './checks.mjs';

/** The client may keep what it got for as long as the server allows. */
const anew = { cacheMode: 'refresh' };
/** What the server says of changes. */
const changes = ['tools/list_changed', 'prompts/list_changed', 'resources/list_changed', 'resources/updated']
  .map((change) => `notifications/${change}`);

const open = (options) => async (url) => {
  const client = new Client({ name: 'ts2', version: '1' }, { capabilities, ...options });
  const { asked, elicit, sample, roots } = respondent();
  client.setRequestHandler('elicitation/create', elicit);
  client.setRequestHandler('sampling/createMessage', sample);
  client.setRequestHandler('roots/list', roots);
  await client.connect(new StreamableHTTPClientTransport(new URL(url)));
  return {
    revision: client.getNegotiatedProtocolVersion(),
    asked,
    server: client.getServerVersion(),
    tools: async () => (await client.listTools(undefined, anew)).tools,
    call: async (name, args, { onlog, ...options } = {}) => {
      const call = { name, arguments: args };
      if (onlog) {
        client.setNotificationHandler('notifications/message', ({ params }) => onlog(params));
        if (client.getProtocolEra() === 'modern') call._meta = { [LOG_LEVEL_META_KEY]: 'info' };
        else await client.setLoggingLevel('info');
      }
      return client.callTool(call, options);
    },
    prompts: async () => (await client.listPrompts(undefined, anew)).prompts,
    prompt: (name, args) => client.getPrompt({ name, arguments: args }),
    resources: async () => (await client.listResources(undefined, anew)).resources,
    templates: async () => (await client.listResourceTemplates(undefined, anew)).resourceTemplates,
    read: (uri) => client.readResource({ uri }, anew),
    notFound: ProtocolErrorCode.InvalidParams,
    complete: (ref, argument) => client.complete({ ref, argument }),
    listen: async (notifications) => {
      const heard = [];
      for (const method of changes) {
        client.setNotificationHandler(method, ({ params }) => heard.push(params?.uri ? { method, uri: params.uri } : { method }));
      }
      const subscription = await client.listen(notifications);
      return { acknowledged: subscription.honoredFilter, heard, close: () => subscription.close() };
    },
    close: () => client.close(),
  };
};

await run([
  ['ts2', '2025-11-25', open({})],
  ['ts2-old', '2025-06-18', open({ supportedProtocolVersions: ['2025-06-18'] })],
  ['ts2-auto', '2026-07-28', open({ versionNegotiation: { mode: 'auto' } })],
  ['ts2-pin', '2026-07-28', open({ versionNegotiation: { mode: { pin: '2026-07-28' } } })],
]);
