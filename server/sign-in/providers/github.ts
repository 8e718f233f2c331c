import * as oidc from "openid-client";
import { fetchFromProvider } from "../provider-fetch.ts";
import type { ProviderClient, ProviderPlace } from "./profile.ts";

type GitHubUser = { id: number; login: string; name: string | null };
type GitHubEmail = { email: string; primary: boolean; verified: boolean };

/** GitHub, or a GitHub Enterprise server. It has OAuth 2 and no ID tokens, so who somebody is comes from its API. */
export function createGitHub({
  issuer,
  clientId,
  clientSecret,
  isPublicOnly = false,
}: ProviderPlace): ProviderClient {
  const site = issuer.replace(/\/+$/, "");
  const api = site === "https://github.com" ? "https://api.github.com" : `${site}/api/v3`;
  const server = {
    issuer: site,
    authorization_endpoint: `${site}/login/oauth/authorize`,
    token_endpoint: `${site}/login/oauth/access_token`,
  };
  const config = new oidc.Configuration(server, clientId, undefined, oidc.ClientSecretPost(clientSecret));
  const send: typeof fetchFromProvider = async (url, init) =>
    await fetchFromProvider(url, init, { publicOnly: isPublicOnly });
  config[oidc.customFetch] = send as oidc.CustomFetch;
  config.timeout = 10;
  if (site.startsWith("http:")) oidc.allowInsecureRequests(config);

  async function read<Answer>(accessToken: string, path: string): Promise<Answer> {
    const url = new URL(`${api}${path}`);
    const headers = new Headers({ Accept: "application/vnd.github+json", "User-Agent": "Parlance" });
    const response = await oidc.fetchProtectedResource(config, accessToken, url, "GET", null, headers);
    if (!response.ok) throw new Error(`GitHub answered ${response.status} to ${path}.`);
    return (await response.json()) as Answer;
  }

  return {
    authorizationUrl: async (redirectUri, { state, codeVerifier }) =>
      oidc.buildAuthorizationUrl(config, {
        redirect_uri: redirectUri,
        scope: "read:user user:email",
        state,
        code_challenge: await oidc.calculatePKCECodeChallenge(codeVerifier),
        code_challenge_method: "S256",
      }),

    async profileOf(currentUrl, { state, codeVerifier }) {
      const { access_token: accessToken } = await oidc.authorizationCodeGrant(config, currentUrl, {
        expectedState: state,
        pkceCodeVerifier: codeVerifier,
      });
      const user = await read<GitHubUser>(accessToken, "/user");
      const emails = await read<GitHubEmail[]>(accessToken, "/user/emails");
      const email = emails.find(({ primary }) => primary);
      return {
        subject: String(user.id),
        name: user.name ?? user.login,
        email: email?.email,
        isEmailVerified: email?.verified === true,
        groups: [],
      };
    },
  };
}
