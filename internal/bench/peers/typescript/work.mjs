// The work that both TypeScript peers share: reading from the upstream, Markdown, and the answers.
import { readFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import Turndown from 'turndown'

const { values } = parseArgs({ options: { upstream: { type: 'string' }, tools: { type: 'string' } } })

export const tools = JSON.parse(readFileSync(values.tools, 'utf8')).tools

const headers = { Authorization: 'Bearer bench-access-token' }
const turndown = new Turndown({ headingStyle: 'atx', bulletListMarker: '-', emDelimiter: '*' })

async function get(path) {
  const response = await fetch(`${values.upstream}/5000001/${path}`, { headers })
  if (!response.ok) throw new Error(`read ${path}: status ${response.status}`)
  return response.json()
}

async function todos({ todolist_id: list, limit }) {
  const page = (await get(`todolists/${list}/todos.json`)).slice(0, limit)
  const [first] = page
  return {
    all_items: { type: 'todo', project: { id: first.bucket.id, name: first.bucket.name }, list: { id: first.parent.id, name: first.parent.title } },
    items: page.map((d) => ({
      id: d.id,
      title: d.title,
      description: turndown.turndown(d.description),
      completed: d.completed,
      completed_at: null,
      due_on: d.due_on,
      assignees: d.assignees.map((p) => ({ name: p.name, email: p.email_address })),
      comments_count: d.comments_count,
      author: d.creator.name,
      created_at: d.created_at,
    })),
    has_more: false,
    next_page: null,
    total: page.length,
  }
}

async function me() {
  const [profile, account] = await Promise.all([get('my/profile.json'), get('account.json')])
  const now = new Date()
  return {
    id: profile.id,
    name: profile.name,
    email: profile.email_address,
    title: profile.title,
    company: profile.company.name,
    time_zone: profile.time_zone,
    local_time: now.toISOString(),
    weekday: now.toLocaleDateString('en', { weekday: 'long', timeZone: profile.time_zone }),
    account: { id: account.id, name: account.name },
    scopes: ['read', 'write'],
    read_only: false,
  }
}

const handlers = {
  list_tasks: async () => ({ tasks: [], count: 0, total: 0, has_more: false, next_cursor: null }),
  get_me: me,
  list_todos: todos,
}

// call runs a tool and returns its result.
export async function call(name, input) {
  const answer = await handlers[name](input)
  return { content: [{ type: 'text', text: JSON.stringify(answer) }], structuredContent: answer }
}

// announce prints the URL of a server that listens.
export function announce(server) {
  console.log(`ready at http://127.0.0.1:${server.address().port}/mcp`)
}
