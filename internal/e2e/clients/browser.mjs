// Lets a test use Chromium, with JavaScript or without. Commands are {goto: url}, {press: key}, {click: name} of a button or
// link, {read: words} that will appear, and {pressOn: key}, {clickOn: name}, {clickTwiceOn: name} for what leads to another
// page. {popup: name} clicks what opens another window and goes on there; {closeOn: name} clicks what ends with that window closing
// itself, and goes on in the one before. The answer is what is seen then, and in problems whatever the browser has complained of so far.
import { chromium } from 'playwright-core';
import { listen, say } from './lines.mjs';

const [executablePath, javaScriptEnabled] = process.argv.slice(2);
const browser = await chromium.launch({ executablePath });
const context = await browser.newContext({ javaScriptEnabled: javaScriptEnabled === 'true', ignoreHTTPSErrors: true });
const problems = [];
context.on('page', (page) => {
  page.setDefaultTimeout(30_000);
  page.on('console', (message) => { if (['error', 'warning'].includes(message.type())) problems.push(`${page.url()}: ${message.text()}`); });
  page.on('pageerror', (error) => problems.push(`${page.url()}: ${error}`));
  // A request that gives way to the next is nothing to complain of.
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
  pressOn: (key) => leaving(page.keyboard.press(key)),
  clickOn: (name) => leaving(named(name).click()),
  clickTwiceOn: clickTwice,
  popup: async (name) => {
    const [opened] = await Promise.all([page.waitForEvent('popup'), named(name).click()]);
    before.push(page);
    page = opened;
    await page.getByRole('heading', { level: 1 }).first().waitFor();
  },
  closeOn: async (name) => {
    await Promise.all([page.waitForEvent('close'), named(name).click()]);
    page = before.pop();
  },
};
const leaving = (doing) => Promise.all([page.waitForEvent('framenavigated'), doing]);
const words = (texts) => texts.map((text) => text.trim().replace(/\s+/g, ' '));

// clickTwice clicks a second time when it is told to. The mouse alone does not wait for what a click has begun.
async function clickTwice(name) {
  await named(name).scrollIntoViewIfNeeded();
  const { x, y, width, height } = await named(name).boundingBox();
  const press = () => page.mouse.click(x + width / 2, y + height / 2);
  await press();
  await listen();
  await leaving(press());
}

// What has the focus, by the name it goes by.
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
    say(failed ? { failed } : await look());
  }
} finally {
  await browser.close();
}
