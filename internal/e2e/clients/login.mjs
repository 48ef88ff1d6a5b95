// An OAuth client's side of a login, for both generations of the TypeScript SDK. The test plays the person: the first thing
// written is {authorize}, where the browser is to be sent, and the line read for it is {redirected}, where it was sent back to.
import { listen, say } from './lines.mjs';

const redirectUrl = 'http://127.0.0.1:9/callback';
const kept = {};
let state;

export const provider = {
  redirectUrl,
  clientMetadata: {
    client_name: 'e2e',
    redirect_uris: [redirectUrl],
    grant_types: ['authorization_code', 'refresh_token'],
    response_types: ['code'],
    token_endpoint_auth_method: 'none',
  },
  state: () => (state = crypto.randomUUID()),
  clientInformation: () => kept.client,
  saveClientInformation: (client) => { kept.client = client; },
  tokens: () => kept.tokens,
  saveTokens: (tokens) => { kept.tokens = tokens; },
  codeVerifier: () => kept.verifier,
  saveCodeVerifier: (verifier) => { kept.verifier = verifier; },
  invalidateCredentials: (what) => { if (what === 'all' || what === 'tokens') delete kept.tokens; },
  redirectToAuthorization: (url) => say({ authorize: url.href }),
};

// connect connects over what transport() makes: at first in vain, which begins the login, and then with tokens.
export async function connect(client, transport, finish) {
  const first = transport();
  try {
    await client.connect(first);
    throw new Error('let in without a login');
  } catch (error) {
    if (error.constructor.name !== 'UnauthorizedError') throw error;
  }
  const { redirected } = await listen();
  const answer = new URL(redirected).searchParams;
  if (answer.get('state') !== state) throw new Error('sent back with another state');
  await finish(first, answer);
  const second = transport();
  await client.connect(second);
  return second;
}

export const spoil = () => { kept.tokens = { ...kept.tokens, access_token: 'spoilt' }; };
