import * as oidc from "openid-client";
import { isPublicHost } from "#server/fetch/hosts.ts";
import { fetchFromProvider } from "../provider-fetch.ts";
import { groupsIn } from "./groups-claim.ts";
import type { ProviderClient, ProviderPlace } from "./profile.ts";

/** 10 s: people wait for it. */
const timeoutSeconds = 10;

/**
 * Reads the discovery document of an OpenID provider. Throws if there is none, if it is another issuer's, or if that of a
 * public issuer leads into the operator's own network. `send` is for tests.
 */
export async function discoverOidc(
  { issuer, clientId, clientSecret, isPublicOnly = false, groupsClaim }: ProviderPlace,
  send = fetchFromProvider,
): Promise<ProviderClient> {
  const isPublic = isPublicOnly || (await isPublicHost(issuer));
  const sendChecked: typeof send = async (url, init) => {
    if (isPublic) await requirePublic(url);
    return await send(url, init, { publicOnly: isPublic });
  };
  const config = await oidc.discovery(new URL(issuer), clientId, undefined, authenticate(clientSecret), {
    execute: [
      oidc.enableNonRepudiationChecks,
      ...(issuer.startsWith("http:") ? [oidc.allowInsecureRequests] : []),
    ],
    timeout: timeoutSeconds,
    [oidc.customFetch]: sendChecked as oidc.CustomFetch,
  });
  const {
    token_endpoint: token,
    userinfo_endpoint: userinfo,
    jwks_uri: keys,
    scopes_supported: scopes,
  } = config.serverMetadata();
  const asksGroups = groupsClaim !== undefined && scopes?.includes("groups") === true;
  for (const url of isPublic ? [token, userinfo, keys] : []) if (url !== undefined) await requirePublic(url);
  return {
    authorizationUrl: async (redirectUri, { state, nonce, codeVerifier }) =>
      oidc.buildAuthorizationUrl(config, {
        redirect_uri: redirectUri,
        scope: `openid email profile${asksGroups ? " groups" : ""}`,
        state,
        nonce,
        code_challenge: await oidc.calculatePKCECodeChallenge(codeVerifier),
        code_challenge_method: "S256",
      }),

    async profileOf(currentUrl, { state, nonce, codeVerifier }) {
      const tokens = await oidc.authorizationCodeGrant(config, currentUrl, {
        expectedState: state,
        expectedNonce: nonce,
        pkceCodeVerifier: codeVerifier,
        idTokenExpected: true,
      });
      const claims = tokens.claims()!;
      const readInfo = async () => await oidc.fetchUserInfo(config, tokens.access_token, claims.sub);
      // Providers may leave the address and the groups out of the ID token.
      const hasEmail = claims["email"] !== undefined;
      const hasGroups = groupsClaim === undefined || (groupsIn(claims, groupsClaim)?.length ?? 0) > 0;
      const info =
        userinfo === undefined || (hasEmail && hasGroups)
          ? {}
          : await readInfo().catch((error: unknown) => {
              if (hasEmail) return undefined;
              throw error;
            });
      const all: Record<string, unknown> = { ...claims, ...info };
      // Both from one source: `email_verified` is about the address beside it.
      const { email, email_verified: isVerified } = (hasEmail ? claims : (info ?? {})) as Record<
        string,
        unknown
      >;
      return {
        subject: claims.sub,
        name: textOf(all["name"]) ?? textOf(all["preferred_username"]),
        email: textOf(email),
        isEmailVerified: [true, "true"].includes(isVerified as string),
        groups: info === undefined ? undefined : groupsIn(all, groupsClaim),
      };
    },
  };
}

async function requirePublic(url: string): Promise<void> {
  if (!(await isPublicHost(url))) throw new Error(`${url} is in a private network, but the issuer is not.`);
}

/** The way that the standard prescribes, or the other one if the provider says that it accepts only that. */
function authenticate(clientSecret: string | undefined): oidc.ClientAuth {
  if (clientSecret === undefined) return oidc.None();
  const [basic, post] = [oidc.ClientSecretBasic(clientSecret), oidc.ClientSecretPost(clientSecret)];
  return (server, client, body, headers) => {
    const accepted = server.token_endpoint_auth_methods_supported ?? ["client_secret_basic"];
    const isPost = !accepted.includes("client_secret_basic") && accepted.includes("client_secret_post");
    (isPost ? post : basic)(server, client, body, headers);
  };
}

function textOf(claim: unknown): string | undefined {
  return typeof claim === "string" && claim.trim() !== "" ? claim.trim() : undefined;
}
