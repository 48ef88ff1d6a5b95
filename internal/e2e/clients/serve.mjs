// Lets a test use an MCP client: it reads one JSON object a line, {tool, arguments}, and answers each with the result of
// the call, on one line too. The first line it writes is what the client has learnt by connecting: {version, tools}.
import { createInterface } from 'node:readline';

export const [endpoint, bearer, era] = process.argv.slice(2);
export const clientInfo = { name: 'e2e', version: '1' };

const say = (object) => process.stdout.write(JSON.stringify(object) + '\n');

export async function serve(client, version) {
  const { tools } = await client.listTools();
  say({ version, tools: tools.map((tool) => tool.name) });
  for await (const line of createInterface({ input: process.stdin })) {
    const { tool, arguments: given } = JSON.parse(line);
    say(await client.callTool({ name: tool, arguments: given }));
  }
  await client.close();
}
