'use strict';
// What all views share: the wire to the host, its theme, the size of the page, and what is announced.
const waiting = new Map(), notes = {};
let lastID = 0, host = {}, can = {}, input, undoTimer;

const post = (message) => parent.postMessage({ jsonrpc: '2.0', ...message }, '*');
const request = (method, params) => new Promise((resolve, reject) => {
  waiting.set(++lastID, { resolve, reject });
  post({ id: lastID, method, params });
});

addEventListener('message', ({ source, data: m }) => {
  if (source !== parent || m?.jsonrpc !== '2.0') return;
  if (m.method === undefined) {
    const asked = waiting.get(m.id);
    waiting.delete(m.id);
    if (m.error) asked?.reject(new Error(m.error.message)); else asked?.resolve(m.result ?? {});
  } else if (m.id === undefined) notes[m.method]?.(m.params ?? {});
  else if (m.method === 'ui/resource-teardown' || m.method === 'ping') post({ id: m.id, result: {} });
  else post({ id: m.id, error: { code: -32601, message: 'method not found' } });
});

// make returns an element. Children are elements or texts; a text is never read as HTML.
const make = (name, attributes = {}, ...children) => {
  const e = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (key.startsWith('on')) e.addEventListener(key.slice(2), value);
    else if (value === true) e.setAttribute(key, '');
    else if (value !== false && value != null) e.setAttribute(key, value);
  }
  e.append(...children.filter((c) => c != null));
  return e;
};
const root = document.querySelector('main'), status = document.querySelector('[role=status]'), offer = document.querySelector('#undo');
const say = (text) => { status.textContent = text; };
const show = (...children) => root.replaceChildren(...children.filter((c) => c != null));
const titled = (...children) => show(make('h1', {}, document.title), ...children);
const link = (url, ...children) => can.openLinks && /^https:/.test(url ?? '')
  ? make('button', { class: 'link', onclick: () => request('ui/open-link', { url }).catch(() => say('The link was not opened.')) }, ...children)
  : make('span', {}, ...children);

function adopt(context) {
  host = { ...host, ...context };
  const page = document.documentElement;
  if (host.theme) page.style.colorScheme = host.theme;
  for (const [name, value] of Object.entries(host.styles?.variables ?? {})) if (/^--(color|font|border)-/.test(name) && value) page.style.setProperty(name, value);
}

// data returns what a tool answered, or throws its error with its code and what it holds.
function data(result) {
  const value = result.structuredContent ?? JSON.parse(result.content?.find((c) => c.type === 'text')?.text ?? '{}');
  if (!result.isError) return value;
  throw Object.assign(new Error(value.message ?? 'The call failed.'), { code: value.error_code, held: value.data?.held });
}
const call = async (name, args) => data(await request('tools/call', { name, arguments: args }));
const writes = () => Boolean(can.serverTools);

function failed(error) {
  const url = error.held?.url;
  say(error.code === 'HELD' ? 'Nothing was done yet: this waits for your approval.' : error.message);
  if (url) status.append(' ', link(url, 'Open the approval page'));
}

// done tells the user and the model what the user did, and offers to take it back for ten seconds.
function done(text, back) {
  say(text);
  request('ui/update-model-context', { content: [{ type: 'text', text: `In the view, the user did this: ${text}` }] }).catch(() => {});
  clearTimeout(undoTimer);
  offer.hidden = !back;
  offer.onclick = back && (async () => {
    offer.hidden = true;
    try { await back(); done('Taken back.'); } catch (error) { failed(error); }
  });
  if (back) undoTimer = setTimeout(() => { offer.hidden = true; }, 10_000);
}
const takeBack = (answer, then) => answer.undo && (async () => { await call('undo', { ids: [answer.undo] }); await then(); });

let height, sizing;
new ResizeObserver(() => {
  clearTimeout(sizing);
  sizing = setTimeout(() => {
    const now = Math.ceil(document.documentElement.getBoundingClientRect().height);
    if (now !== height) post({ method: 'ui/notifications/size-changed', params: { width: innerWidth, height: height = now } });
  }, 50);
}).observe(document.documentElement);

// start begins with the host. result gets each answer; the arguments are in input, if the host has sent them.
function start(result) {
  const take = (answer) => { try { result(data(answer)); } catch (error) { titled(make('p', {}, error.message)); say('The call failed.'); } };
  notes['ui/notifications/tool-input'] = (p) => { input = p.arguments ?? {}; if (last) take(last); };
  notes['ui/notifications/tool-result'] = (p) => take(last = p);
  notes['ui/notifications/tool-cancelled'] = () => { titled(); say('The call was cancelled.'); };
  notes['ui/notifications/host-context-changed'] = adopt;
  let last;
  titled();
  say('Loading…');
  request('ui/initialize', { protocolVersion: '2026-01-26', appInfo: { name: document.title, version: '1' }, appCapabilities: { availableDisplayModes: ['inline'] } })
    .then((r) => { can = r.hostCapabilities ?? {}; adopt(r.hostContext ?? {}); post({ method: 'ui/notifications/initialized' }); })
    .catch(() => say('The host did not answer.'));
}
