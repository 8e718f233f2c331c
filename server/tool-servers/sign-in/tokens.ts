import type {
  OAuthDiscoveryState,
  StoredOAuthClientInformation,
  StoredOAuthTokens,
} from "@modelcontextprotocol/client";
import type { Clock } from "#server/lib/clock.ts";
import type { Logger } from "#server/lib/logger.ts";
import type { SecretVault } from "#server/sign-in/secret-vault.ts";
import type { Database, Tx } from "#storage/database/database.ts";
import { cleanDetail, ToolServerProblem } from "../connections/tool-server-problem.ts";
import type { ToolServerRow } from "../rows.ts";
import { contextOf } from "../server-secrets.ts";
import { invalidGrants } from "./oauth-client.ts";
import * as rows from "./rows.ts";

/** What a sign-in is: encrypted in its row. */
export type SignIn = {
  tokens: StoredOAuthTokens;
  client: StoredOAuthClientInformation;
  discovery: OAuthDiscoveryState;
  /** The scopes to ask for at the next sign-in, because the server refused a call for lack of them. */
  wantedScope?: string;
};

/** The tokens with which people are signed in to tool servers. */
export type Tokens = ReturnType<typeof createTokens>;

type Server = Pick<ToolServerRow, "id" | "url" | "public_only">;
type Fetch = (input: string | URL, init?: RequestInit) => Promise<Response>;

/** A minute before it expires: clocks differ, and requests take time. */
const refreshAheadMs = 60_000;
/** How long one process has the right to refresh. The request ends before that. */
const leaseMs = 30_000;
const requestMs = 20_000;
const pollMs = 100;

