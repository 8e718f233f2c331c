import type { Tokens } from "#contract/endpoints/auth.ts";
import { paths } from "#contract/paths.ts";
import { answerOf, attempt, type Fetch } from "../call.ts";
import { alone, single, type Credentials } from "./credentials.ts";
import { CallError } from "../call-error.ts";
import type { SafeStorage } from "../drafts/safe-storage.ts";

/** 30 s before its end an access token is renewed, so that none ends on its way to the service. */
const renewBeforeEndMs = 30_000;

type Access = { headers: Record<string, string>; endsAtMs: number };

/**
 * The session with a service on another origin: an access token in memory and the refresh token on this device. Only
 * a refresh that the service forbids (403) makes a new identity; one that fails otherwise keeps the old.
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

  async function ask(name: "auth.refresh" | "auth.signUpAnonymous", body?: object): Promise<Tokens> {
    const { method, path } = paths[name];
    const init = {
      method,
      ...(body === undefined
        ? {}
        : { body: JSON.stringify(body), headers: { "Content-Type": "application/json" } }),
    };
    return await answerOf<Tokens>(await attempt(options, options.baseUrl + path, init, {}));
  }

  function keep(tokens: Tokens): Access {
    options.storage.set(key, tokens.refresh_token.token);
    access = {
      headers: { Authorization: `Bearer ${tokens.access_token}` },
      endsAtMs: now() + lifeOf(tokens.access_token),
    };
    return access;
  }

  async function refreshed(): Promise<Access | undefined> {
    const token = options.storage.get(key);
    if (token === undefined) return undefined;
    try {
      return keep(await ask("auth.refresh", { refresh_token: token }));
    } catch (error) {
      if (!(error instanceof CallError) || error.status !== 403) throw error;
      if (options.storage.get(key) === token) options.storage.remove(key);
      return undefined;
    }
  }

  async function renewed(): Promise<Access> {
    // Twice: another tab may have put a newer token in the place of the one that was refused.
    return (await refreshed()) ?? (await refreshed()) ?? keep(await ask("auth.signUpAnonymous"));
  }

  const renewal = single(async () => await alone("parlance-session", renewed), now);

  return {
    async headers() {
      const held = access;
      if (held !== undefined && now() < held.endsAtMs - renewBeforeEndMs) return held.headers;
      try {
        return (await renewal()).headers;
      } catch (error) {
        // The service is busy or away, and the old token is still good for a moment.
        if (held !== undefined && now() < held.endsAtMs) return held.headers;
        throw error;
      }
    },
    async renew(refused) {
      if (access !== undefined && access.headers !== refused) return;
      access = undefined;
      await renewal();
    },
  };
}

/**
 * How long an access token lives from now on. Its own two times are compared with each other and never with this
 * device's clock, which may be wrong by minutes.
 */
function lifeOf(token: string): number {
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
