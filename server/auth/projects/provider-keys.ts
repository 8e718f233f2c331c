import { createRemoteJWKSet, customFetch, errors as joseErrors, type JWTVerifyGetKey } from "jose";
import type { Clock } from "#server/lib/clock.ts";
import type { Logger } from "#server/lib/logger.ts";

/** The keys of a sign-in provider are not to be had; nothing is said of the token. */
export class KeysUnavailableError extends Error {
  override readonly name = "KeysUnavailableError";
}

/** The public keys of sign-in providers, fetched from where a rule says and kept for a while. */
export type ProviderKeys = {
  /** How to find the key of a token among those at `jwksUrl`. What it answers throws `KeysUnavailableError`. */
  at(jwksUrl: string): JWTVerifyGetKey;
  /** Fetches them now. Throws `KeysUnavailableError`. */
  look(jwksUrl: string): Promise<void>;
};

type KeySet = { find: JWTVerifyGetKey; fetchAgain: () => Promise<void> };

/** 5 s, and 512 KiB: a set of keys is some kilobytes. A provider that is slower or says more is in trouble. */
const fetchMaxMs = 5_000;
const bytesMax = 512 * 1024;
/** 10 minutes: how long a key that the provider has taken back may count. */
const freshMs = 10 * 60_000;
/** 1 hour: how long known keys count while the provider is not to be had. */
const staleMaxMs = 60 * 60_000;
/** 5 s: how soon a key that is not in the set is looked for again, and how soon after a failure all is tried again. */
const againMs = 5_000;

export function createProviderKeys(options: { clock: Clock; logger: Logger }): ProviderKeys {
  const sets = new Map<string, KeySet>();
  const setAt = (jwksUrl: string): KeySet => {
    const known = sets.get(jwksUrl) ?? keySet(jwksUrl, options);
    sets.set(jwksUrl, known);
    return known;
  };
  return {
    at: (jwksUrl) => setAt(jwksUrl).find,
    look: async (jwksUrl) => await setAt(jwksUrl).fetchAgain(),
  };
}

function keySet(jwksUrl: string, { clock, logger }: { clock: Clock; logger: Logger }): KeySet {
  // It only fetches when it is told to: by our clock, and never twice at once.
  const set = createRemoteJWKSet(new URL(jwksUrl), {
    timeoutDuration: fetchMaxMs,
    cacheMaxAge: Number.POSITIVE_INFINITY,
    cooldownDuration: Number.POSITIVE_INFINITY,
    [customFetch]: fetchBounded,
  });
  let fetchedAt = Number.NEGATIVE_INFINITY;
  let failed = { at: Number.NEGATIVE_INFINITY, error: new KeysUnavailableError() };
  const ageMs = (): number => clock.now() - fetchedAt;

  async function fetchAgain(): Promise<void> {
    if (clock.now() - failed.at < againMs) throw failed.error;
    try {
      await set.reload();
      fetchedAt = clock.now();
    } catch (cause) {
      const error = new KeysUnavailableError(`No keys could be had from ${jwksUrl}.`, { cause });
      failed = { at: clock.now(), error };
      logger.warn({ jwksUrl, err: cause }, "the keys of a sign-in provider cannot be had");
      throw error;
    }
  }

  const find: JWTVerifyGetKey = async (header, token) => {
    let trouble: KeysUnavailableError | undefined;
    if (ageMs() >= freshMs) {
      await fetchAgain().catch((error: KeysUnavailableError) => {
        if (ageMs() >= staleMaxMs) throw error;
        trouble = error;
      });
    }
    try {
      return await keyIn(set, header, token);
    } catch (error) {
      if (!(error instanceof joseErrors.JWKSNoMatchingKey)) throw error;
      // It may be a key that we could not hear of.
      if (trouble !== undefined) throw trouble;
      if (ageMs() < againMs) throw error;
      await fetchAgain();
      return await keyIn(set, header, token);
    }
  };
  return { find, fetchAgain };
}

/** Throws of the token what is the token's fault, and `KeysUnavailableError` for a key that is none. */
async function keyIn(set: JWTVerifyGetKey, ...asked: Parameters<JWTVerifyGetKey>) {
  try {
    return await set(...asked);
  } catch (cause) {
    if (cause instanceof joseErrors.JWKSNoMatchingKey || cause instanceof joseErrors.JWKSMultipleMatchingKeys)
      throw cause;
    throw new KeysUnavailableError("The provider's key cannot be used.", { cause });
  }
}

async function fetchBounded(url: string, init: RequestInit): Promise<Response> {
  const response = await fetch(url, init);
  if (response.status !== 200 || response.body === null) {
    await response.body?.cancel();
    throw new Error(`It answered ${response.status} where 200 is needed; a redirect is not followed.`);
  }
  const chunks: Uint8Array[] = [];
  let sizeBytes = 0;
  for await (const chunk of response.body) {
    sizeBytes += chunk.byteLength;
    // Leaving the loop cancels the rest.
    if (sizeBytes > bytesMax) throw new Error(`It answered more than ${bytesMax} bytes.`);
    chunks.push(chunk);
  }
  return new Response(Buffer.concat(chunks));
}