export function createTokens({
  db,
  clock,
  logger,
  vault,
  fetchOf,
}: {
  db: Database;
  clock: Clock;
  logger: Logger;
  vault: SecretVault;
  fetchOf(server: Server): Fetch;
}) {
  const refreshing = new Map<string, Promise<string>>();
  const keyOf = (server: Server, userId: string) => ({ server_id: server.id, user_id: userId });

  function open(server: Server, row: rows.SignInRow): SignIn | undefined {
    const text = vault.decrypt(
      { ciphertext: row.ciphertext, keyId: row.key_id },
      contextOf(server, row.user_id),
    );
    return text === undefined ? undefined : (JSON.parse(text) as SignIn);
  }

  const sealed = (server: Server, userId: string, signIn: SignIn) => {
    const { ciphertext, keyId } = vault.encrypt(JSON.stringify(signIn), contextOf(server, userId));
    return { ciphertext, key_id: keyId, expires_at: expiryOf(signIn.tokens, clock.now()) };
  };

  async function find(
    server: Server,
    userId: string,
  ): Promise<{ row: rows.SignInRow; signIn: SignIn } | undefined> {
    const row = await rows.findSignIn(db.read, keyOf(server, userId));
    const signIn = row === undefined ? undefined : open(server, row);
    return row === undefined || signIn === undefined ? undefined : { row, signIn };
  }

  /**
   * Stores that the person must sign in again, with these scopes, unless they have done so since `seen`, a version. Throws
   * the problem.
   */
  async function expire(
    server: Server,
    userId: string,
    { wantedScope, seen }: { wantedScope?: string; seen?: number } = {},
  ): Promise<never> {
    await db.write(async (tx) => {
      const row = await rows.lockSignIn(tx, keyOf(server, userId));
      const signIn = row && open(server, row);
      if (row === undefined || signIn === undefined) return;
      if (seen !== undefined && row.version !== seen) return;
      const { expires_at: _, ...columns } = sealed(server, userId, {
        ...signIn,
        ...(wantedScope === undefined ? {} : { wantedScope }),
      });
      await rows.updateSignIn(tx, row, { ...columns, is_expired: 1, refreshing_until: 0 });
    });
    throw new ToolServerProblem("tool-server-needs-sign-in", { scope: wantedScope });
  }

  /** The right to refresh the tokens of this version; or newer tokens; or nothing, while another process has the right. */
  async function claim(
    server: Server,
    userId: string,
    seen: number,
  ): Promise<SignIn | "claimed" | undefined> {
    return await db.write(async (tx): Promise<SignIn | "claimed" | undefined> => {
      const row = await rows.lockSignIn(tx, keyOf(server, userId));
      const signIn = row && open(server, row);
      if (row === undefined || signIn === undefined || row.is_expired === 1)
        throw new ToolServerProblem("tool-server-needs-sign-in");
      if (row.version !== seen) return signIn;
      const nowMs = clock.now();
      if (row.refreshing_until > nowMs) return undefined;
      await rows.updateSignIn(tx, row, { refreshing_until: nowMs + leaseMs });
      return "claimed";
    });
  }

  async function refresh(
    server: Server,
    userId: string,
    { row, signIn }: { row: rows.SignInRow; signIn: SignIn },
  ) {
    const deadlineMs = clock.now() + leaseMs + requestMs;
    for (;;) {
      const claimed = await claim(server, userId, row.version);
      if (claimed === "claimed") break;
      if (claimed !== undefined) return claimed.tokens.access_token;
      if (clock.now() > deadlineMs) throw new ToolServerProblem("tool-server-unreachable");
      await clock.sleep(pollMs);
    }
    const { refresh_token: refreshToken } = signIn.tokens;
    if (refreshToken === undefined) return await expire(server, userId, { seen: row.version });
    try {
      const tokens = await requestTokens(server, signIn, refreshToken);
      await db.write(async (tx) => {
        const locked = await rows.lockSignIn(tx, keyOf(server, userId));
        // The person has signed out or in again meanwhile.
        if (locked?.version !== row.version) return;
        const columns = sealed(server, userId, { ...signIn, tokens });
        await rows.updateSignIn(tx, row, { ...columns, version: row.version + 1, refreshing_until: 0 });
      });
      return tokens.access_token;
    } catch (error) {
      if (await invalidGrants(error)) return await expire(server, userId, { seen: row.version });
      logger.info({ err: error, server: server.id }, "the tokens for a tool server could not be refreshed");
      await db.write(async (tx) => await rows.updateSignIn(tx, row, { refreshing_until: 0 }));
      if (row.expires_at !== null && row.expires_at > clock.now()) return signIn.tokens.access_token;
      const detail = cleanDetail(
        `The sign-in server did not answer. ${error instanceof Error ? error.message : ""}`,
      );
      throw new ToolServerProblem("tool-server-unreachable", { detail, cause: error });
    }
  }

  async function requestTokens(server: Server, { client, tokens, discovery }: SignIn, refreshToken: string) {
    const { refreshAuthorization } = await import("@modelcontextprotocol/client");
    const send = fetchOf(server);
    const { authorizationServerUrl, authorizationServerMetadata: metadata, resourceMetadata } = discovery;
    const refreshed = await refreshAuthorization(authorizationServerUrl, {
      ...(metadata === undefined ? {} : { metadata }),
      clientInformation: client,
      refreshToken,
      ...(resourceMetadata === undefined ? {} : { resource: resourceMetadata.resource }),
      fetchFn: async (url, init) => await send(url, { ...init, signal: AbortSignal.timeout(requestMs) }),
    });
    return { ...tokens, ...refreshed };
  }

  /** One at a time for each sign-in of this process; over all processes, the row says who may refresh. */
  async function refreshOnce(
    server: Server,
    userId: string,
    found: { row: rows.SignInRow; signIn: SignIn },
  ): Promise<string> {
    const key = `${server.id} ${userId} ${found.row.version}`;
    const running =
      refreshing.get(key) ?? refresh(server, userId, found).finally(() => refreshing.delete(key));
    refreshing.set(key, running);
    return await running;
  }

  return {
    find,

    /** Stores a sign-in in place of the person's former one. */
    async put(tx: Tx, server: Server, userId: string, signIn: SignIn): Promise<void> {
      const key = keyOf(server, userId);
      const existing = await rows.lockSignIn(tx, key);
      await rows.putSignIn(tx, {
        ...key,
        ...sealed(server, userId, signIn),
        refreshing_until: 0,
        version: (existing?.version ?? 0) + 1,
        is_expired: 0,
        created_at: clock.now(),
      });
    },

    expire,

    /**
     * What one connection sends: the person's token, refreshed before it expires, or `undefined` if they are not signed
     * in. `onRefused` refreshes the token that was sent last. Both throw `ToolServerProblem`.
     */
    forConnection(server: Server, userId: string, { onUnknown }: { onUnknown(): Promise<void> }) {
      let sent: number | undefined;
      return {
        async token(): Promise<string | undefined> {
          const found = await find(server, userId);
          if (found === undefined || found.row.is_expired === 1) return undefined;
          sent = found.row.version;
          const { expires_at: expiresAt } = found.row;
          return expiresAt !== null && expiresAt - refreshAheadMs <= clock.now()
            ? await refreshOnce(server, userId, found)
            : found.signIn.tokens.access_token;
        },
        async onRefused(): Promise<void> {
          const found = await find(server, userId);
          if (found === undefined || found.row.is_expired === 1) {
            await onUnknown();
            throw new ToolServerProblem("tool-server-needs-sign-in");
          }
          if (found.row.version === sent) await refreshOnce(server, userId, found);
        },
      };
    },
  };
}

/** Tokens that expire very soon are refreshed when they are used. */
function expiryOf({ expires_in: seconds }: StoredOAuthTokens, nowMs: number): number | null {
  return seconds === undefined ? null : Math.round(nowMs + seconds * 1_000);
}
