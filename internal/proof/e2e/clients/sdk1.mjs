// The TypeScript SDK 1.x, which most clients still use. Without a bearer token it logs in.
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import * as login from './login.mjs';
import { capabilities } from './open.mjs';
import { bearer, clientInfo, endpoint, links, serve } from './serve.mjs';

const over = (options) => new StreamableHTTPClientTransport(new URL(endpoint), options);
const client = new Client(clientInfo, links && { capabilities });
let transport;
if (bearer) {
  transport = over({ requestInit: { headers: { Authorization: `Bearer ${bearer}` } } });
  await client.connect(transport);
} else {
  transport = await login.connect(client, () => over({ authProvider: login.provider }), (begun, answer) => begun.finishAuth(answer.get('code')));
}
await serve(client, transport.protocolVersion, login);
