import type { Tokens } from "#contract/endpoints/auth.ts";
import { requestLineOf } from "#web/data/request-line.ts";
import { attempt, bodyOf, readJson, type Fetch } from "../call.ts";
import { singleFlight, withTabLock, type Credentials } from "./credentials.ts";
import { CallError } from "../call-error.ts";
import type { SafeStorage } from "../drafts/safe-storage.ts";

/** 30 s before it expires an access token is renewed, so that none expires during a request. */
const renewBeforeExpiryMs = 30_000;

type Access = { headers: Record<string, string>; expiresAtMs: number };

/**
 * The session with a service on another origin: the access token is in memory, the refresh token in this device's
 * storage. Only a refresh that the server forbids (403) creates a new visitor; after any other failure the user stays.
 */
export function createBearerSession(options: {
  baseUrl: string;
  fetch: Fetch;
  storage: SafeStorage;
  now?: () => number;
}): Credentials {
  const now = options.now ?? Date.now;
  const key = `parlance.refresh-token.${options.baseUrl}`;
  let access: Access | undefined;

  async function request(name: "auth.refresh" | "auth.signUpAnonymous", body?: object): Promise<Tokens> {
    const { method, path } = requestLineOf(name);
    const init = { method, ...bodyOf(body) };
    return await readJson<Tokens>(await attempt(options, options.baseUrl + path, init, {}));
  }

  function save(tokens: Tokens): Access {
    options.storage.set(key, tokens.refresh_token.token);
    access = {
      headers: { Authorization: `Bearer ${tokens.access_token}` },
      expiresAtMs: now() + lifetimeMs(tokens.access_token),
    };
    return access;
  }

  async function refresh(): Promise<Access | undefined> {
    const token = options.storage.get(key);
    if (token === undefined) return undefined;
    try {
      return save(await request("auth.refresh", { refresh_token: token }));
    } catch (error) {
      if (!(error instanceof CallError) || error.status !== 403) throw error;
      if (options.storage.get(key) === token) options.storage.remove(key);
      return undefined;
    }
  }

  async function renew(): Promise<Access> {
    // Twice: another tab may have replaced the refused token meanwhile.
    return (await refresh()) ?? (await refresh()) ?? save(await request("auth.signUpAnonymous"));
  }

  const renewOnce = singleFlight(async () => await withTabLock("parlance-session", renew), now);

  const fresh = () =>
    access !== undefined && now() < access.expiresAtMs - renewBeforeExpiryMs ? access.headers : undefined;

  return {
    current: fresh,
    async headers() {
      const current = access;
      const headers = fresh();
      if (headers !== undefined) return headers;
      try {
        return (await renewOnce()).headers;
      } catch (error) {
        // The server is busy or unreachable, and the current token is still valid.
        if (current !== undefined && now() < current.expiresAtMs) return current.headers;
        throw error;
      }
    },
    async renew(refused) {
      if (access !== undefined && access.headers !== refused) return;
      access = undefined;
      await renewOnce();
    },
  };
}

/**
 * The lifetime of an access token: the difference of its own two times. Neither is compared with this device's clock,
 * which may be wrong by minutes.
 */
function lifetimeMs(token: string): number {
  try {
    const payload = token.split(".")[1] ?? "";
    const claims = JSON.parse(atob(payload.replaceAll("-", "+").replaceAll("_", "/"))) as {
      iat?: number;
      exp?: number;
    };
    if (typeof claims.exp !== "number" || typeof claims.iat !== "number") return 0;
    return (claims.exp - claims.iat) * 1000;
  } catch {
    return 0;
  }
}
