// The TypeScript SDK as its documentation shows a stateless server: Express, and a new McpServer
// with all tools for each request.
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js'
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js'
import express from 'express'
import { fromJSONSchema } from 'zod'
import { announce, call, tools } from './work.mjs'

const configurations = tools.map(({ name, title, description, annotations, inputSchema, outputSchema }) => ({
  name,
  configuration: {
    title,
    description,
    annotations,
    inputSchema: fromJSONSchema(inputSchema),
    outputSchema: outputSchema && fromJSONSchema(outputSchema),
  },
}))

function newServer() {
  const server = new McpServer({ name: 'bench', version: '1.0.0' })
  for (const { name, configuration } of configurations) {
    server.registerTool(name, configuration, (input) => call(name, input))
  }
  return server
}

const app = express()
app.use(express.json())
app.post('/mcp', async (request, response) => {
  const server = newServer()
  const transport = new StreamableHTTPServerTransport({ sessionIdGenerator: undefined })
  response.on('close', () => {
    transport.close()
    server.close()
  })
  await server.connect(transport)
  await transport.handleRequest(request, response, request.body)
})

const server = app.listen(0, '127.0.0.1', () => announce(server))
