// Lets a test act in a view that a host shows in Chromium. Arguments: the endpoint, a bearer token and the browser.
// Each line read is a command: {open: {tool, arguments, path, headers, plain, prefers, width, capabilities, context, clock, notes}}, {check: label},
// {press: key}, {tab: label to reach}, {drag: [card, column]}, {click: button}, {notify: [method, params]}, {ask: method}, {read: words to wait for},
// {say: status to wait for}, {call: [tool, arguments], which is of the model}, {later: ms}, {stray: message of another window}, {look: file for a screenshot}.
// Each line written is what the view then shows, and what the host has seen.
import { build } from 'esbuild';
import { readFile } from 'node:fs/promises';
import { chromium } from 'playwright-core';
import { listen, say } from './lines.mjs';

const [endpoint, bearer, executablePath] = process.argv.slice(2);
let path = '', more = {};
const rpc = async (method, params) => {
  const answer = await fetch(endpoint + path, {
    method: 'POST', headers: { Authorization: `Bearer ${bearer}`, 'Content-Type': 'application/json', Accept: 'application/json', ...more },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
  });
  const { result, error } = await answer.json();
  if (error) throw new Error(error.message);
  return result;
};
const bundle = await build({ entryPoints: [new URL('viewhost.mjs', import.meta.url).pathname], bundle: true, write: false, format: 'iife', logLevel: 'error' });
const axe = await readFile(new URL('node_modules/axe-core/axe.min.js', import.meta.url), 'utf8');
const browser = await chromium.launch({ executablePath });
const problems = [];
const hostOrigin = 'http://host.test', sandboxOrigin = 'http://sandbox.test';
// The default that the specification demands, and the frame that the proxy itself needs.
const csp = "default-src 'none'; script-src 'self' 'unsafe-inline'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; media-src 'self' data:; connect-src 'none'; frame-src 'self'; object-src 'none'; base-uri 'self'";
const proxy = `<!doctype html><meta charset="utf-8"><style>html,body{margin:0;height:100%}iframe{border:0;width:100%;height:100%}</style><script>
let inner;
addEventListener('message', ({ source, data }) => {
  if (data?.method === 'ui/notifications/sandbox-resource-ready') {
    inner = document.createElement('iframe');
    inner.title = 'page'; inner.sandbox = 'allow-scripts allow-same-origin'; inner.srcdoc = data.params.html;
    document.body.append(inner);
  } else if (source === parent) inner?.contentWindow.postMessage(data, '*');
  else if (source === inner?.contentWindow) parent.postMessage(data, '*');
});
addEventListener('load', () => parent.postMessage({ jsonrpc: '2.0', method: 'ui/notifications/sandbox-proxy-ready', params: {} }, '*'));
</script><body>`;

