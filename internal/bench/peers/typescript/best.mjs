// The TypeScript SDK at its best: the low-level Server with ready JSON Schemas, JSON answers, no
// Express. The SDK still needs a new Server for each request.
import { createServer } from 'node:http'
import { Server } from '@modelcontextprotocol/sdk/server/index.js'
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js'
import { CallToolRequestSchema, ListToolsRequestSchema } from '@modelcontextprotocol/sdk/types.js'
import { announce, call, tools } from './work.mjs'

function newServer() {
  const server = new Server({ name: 'bench', version: '1.0.0' }, { capabilities: { tools: {} } })
  server.setRequestHandler(ListToolsRequestSchema, () => ({ tools }))
  server.setRequestHandler(CallToolRequestSchema, ({ params }) => call(params.name, params.arguments))
  return server
}

const server = createServer(async (request, response) => {
  const server = newServer()
  const transport = new StreamableHTTPServerTransport({ sessionIdGenerator: undefined, enableJsonResponse: true })
  response.on('close', () => {
    transport.close()
    server.close()
  })
  await server.connect(transport)
  await transport.handleRequest(request, response)
})
server.listen(0, '127.0.0.1', () => announce(server))
