import type {
  OAuthClientMetadata,
  OAuthClientProvider,
  OAuthDiscoveryState,
  StoredOAuthClientInformation,
} from "@modelcontextprotocol/client";

/** What one sign-in collects: the SDK writes it, and the second half of the sign-in reads it. */
export type OAuthMemory = {
  state: string;
  redirectUrl: string;
  client?: StoredOAuthClientInformation;
  discovery?: OAuthDiscoveryState;
  verifier?: string;
  authorizationUrl?: string;
};

/** This server, as it registers itself at the sign-in servers of tool servers. */
export function clientMetadataOf(redirectUrl: string): OAuthClientMetadata {
  return {
    client_name: "Parlance",
    client_uri: new URL(redirectUrl).origin,
    redirect_uris: [redirectUrl],
    grant_types: ["authorization_code", "refresh_token"],
    response_types: ["code"],
  };
}

/**
 * The SDK's view of one sign-in: reads and writes `memory`. `clientMetadataUrl`: where sign-in servers can read this server's
 * metadata; `undefined` if they cannot reach it.
 */
export function oauthClient(memory: OAuthMemory, clientMetadataUrl: string | undefined): OAuthClientProvider {
  return {
    redirectUrl: memory.redirectUrl,
    ...(clientMetadataUrl === undefined ? {} : { clientMetadataUrl }),
    clientMetadata: clientMetadataOf(memory.redirectUrl),
    state: () => memory.state,
    // A client that was registered by hand is for the sign-in server that counts (`pinIssuer`).
    clientInformation: (about) =>
      memory.client && { ...(about === undefined ? {} : { issuer: about.issuer }), ...memory.client },
    saveClientInformation: (client) => void (memory.client = client),
    // Tokens that exist are not used again: the person signs in anew.
    tokens: () => undefined,
    saveTokens: () => {},
    redirectToAuthorization: (url) => void (memory.authorizationUrl = url.href),
    saveCodeVerifier: (verifier) => void (memory.verifier = verifier),
    codeVerifier: () => memory.verifier ?? "",
    saveDiscoveryState: (discovery) => void (memory.discovery = discovery),
    discoveryState: () => memory.discovery,
  };
}

/** Whether the sign-in server said that the person must sign in again, as opposed to failing. */
export async function invalidGrants(error: unknown): Promise<boolean> {
  const { OAuthError } = await import("@modelcontextprotocol/client");
  return (
    error instanceof OAuthError &&
    ["invalid_grant", "invalid_client", "unauthorized_client"].includes(error.code)
  );
}
