import { createHash } from "node:crypto";
import { randomCharacters } from "#contract/ids.ts";
import { isOwnNetwork } from "#server/fetch/outgoing-proxy.ts";
import type { Clock } from "#server/lib/clock.ts";
import { AppError } from "#server/lib/errors.ts";
import type { Logger } from "#server/lib/logger.ts";
import type { Visitor } from "#server/lib/route.ts";
import type { SecretVault } from "#server/sign-in/secret-vault.ts";
import { hashOf, isSameSecret } from "#server/sign-in/secrets.ts";
import type { Database, Tx } from "#storage/database/database.ts";
import { cleanDetail, problemOf, ToolServerProblem } from "../connections/tool-server-problem.ts";
import * as serverRows from "../rows.ts";
import { contextOf, secretsOf } from "../server-secrets.ts";
import { oauthClient, type OAuthMemory } from "./oauth-client.ts";
import * as rows from "./rows.ts";
import type { Tokens } from "./tokens.ts";

type Row = serverRows.ToolServerRow;
type Fetch = (input: string | URL, init?: RequestInit) => Promise<Response>;

/** People sign in to tool servers with OAuth: discovery, registration, PKCE. */
export type SignInFlows = ReturnType<typeof createSignInFlows>;

/** For all requests of one half of a sign-in. */
const requestsMs = 30_000;
/** 10 min: how long somebody has to sign in. */
const flowMs = 10 * 60_000;

export function createSignInFlows({
  db,
  clock,
  logger,
  vault,
  tokens,
  fetchOf,
}: {
  db: Database;
  clock: Clock;
  logger: Logger;
  vault: SecretVault;
  tokens: Tokens;
  fetchOf(server: Row): Fetch;
}) {
  /** `fetch` that ends with the time for all requests of this half. */
  const limitedFetch = (server: Row): Fetch => {
    const send = fetchOf(server);
    const limit = AbortSignal.timeout(requestsMs);
    return async (url, init) => await send(url, { ...init, signal: limit });
  };

  /** What the server says to somebody who is not signed in. */
  async function challengeOf(
    server: Row,
    send: Fetch,
  ): Promise<{ resourceMetadataUrl?: URL; scope?: string }> {
    const { extractWWWAuthenticateParams } = await import("@modelcontextprotocol/client");
    const response = await send(server.url, {
      ...(server.transport === "sse"
        ? { method: "GET" }
        : { method: "POST", body: JSON.stringify({ jsonrpc: "2.0", id: 0, method: "ping" }) }),
      headers: { Accept: "application/json, text/event-stream", "Content-Type": "application/json" },
    });
    await response.body?.cancel();
    if (response.status !== 401) return {};
    const { resourceMetadataUrl, scope } = extractWWWAuthenticateParams(response);
    return {
      ...(resourceMetadataUrl === undefined ? {} : { resourceMetadataUrl }),
      ...(scope === undefined ? {} : { scope }),
    };
  }

  function registeredClient(server: Row): Pick<OAuthMemory, "client"> {
    if (server.client_id === null) return {};
    const clientSecret = secretsOf(vault, server)?.clientSecret;
    return {
      client: {
        client_id: server.client_id,
        ...(clientSecret === undefined ? {} : { client_secret: clientSecret }),
      },
    };
  }

  /** The sign-in server that was named first counts until somebody saves the tool server again. */
  async function pinIssuer(server: Row, issuer: string): Promise<void> {
    if (server.issuer !== null && server.issuer !== issuer)
      throw new ToolServerProblem("tool-server-sign-in-moved", { detail: cleanDetail(issuer) });
    if (server.issuer === null || server.wants_sign_in === 0)
      await db.write(
        async (tx) => await serverRows.updateServer(tx, server.id, { issuer, wants_sign_in: 1 }),
      );
  }

  return {
    /** Where to send the browser, and the flow to finish with. Throws `ToolServerProblem`. */
    async start(
      server: Row,
      { userId }: Visitor,
      webUrl: string,
    ): Promise<{ url: string; flow: string; host: string }> {
      // 48 characters of 5 bits: 240 random bits.
      const flow = `flow_0${randomCharacters(48)}`;
      const memory: OAuthMemory = {
        state: stateOf(flow),
        redirectUrl: redirectUrlOf(webUrl),
        ...registeredClient(server),
      };
      const { auth } = await import("@modelcontextprotocol/client");
      const send = limitedFetch(server);
      const wanted = (await tokens.find(server, userId))?.signIn.wantedScope;
      try {
        const challenge = await challengeOf(server, send);
        const scope = wanted ?? challenge.scope;
        await auth(oauthClient(memory, clientMetadataUrlOf(webUrl)), {
          serverUrl: server.url,
          ...challenge,
          ...(scope === undefined ? {} : { scope }),
          fetchFn: send,
        });
      } catch (error) {
        logger.info({ err: error, server: server.id }, "a sign-in to a tool server could not begin");
        const problem = problemOf(error);
        throw problem.code === "tool-server-failed"
          ? new ToolServerProblem("tool-server-without-sign-in", { detail: problem.detail, cause: error })
          : problem;
      }
      const url = authorizationUrlOf(memory, server);
      await pinIssuer(server, issuerOf(memory));
      await db.write(async (tx) => {
        const nowMs = clock.now();
        const { ciphertext, keyId } = vault.encrypt(JSON.stringify(memory), contextOf(server, userId));
        const row = {
          flow_hash: hashOf(flow),
          server_id: server.id,
          user_id: userId,
          ciphertext,
          key_id: keyId,
        };
        await rows.insertFlow(tx, { ...row, expires_at: nowMs + flowMs }, nowMs);
      });
      return { url: url.href, flow, host: url.host };
    },

    /**
     * Finishes a flow, once, for the person who began it. `response` is the query that the browser was sent back with.
     * `store` runs in the transaction that stores the tokens. Throws `sign-in-expired`, `sign-in-failed`, and
     * `ToolServerProblem`.
     */
    async finish(
      { flow, response }: { flow: string; response: string },
      { userId }: Visitor,
      store: (tx: Tx, server: Row) => Promise<void>,
    ): Promise<Row> {
      const begun = await rows.takeFlow(db, hashOf(flow), userId, clock.now());
      const server = begun && (await serverRows.findServer(db.read, begun.server_id));
      const text =
        begun &&
        server &&
        vault.decrypt({ ciphertext: begun.ciphertext, keyId: begun.key_id }, contextOf(server, userId));
      if (server === undefined || text === undefined) throw new AppError("sign-in-expired");
      const memory = JSON.parse(text) as OAuthMemory;
      const query = new URLSearchParams(response);
      const [code, iss] = [query.get("code"), query.get("iss") ?? undefined];
      try {
        if (!isSameSecret(query.get("state") ?? "", memory.state))
          throw new Error("the state is another one");
        if (code === null)
          throw new Error(cleanDetail(`${query.get("error")}: ${query.get("error_description")}`));
        const { client, discovery, verifier } = memory;
        if (client === undefined || discovery === undefined || verifier === undefined)
          throw new Error("the sign-in has no memory");
        const { exchangeAuthorization } = await import("@modelcontextprotocol/client");
        const { authorizationServerUrl, authorizationServerMetadata: metadata, resourceMetadata } = discovery;
        // Checks who the answer is from before it sends the code.
        const received = await exchangeAuthorization(authorizationServerUrl, {
          ...(metadata === undefined ? {} : { metadata }),
          clientInformation: client,
          authorizationCode: code,
          ...(iss === undefined ? {} : { iss }),
          codeVerifier: verifier,
          redirectUri: memory.redirectUrl,
          ...(resourceMetadata === undefined ? {} : { resource: resourceMetadata.resource }),
          fetchFn: limitedFetch(server),
        });
        await db.write(async (tx) => {
          await tokens.put(tx, server, userId, { tokens: received, client, discovery });
          await store(tx, server);
        });
      } catch (error) {
        logger.warn({ err: error, server: server.id }, "a sign-in to a tool server failed");
        const problem = problemOf(error);
        if (problem.code === "tool-server-unreachable") throw problem;
        throw new AppError("sign-in-failed", { cause: error });
      }
      return server;
    },
  };
}

