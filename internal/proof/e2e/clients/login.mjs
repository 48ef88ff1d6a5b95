// An OAuth client's side of a login, for both generations of the TypeScript SDK. The test acts as the
// user: this script writes {authorize}, the URL for the browser, and reads {redirected}, the final
// redirect.
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

// connect connects twice: the first attempt is refused, which begins the login; the second has tokens.
export async function connect(client, transport, finish) {
  const first = transport();
  try {
    await client.connect(first);
    throw new Error('connected without a login');
  } catch (error) {
    if (error.constructor.name !== 'UnauthorizedError') throw error;
  }
  const { redirected } = await listen();
  const answer = new URL(redirected).searchParams;
  if (answer.get('state') !== state) throw new Error('the redirect has another state');
  await finish(first, answer);
  const second = transport();
  await client.connect(second);
  return second;
}

export const spoil = () => { kept.tokens = { ...kept.tokens, access_token: 'spoilt' }; };
