// A program without a browser: the TypeScript SDK 1.x with client credentials. It prints the answer to get_me. The
// conformance suite starts it too, with its server as an argument, and then it lists the tools.
import { ClientCredentialsProvider } from '@modelcontextprotocol/sdk/client/auth-extensions.js';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';

const { ENDPOINT, CLIENT_ID, CLIENT_SECRET, MCP_CONFORMANCE_CONTEXT } = process.env;
const suite = JSON.parse(MCP_CONFORMANCE_CONTEXT ?? '{}');
const url = new URL(ENDPOINT ?? process.argv[2]);
const about = ENDPOINT ? { clientId: CLIENT_ID, expectedIssuer: url.origin } : { clientId: suite.client_id };
const authProvider = new ClientCredentialsProvider({ ...about, clientSecret: CLIENT_SECRET ?? suite.client_secret });
const client = new Client({ name: 'nightly', version: '1' });
await client.connect(new StreamableHTTPClientTransport(url, { authProvider }));
if (ENDPOINT) {
  const answer = await client.callTool({ name: 'get_me', arguments: {} });
  console.log(answer.content[0].text);
} else {
  await client.listTools();
}
await client.close();
