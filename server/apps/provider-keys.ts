import { createRemoteJWKSet, customFetch, errors as joseErrors, type JWTVerifyGetKey } from "jose";
import type { Clock } from "#server/lib/clock.ts";
import type { Logger } from "#server/lib/logger.ts";
import { fetchFromProvider } from "#server/sign-in/provider-fetch.ts";
import type { JwtRule } from "./jwt-rules.ts";

/** The keys of a sign-in provider cannot be fetched or used. The token itself may be valid. */
export class KeysUnavailableError extends Error {
  override readonly name = "KeysUnavailableError";
}

/** A cache of the public keys of sign-in providers. */
export type ProviderKeys = {
  /** A function that finds the key of a token among those of a rule. It throws `KeysUnavailableError`. */
  finderFor(place: KeysPlace): JWTVerifyGetKey;
  /** Fetches the keys now. Throws `KeysUnavailableError`. */
  refresh(place: KeysPlace): Promise<void>;
};

type KeysPlace = Pick<JwtRule, "jwksUrl" | "isPublicOnly">;

type KeySet = { find: JWTVerifyGetKey; refresh: () => Promise<void> };

const fetchTimeoutMs = 5_000;
/** 10 minutes: a key that the provider has withdrawn is accepted for at most this long. */
const freshMs = 10 * 60_000;
/** 1 hour: how long cached keys are used while the provider is unavailable. */
const staleMaxMs = 60 * 60_000;
/** 5 s: the minimum time between two fetches because of an unknown key, and after a failed fetch. */
const retryMs = 5_000;

export function createProviderKeys(options: { clock: Clock; logger: Pick<Logger, "warn"> }): ProviderKeys {
  const sets = new Map<string, KeySet>();
  const setAt = (place: KeysPlace): KeySet => {
    const name = `${place.isPublicOnly ? "public" : "any"} ${place.jwksUrl}`;
    const set = sets.get(name) ?? createKeySet(place, options);
    sets.set(name, set);
    return set;
  };
  return {
    finderFor: (place) => setAt(place).find,
    refresh: async (place) => await setAt(place).refresh(),
  };
}

/** Why the keys of a rule cannot be fetched at present, for the person who adds it; `undefined` if they can. */
export async function problemOfKeys(place: KeysPlace, clock: Clock): Promise<string | undefined> {
  const keys = createProviderKeys({ clock, logger: { warn() {} } });
  try {
    await keys.refresh(place);
    return undefined;
  } catch (error) {
    const { message, cause } = (error as Error).cause as Error;
    return cause instanceof Error ? `${message}: ${cause.message}` : message;
  }
}

function createKeySet(
  { jwksUrl, isPublicOnly }: KeysPlace,
  { clock, logger }: { clock: Clock; logger: Pick<Logger, "warn"> },
): KeySet {
  // Fetches only when `reload` is called: this file decides when, by its own clock.
  const set = createRemoteJWKSet(new URL(jwksUrl), {
    timeoutDuration: fetchTimeoutMs,
    cacheMaxAge: Number.POSITIVE_INFINITY,
    cooldownDuration: Number.POSITIVE_INFINITY,
    [customFetch]: async (url: string, init: RequestInit) => await fetchKeys(url, init, isPublicOnly),
  });
  let fetchedAt = Number.NEGATIVE_INFINITY;
  let failed = { at: Number.NEGATIVE_INFINITY, error: new KeysUnavailableError() };
  const ageMs = (): number => clock.now() - fetchedAt;

  async function refresh(): Promise<void> {
    if (clock.now() - failed.at < retryMs) throw failed.error;
    try {
      await set.reload();
      fetchedAt = clock.now();
    } catch (cause) {
      const error = new KeysUnavailableError(`The keys at ${jwksUrl} cannot be fetched.`, { cause });
      failed = { at: clock.now(), error };
      logger.warn({ jwksUrl, err: cause }, "the keys of a sign-in provider cannot be fetched");
      throw error;
    }
  }

  const find: JWTVerifyGetKey = async (header, token) => {
    let fetchError: KeysUnavailableError | undefined;
    if (ageMs() >= freshMs) {
      await refresh().catch((error: KeysUnavailableError) => {
        if (ageMs() >= staleMaxMs) throw error;
        fetchError = error;
      });
    }
    try {
      return await findIn(set, header, token);
    } catch (error) {
      if (!(error instanceof joseErrors.JWKSNoMatchingKey)) throw error;
      // The key may be new, and fetching the new keys failed.
      if (fetchError !== undefined) throw fetchError;
      if (ageMs() < retryMs) throw error;
      await refresh();
      return await findIn(set, header, token);
    }
  };
  return { find, refresh };
}

/** Throws jose's error if the token has no matching key, and `KeysUnavailableError` if the keys are unusable. */
async function findIn(set: JWTVerifyGetKey, ...args: Parameters<JWTVerifyGetKey>) {
  try {
    return await set(...args);
  } catch (cause) {
    if (cause instanceof joseErrors.JWKSNoMatchingKey || cause instanceof joseErrors.JWKSMultipleMatchingKeys)
      throw cause;
    throw new KeysUnavailableError("The provider's key cannot be used.", { cause });
  }
}

async function fetchKeys(url: string, init: RequestInit, publicOnly: boolean): Promise<Response> {
  const response = await fetchFromProvider(url, init, { publicOnly });
  if (response.status === 200) return response;
  throw new Error(`The response has status ${response.status} instead of 200. Redirects are not followed.`);
}
