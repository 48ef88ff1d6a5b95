// The part of an MCP client that opens links for its user. The test acts as the user: this script
// writes {open}, the URL for the browser, and reads {opened} when the user is done.
import { listen, say } from './lines.mjs';

// capabilities are those of a client that opens links.
export const capabilities = { elicitation: { url: {} } };

export async function open(url) {
  say({ open: url });
  await listen();
}

// handle answers the request of a server to open a link.
export async function handle({ params }) {
  await open(params.url);
  return { action: 'accept' };
}

// repeat makes a call again after the user has opened the links that the call needs first.
export async function repeat(call) {
  try {
    return await call();
  } catch (error) {
    if (!error.elicitations?.length) throw error;
    for (const { url } of error.elicitations) await open(url);
    return call();
  }
}