export function redirectUrlOf(webUrl: string): string {
  return `${webUrl}/settings/tools`;
}

/**
 * The URL of this server's client metadata, by which sign-in servers recognize it; `undefined` if they cannot reach it, so
 * that it registers itself at each of them.
 */
export function clientMetadataUrlOf(webUrl: string): string | undefined {
  return webUrl.startsWith("https://") && !isOwnNetwork(new URL(webUrl))
    ? `${webUrl}/v1/tool-servers/client`
    : undefined;
}

/** Only the browser has the flow; the sign-in server sees a value that does not reveal it. */
function stateOf(flow: string): string {
  return createHash("sha256").update(`tool server state ${flow}`).digest("base64url");
}

function issuerOf({ discovery }: OAuthMemory): string {
  return discovery?.authorizationServerMetadata?.issuer ?? discovery?.authorizationServerUrl ?? "";
}

/** A tool server names this URL, and the browser goes there: it must be a page, and http only in one's own network. */
function authorizationUrlOf({ authorizationUrl = "" }: OAuthMemory, server: Row): URL {
  const url = URL.canParse(authorizationUrl) ? new URL(authorizationUrl) : undefined;
  const isPage = url?.protocol === "https:" || (url?.protocol === "http:" && server.public_only === 0);
  if (url === undefined || !isPage || `${url.username}${url.password}` !== "")
    throw new ToolServerProblem("tool-server-without-sign-in", {
      detail: "The address of its sign-in page is not one that a browser should open.",
    });
  return url;
}
