import type { EndpointName } from "#contract/api.ts";

/**
 * The status of examples of the API reference that cannot succeed in its test: they are not implemented, or need an Ollama
 * server, a comparison or a sign-in. `audit.test.ts` lets those succeed that change something.
 */
export const otherStatus: { [N in EndpointName]?: number } = {
  "mcp.call": 501,
  // No app keeps the steps of its runs.
  "runs.replay": 404,
  "console.replay": 404,
  "comparisons.get": 404,
  "comparisons.choose": 404,
  // The only owner cannot leave.
  "accounts.remove": 409,
  "accounts.removeIdentity": 404,
  "accounts.removePasskey": 404,
  // Passkeys need a host name.
  "accounts.startPasskeySignIn": 409,
  "accounts.passkeySignIn": 409,
  "accounts.startPasskeySignUp": 409,
  "accounts.startPasskey": 409,
  "accounts.addPasskey": 409,
  // There is no such folder, and the server is in use.
  "backups.put": 409,
  "backups.remove": 409,
  "backups.start": 409,
  "backups.list": 409,
  "restores.list": 409,
  "restores.start": 409,
  // E-mail needs PUBLIC_URL.
  "mail.put": 409,
  "mail.remove": 409,
  "mail.test": 409,
  // No search service is set.
  "webSearch.test": 404,
  // No proxy signs people in.
  "accounts.proxySignIn": 403,
  "accounts.requestReset": 409,
  // The examples have no code of an authenticator app.
  "accounts.addSecondFactor": 403,
  "accounts.removeSecondFactor": 404,
  "accounts.renewRecoveryCodes": 404,
  "accounts.removeProxyIdentity": 404,
  "people.removeProxyIdentity": 404,
  "people.resetSecondFactor": 404,
  "accounts.finishProvider": 403,
  // There is no directory.
  "accounts.directorySignIn": 404,
  // The example is no file of another product.
  "imports.everyone": 415,
  // The example's server does not exist.
  "toolServers.startSignIn": 502,
  "toolServers.finishSignIn": 403,
  "providers.pull": 502,
  "providers.removeModel": 502,
};
