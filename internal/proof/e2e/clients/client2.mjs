// The TypeScript client 2.x, in the given protocol era. Without a bearer token it logs in.
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import * as login from './login.mjs';
import { capabilities, handle } from './open.mjs';
import { bearer, clientInfo, endpoint, era, links, serve } from './serve.mjs';

const over = (options) => new StreamableHTTPClientTransport(new URL(endpoint), options);
const client = new Client(clientInfo, { versionNegotiation: { mode: era }, ...(links && { capabilities }) });
if (links) client.setRequestHandler('elicitation/create', handle);
if (bearer) {
  await client.connect(over({ requestInit: { headers: { Authorization: `Bearer ${bearer}` } } }));
} else {
  await login.connect(client, () => over({ authProvider: login.provider }), (begun, answer) => begun.finishAuth(answer));
}
await serve(client, client.getNegotiatedProtocolVersion(), login);
