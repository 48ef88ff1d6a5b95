// Lets a test use an MCP client: {tool, arguments} is answered with the result of the call, or with {failed} when there is none;
// {tokens} and {spoil}, of clients that have logged in, with the tokens they hold. The first thing it writes is what the client
// has learnt by connecting: {version, tools}.
import { listen, say } from './lines.mjs';

export const [endpoint, bearer, era] = process.argv.slice(2);
export const clientInfo = { name: 'e2e', version: '1' };

export async function serve(client, version, login) {
  const { tools } = await client.listTools();
  say({ version, tools: tools.map((tool) => tool.name) });
  for (let asked = await listen(); asked; asked = await listen()) {
    if (asked.spoil) login.spoil();
    if (asked.spoil || asked.tokens) say(login.provider.tokens());
    else say(await client.callTool({ name: asked.tool, arguments: asked.arguments }).catch((error) => ({ failed: String(error) })));
  }
  await client.close();
}