let page, view, clocked;
// A page serves all views, unless one wants a clock of its own.
async function newPage(clock) {
  await page?.context().close();
  page = await browser.newPage();
  clocked = clock;
  if (clock) await page.clock.install();
  page.setDefaultTimeout(20_000);
  page.on('console', (m) => { if (['error', 'warning'].includes(m.type())) problems.push(m.text()); });
  page.on('pageerror', (error) => problems.push(String(error)));
  await page.route('**/*', (route) => {
    const url = route.request().url();
    if (url === `${hostOrigin}/`) return route.fulfill({ contentType: 'text/html', body: '<!doctype html><html lang="en"><title>host</title><body style="margin:0"></body>' });
    if (url === `${sandboxOrigin}/`) return route.fulfill({ contentType: 'text/html', headers: { 'Content-Security-Policy': csp }, body: proxy });
    problems.push(`a request to ${url}`);
    return route.abort();
  });
  await page.exposeFunction('callServer', (params) => rpc('tools/call', params));
}
const commands = {
  async open({ tool, arguments: args = {}, path: to = '', headers = {}, plain = false, prefers = 'light', width = 700, context: hostContext = {}, clock = false, notes,
    capabilities = { serverTools: {}, openLinks: {} } }) {
    [path, more] = [to, headers];
    if (!page || clock || clocked) await newPage(clock);
    await page.setViewportSize({ width, height: 1000 });
    await page.emulateMedia({ colorScheme: prefers });
    await page.goto(`${hostOrigin}/`);
    await page.addScriptTag({ content: bundle.outputFiles[0].text });
    const { tools } = await rpc('tools/list');
    const { contents } = await rpc('resources/read', { uri: tools.find((t) => t.name === tool)._meta.ui.resourceUri });
    const result = await rpc('tools/call', { name: tool, arguments: args });
    await page.evaluate((o) => window.show(o), {
      html: contents[0].text, plain, capabilities, sandbox: `${sandboxOrigin}/`, hostContext,
      notes: notes ?? [['ui/notifications/tool-input', { arguments: args }], ['ui/notifications/tool-result', result]],
    });
    await page.waitForFunction(() => window.seen().initialized);
    view = page.frameLocator('iframe').frameLocator('iframe');
  },
  check: (label) => view.getByLabel(label).first().setChecked(true),
  press: (key) => page.keyboard.press(key),
  async tab(label) {
    for (let n = 0; n < 60; n += 1) {
      await page.keyboard.press('Tab');
      if ((await shown()).focus.startsWith(label)) return;
    }
    throw new Error(`the tab key does not lead to it, but to ${(await shown()).focus}`);
  },
  drag: ([card, column]) => view.locator('.card', { hasText: card }).dragTo(view.getByRole('heading', { name: column })),
  click: (name) => view.getByRole('button', { name }).or(view.getByLabel(name)).first().click(),
  notify: ([method, params]) => page.evaluate(([m, p]) => window.notify(m, p), [method, params]),
  ask: (method) => page.evaluate((m) => window.ask(m), method),
  read: (words) => view.getByText(words).first().waitFor(),
  say: (words) => view.getByRole('status').filter({ hasText: words }).waitFor(),
  call: ([name, args]) => rpc('tools/call', { name, arguments: args }),
  later: (ms) => page.clock.fastForward(ms),
  stray: (message) => page.frames().at(-1).evaluate((m) => window.postMessage(m, '*'), message),
  async look(file) {
    const height = await page.evaluate(() => Math.min(500, window.seen().heights.at(-1)));
    await page.setViewportSize({ width: 700, height });
    await page.screenshot({ path: file });
  },
};

const shown = () => page.frames().at(-1).evaluate(() => {
  const e = document.activeElement, root = document.documentElement;
  return {
    text: document.querySelector('main')?.innerText ?? '', status: document.querySelector('[role=status]')?.innerText ?? '',
    boxes: document.querySelectorAll('input, .more').length, ticked: document.querySelectorAll('input:checked').length,
    undo: document.querySelector('#undo')?.hidden === false, focus: (e.labels?.[0]?.innerText ?? e.getAttribute('aria-label') ?? e.textContent).trim(),
    wide: root.scrollWidth, hidden: root.scrollHeight - innerHeight, ink: getComputedStyle(document.body).color, injected: document.querySelectorAll('main img, main script').length,
  };
});
const violations = async () => {
  const inner = page.frames().at(-1);
  await inner.evaluate(axe);
  return inner.evaluate(async () => (await window.axe.run()).violations.map((v) => `${v.id}: ${v.nodes[0].html}`));
};

// A view draws what its calls have answered, which takes as long as the machine is busy.
async function settled() {
  do await page.waitForTimeout(150); while (await page.evaluate(() => window.seen().waiting > 0));
}

for (let command = await listen(); command; command = await listen()) {
  const [[name, argument]] = Object.entries(command);
  let failed = '';
  try { await commands[name](argument); await settled(); } catch (error) { failed = String(error); }
  let now = await shown().catch((error) => ({ failed: String(error) }));
  for (let n = 0; n < 20 && now.hidden > 0; n += 1) { await page.waitForTimeout(100); now = await shown(); } // the host makes room
  say({ failed, ...now, violations: name === 'open' ? await violations().catch((error) => [String(error)]) : [], seen: await page.evaluate(() => window.seen()), problems });
}
await browser.close();
