// The TypeScript SDK 1.x, which most clients are still built with.
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { bearer, clientInfo, endpoint, serve } from './serve.mjs';

const transport = new StreamableHTTPClientTransport(new URL(endpoint), {
  requestInit: { headers: { Authorization: `Bearer ${bearer}` } },
});
const client = new Client(clientInfo);
await client.connect(transport);
await serve(client, transport.protocolVersion);
