// A program without a browser: the TypeScript SDK 1.x with client credentials. It prints the answer to get_me.
import { ClientCredentialsProvider, PrivateKeyJwtProvider } from '@modelcontextprotocol/sdk/client/auth-extensions.js';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';

const { ENDPOINT, CLIENT_ID, CLIENT_SECRET, PRIVATE_KEY } = process.env;
const about = { clientId: CLIENT_ID, expectedIssuer: new URL(ENDPOINT).origin };
const authProvider = CLIENT_SECRET
  ? new ClientCredentialsProvider({ ...about, clientSecret: CLIENT_SECRET })
  : new PrivateKeyJwtProvider({ ...about, privateKey: PRIVATE_KEY, algorithm: 'ES256' });
const client = new Client({ name: 'nightly', version: '1' });
await client.connect(new StreamableHTTPClientTransport(new URL(ENDPOINT), { authProvider }));
const answer = await client.callTool({ name: 'get_me', arguments: {} });
console.log(answer.content[0].text);
await client.close();
