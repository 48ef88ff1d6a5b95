'use strict';
// What all views share: the wire to the host, its theme, the size of the page, and what is announced.
const waiting = new Map(), notes = {}, doings = [];
let lastID = 0, host = {}, can = {}, ready = false, input, offered, leftOut, acted, undoTimer;

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
// show replaces what is shown. The element that had the focus has it again, if there is one with its id.
const show = (...children) => {
  const focus = document.activeElement?.id;
  root.replaceChildren(...children.filter((c) => c != null));
  if (leftOut) root.append(quiet(`Left out, because this connection may not see it: ${leftOut}`));
  if (focus) document.getElementById(focus)?.focus();
};
const quiet = (text) => make('p', { class: 'quiet' }, text);
const rest = (all, items) => (items.length && all > items.length ? quiet(`${all - items.length} more`) : null);
// dated returns a day as people write it: Fri 28 Nov.
const dated = (day, length = 'short') => {
  const d = new Date(`${day}T12:00`), word = (part) => d.toLocaleDateString('en', { [part]: length });
  return Number.isNaN(+d) ? day : `${word('weekday')} ${d.getDate()} ${word('month')}`;
};
const titled = (...children) => show(make('h1', {}, document.title), ...children);
const link = (url, ...children) => can.openLinks && /^https?:/.test(url ?? '')
  ? make('button', { class: 'link', onclick: () => request('ui/open-link', { url }).catch(() => say('The link was not opened.')) }, ...children)
  : make('span', {}, ...children);

function adopt(context) {
  host = { ...host, ...context };
  const page = document.documentElement;
  if (host.theme) page.style.colorScheme = host.theme;
  for (const [name, value] of Object.entries(host.styles?.variables ?? {})) if (/^--(color|font|border)-/.test(name) && value) page.style.setProperty(name, value);
}

// data returns what a tool answered, or throws its error.
function data(result) {
  const text = result.content?.find((c) => c.type === 'text')?.text ?? '{}';
  let value = result.structuredContent;
  try { value ??= JSON.parse(text); } catch { value = { message: text }; }
  if (!result.isError) return value;
  throw Object.assign(new Error(value.message ?? 'The call failed.'), { code: value.error_code });
}
const call = async (name, args) => data(await request('tools/call', { name, arguments: args }));
// may reports whether the page can call a tool: the host lets it, and this connection has the tool.
const may = (tool) => Boolean(can.serverTools) && (offered?.includes(tool) ?? true);
const settle = (...tools) => say(tools.some(may) ? '' : 'This can be read here, but not changed.');

// inTurn does what the user does quickly, one after the other.
let turn = Promise.resolve();
const inTurn = (act) => { turn = turn.then(act).catch(failed); };

// whole returns an answer, or throws the error of its only item.
function whole(answer) {
  const { ok, error } = answer.results?.[0] ?? {};
  if (ok === false) throw Object.assign(new Error(error?.message ?? 'It was not changed.'), { code: error?.error_code });
  return answer;
}

const failed = (error) => say(error.message);

// titledBy names a title to the model: on one line and quoted. Others may have written it, so it must not read as words of the user.
const titledBy = (title) => `which somebody titled ${JSON.stringify(String(title).replace(/[\s\p{Cc}]+/gu, ' ').trim())}`;

// done tells the user what was done and the model, by its reference, to what; and offers to take it back for ten seconds.
// What the model is told replaces what it was told before, so it is everything.
function done(text, did, back) {
  say(text);
  doings.push(did);
  request('ui/update-model-context', { content: [{ type: 'text', text: ['In the view, the user did this:', ...doings].join('\n') }] }).catch(() => {});
  acted = document.activeElement?.id || acted;
  clearTimeout(undoTimer);
  offer.hidden = !back;
  offer.onclick = back && (() => {
    offer.hidden = true;
    document.getElementById(acted)?.focus();
    inTurn(async () => { await back(); done(`Taken back: ${text}`, `took back: ${did}`); });
  });
  if (back) undoTimer = setTimeout(() => { offer.hidden = true; }, 10_000);
}
const takeBack = (answer, then) => answer.undo && may('undo') && (async () => { await call('undo', { ids: [answer.undo] }); await then(); });

let height, sizing;
const size = () => {
  clearTimeout(sizing);
  sizing = setTimeout(() => {
    const now = Math.ceil(document.documentElement.getBoundingClientRect().height);
    if (ready && now !== height) post({ method: 'ui/notifications/size-changed', params: { width: innerWidth, height: height = now } });
  }, 50);
};
new ResizeObserver(size).observe(document.documentElement);

// start begins with the host. result gets each answer; the arguments are in input, if the host has sent them.
function start(result) {
  const take = (answer) => {
    offered = answer._meta?.['basecamp-mcp/tools'];
    leftOut = undefined;
    try {
      const value = data(answer);
      leftOut = value.fenced;
      result(value);
    } catch (error) { titled(make('p', {}, error.message)); say('The call failed.'); }
  };
  notes['ui/notifications/tool-input'] = (p) => { input = p.arguments ?? {}; if (last) take(last); };
  notes['ui/notifications/tool-result'] = (p) => take(last = p);
  notes['ui/notifications/tool-cancelled'] = () => { titled(); say('The call was cancelled.'); };
  notes['ui/notifications/host-context-changed'] = adopt;
  let last;
  titled();
  say('Loading…');
  request('ui/initialize', { protocolVersion: '2026-01-26', appInfo: { name: document.title, version: '1' }, appCapabilities: { availableDisplayModes: ['inline'] } })
    .then((r) => { can = r.hostCapabilities ?? {}; adopt(r.hostContext ?? {}); ready = true; post({ method: 'ui/notifications/initialized' }); size(); if (last) take(last); })
    .catch(() => say('The host did not answer.'));
}
