// Lets a test control an MCP client. The first line written is {version, tools}. After that, each line
// read is {tool, arguments}, answered with the result of the call or with {failed}; or {tokens} or
// {spoil}, for clients that have logged in, answered with their tokens. With the argument links, the
// client opens links.
import { listen, say } from './lines.mjs';
import { repeat } from './open.mjs';

export const [endpoint, bearer, era, links] = process.argv.slice(2);
export const clientInfo = { name: 'e2e', version: '1' };

export async function serve(client, version, login) {
  const { tools } = await client.listTools();
  say({ version, tools: tools.map((tool) => tool.name) });
  for (let asked = await listen(); asked; asked = await listen()) {
    if (asked.spoil) login.spoil();
    if (asked.spoil || asked.tokens) say(login.provider.tokens());
    else say(await repeat(() => client.callTool({ name: asked.tool, arguments: asked.arguments })).catch((error) => ({ failed: String(error) })));
  }
  await client.close();
}
