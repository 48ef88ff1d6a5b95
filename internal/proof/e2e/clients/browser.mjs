// Lets a test control Chromium, with or without JavaScript. Each line read is a command:
//   {goto: url}, {press: key}, {click: name of a button or link}, {read: text to wait for};
//   {unfold: words of a summary}, {tab: words of a label}, {link: name to wait for}, {unspoken: selector of elements that write no text of their own};
//   {axe: anything} fails if axe finds a problem; {look: file} takes a picture of the page in a small window;
//   {pressOn: key}, {clickOn: name} and {tickAndClickOn: name} look at the page first, and also wait for another page;
//   {lure: name} double clicks where the window that the first click opens has a button or link;
//   {fits: size} sets the size of the window, and fails if the page is larger; {type: text} types into the only field;
//   {popup: name} clicks, and continues in the window that opens;
//   {closeOn: name} clicks, waits until that window closes, and continues in the window before it.
// Each line written is what the browser then shows, with every problem that it has reported so far.
import { readFile } from 'node:fs/promises';
import { chromium } from 'playwright-core';
import { listen, say } from './lines.mjs';

const axe = await readFile(new URL('node_modules/axe-core/axe.min.js', import.meta.url), 'utf8');
const [executablePath, javaScriptEnabled] = process.argv.slice(2);
const browser = await chromium.launch({ executablePath });
const context = await browser.newContext({ javaScriptEnabled: javaScriptEnabled === 'true', ignoreHTTPSErrors: true });
const problems = [];
context.on('page', (page) => {
  page.setDefaultTimeout(30_000);
  page.on('console', (message) => { if (['error', 'warning'].includes(message.type())) problems.push(`${page.url()}: ${message.text()}`); });
  page.on('pageerror', (error) => problems.push(`${page.url()}: ${error}`));
  // The browser aborts a request when the next one replaces it. That is not a problem.
  page.on('requestfailed', (request) => request.failure().errorText === 'net::ERR_ABORTED' || problems.push(`${request.url()}: ${request.failure().errorText}`));
});
let page = await context.newPage();
const before = [];

const named = (name) => page.getByRole('button', { name }).or(page.getByRole('link', { name })).first();

const commands = {
  goto: (url) => page.goto(url),
  press: (key) => page.keyboard.press(key),
  click: (name) => named(name).click(),
  read: (words) => page.getByText(words, { exact: true }).first().waitFor({ state: 'attached' }),
  unfold: (words) => page.locator('summary', { hasText: words }).first().click(),
  tab: (words) => page.locator('label', { hasText: words }).first().click(),
  link: (name) => page.getByRole('link', { name }).waitFor(),
  unspoken: async (selector) => {
    const texts = await page.locator(selector).evaluateAll((all) => all.flatMap((e) => ['::before', '::after'].map((part) => getComputedStyle(e, part).content)));
    const spoken = texts.filter((text) => !['none', 'normal', '""'].includes(text));
    if (spoken.length > 0) throw new Error(`screen readers read ${spoken}`);
  },
  axe: async () => {
    await page.evaluate(axe);
    const found = await page.evaluate(async () => (await window.axe.run()).violations.map((v) => `${v.id}: ${v.nodes[0].html}`));
    if (found.length > 0) throw new Error(found.join('\n'));
  },
  look: async (path) => {
    await page.setViewportSize({ width: 680, height: 470 });
    await page.screenshot({ path, fullPage: true });
  },
  pressOn: async (key) => { await looking(); await leaving(page.keyboard.press(key)); },
  tickAndClickOn: async (name) => { await looking(); await page.getByRole('checkbox', { name: 'Yes, this is what I want.' }).check(); await leaving(named(name).click()); },
  clickOn: async (name) => { await looking(); await leaving(named(name).click()); },
  lure,
  fits: async (size) => {
    const [width, height] = size.split('x').map(Number);
    await page.setViewportSize({ width, height });
    const [wide, high] = await page.evaluate(() => [document.documentElement.scrollWidth, document.documentElement.scrollHeight]);
    if (wide > width || high > height) throw new Error(`the page has ${wide}x${high}`);
  },
  type: (text) => page.getByRole('textbox').fill(text),
  popup: async (name) => {
    const [opened] = await Promise.all([page.waitForEvent('popup'), named(name).click()]);
    before.push(page);
    page = opened;
    await page.getByRole('heading', { level: 1 }).first().waitFor();
  },
  closeOn: async (name) => {
    await looking();
    await Promise.all([page.waitForEvent('close'), named(name).click()]);
    page = before.pop();
  },
};
// People look at a page before they press a button. Pages take a press that comes sooner for a part of a double click.
const looking = () => page.waitForTimeout(800);
const leaving = (doing) => Promise.all([page.waitForEvent('framenavigated'), doing]);
const words = (texts) => texts.map((text) => text.trim().replace(/\s+/g, ' '));

// lure is what a hostile page does: the first click of a double click opens a window, in which the second one lands. The
// browser is told when that was, so that it is a fifth of a second later on every machine.
async function lure(name) {
  const timestamp = Date.now() / 1000 + 0.2;
  const [opened] = await Promise.all([page.waitForEvent('popup'), page.getByRole('button').first().click()]);
  before.push(page);
  page = opened;
  await page.waitForLoadState();
  const { x, y, width, height } = await named(name).boundingBox();
  const devtools = await context.newCDPSession(page);
  for (const [type, clickCount] of [['mouseMoved', 0], ['mousePressed', 1], ['mouseReleased', 1]]) {
    await devtools.send('Input.dispatchMouseEvent', { type, clickCount, timestamp, x: x + width / 2, y: y + height / 2, button: clickCount ? 'left' : 'none' });
  }
}

// focused returns the name of the element that has the focus.
const focused = () => {
  const e = document.activeElement;
  return (e.labels?.[0] ?? e).textContent.trim().replace(/\s+/g, ' ') || e.getAttribute('aria-label') || e.id;
};

async function look() {
  await page.waitForLoadState();
  return {
    url: page.url(),
    heading: words(await page.getByRole('heading', { level: 1 }).allTextContents()).join(),
    focus: await page.evaluate(focused),
    buttons: words(await page.getByRole('button').allTextContents()),
    status: words(await page.getByRole('status').allTextContents()).join(),
    cookies: (await context.cookies()).map(({ name, secure, httpOnly, sameSite }) => ({ name, secure, httpOnly, sameSite })),
    problems,
  };
}

try {
  for (let asked = await listen(); asked; asked = await listen()) {
    const [[command, argument]] = Object.entries(asked);
    const failed = await commands[command](argument).then(() => undefined, (error) => `${command} ${argument}: ${error}`);
    say(failed ? { failed } : await look().catch(look)); // again, if the page went on meanwhile
  }
} finally {
  await browser.close();
}
