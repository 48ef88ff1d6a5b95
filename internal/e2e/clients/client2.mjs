// The TypeScript client 2.x, in the era that is asked for.
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { bearer, clientInfo, endpoint, era, serve } from './serve.mjs';

const transport = new StreamableHTTPClientTransport(new URL(endpoint), {
  requestInit: { headers: { Authorization: `Bearer ${bearer}` } },
});
const client = new Client(clientInfo, { versionNegotiation: { mode: era } });
await client.connect(transport);
await serve(client, client.getNegotiatedProtocolVersion());
