// The page of a host that shows a view, with the official AppBridge, or speaking the wire by itself.
import { AppBridge, PostMessageTransport } from '@modelcontextprotocol/ext-apps/app-bridge';

const seen = { calls: [], contexts: [], links: [], heights: [], said: [], waiting: 0, initialized: false };
const handlers = {
  'tools/call': async (params) => {
    seen.calls.push(params);
    seen.waiting += 1;
    return window.callServer(params).finally(() => { seen.waiting -= 1; });
  },
  'ui/open-link': async ({ url }) => { seen.links.push(url); return {}; },
  'ui/update-model-context': async ({ content }) => { seen.contexts.push(content[0].text); return {}; },
};
const send = (frame, message) => frame.contentWindow.postMessage({ jsonrpc: '2.0', ...message }, '*');

// sized makes the frame as high as the view says.
function sized(frame, { height }) {
  seen.heights.push(height);
  frame.style.height = `${height}px`;
}

function plain(frame, { html, capabilities, hostContext, begin }) {
  addEventListener('message', async ({ source, data: m }) => {
    if (source !== frame.contentWindow || m?.jsonrpc !== '2.0') return;
    if (m.method) seen.said.push(m.method);
    const answer = (result) => send(frame, { id: m.id, result });
    if (m.method === 'ui/notifications/sandbox-proxy-ready') send(frame, { method: 'ui/notifications/sandbox-resource-ready', params: { html } });
    else if (m.method === 'ui/initialize') answer({ protocolVersion: '2026-01-26', hostInfo: { name: 'plain', version: '1' }, hostCapabilities: capabilities, hostContext });
    else if (m.method === 'ui/notifications/initialized') { seen.initialized = true; begin((method, params) => send(frame, { method, params })); }
    else if (m.method === 'ui/notifications/size-changed') sized(frame, m.params);
    else if (handlers[m.method]) await handlers[m.method](m.params).then(answer, (error) => send(frame, { id: m.id, error: { code: -32000, message: error.message } }));
    else if (m.error) seen.refused = m.error.code;
    else if (m.id === 'x') seen.answered = true;
  });
}

async function bridged(frame, { html, capabilities, hostContext, begin }) {
  const bridge = new AppBridge(null, { name: 'bridge', version: '1' }, capabilities, { hostContext });
  bridge.onsandboxready = () => bridge.sendSandboxResourceReady({ html });
  bridge.oncalltool = handlers['tools/call'];
  bridge.onopenlink = handlers['ui/open-link'];
  bridge.onupdatemodelcontext = handlers['ui/update-model-context'];
  bridge.onsizechange = (size) => sized(frame, size);
  bridge.oninitialized = () => {
    seen.initialized = true;
    begin((method, params) => ({
      'ui/notifications/tool-input': () => bridge.sendToolInput(params),
      'ui/notifications/tool-result': () => bridge.sendToolResult(params),
      'ui/notifications/tool-cancelled': () => bridge.sendToolCancelled(params),
      'ui/notifications/host-context-changed': () => bridge.setHostContext({ ...hostContext, ...params }),
    })[method]());
  };
  await bridge.connect(new PostMessageTransport(frame.contentWindow, frame.contentWindow));
}

window.show = async (options) => {
  const frame = document.createElement('iframe');
  frame.title = 'view';
  frame.style = 'border:0;width:100%;height:900px';
  let notify;
  const begin = (f) => {
    notify = f;
    for (const [method, params] of options.notes) f(method, params);
  };
  document.body.append(frame);
  const connect = options.plain ? plain : bridged;
  const connected = connect(frame, { ...options, begin });
  frame.src = options.sandbox;
  await connected;
  window.notify = (method, params) => notify(method, params);
  window.ask = (method) => send(frame, { id: 'x', method, params: {} });
};
window.seen = () => seen;
