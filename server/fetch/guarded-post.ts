import { AppError } from "../lib/errors.ts";
import { dialAddress, resolveName, type Dial, type Resolve } from "./connect.ts";
import { openConnection } from "./request-connection.ts";
import { readStart, sendRequest } from "./exchange.ts";
import { parseTarget, type Target } from "./target.ts";

export type Posted = {
  status: number;
  /** The beginning of the response. Bytes that are not UTF-8 are replaced. */
  text: string;
};

/** Sends requests to URLs that a person entered, with the rules of `GuardedFetch`. */
export type GuardedPost = ReturnType<typeof createGuardedPost>;

/** `timeoutMs`: for the whole exchange. `bytesMax`: what is read of a response. */
export function createGuardedPost({
  enabled,
  allowedHosts,
  timeoutMs,
  bytesMax,
  resolve = resolveName,
  dial = dialAddress,
}: {
  enabled: boolean;
  allowedHosts: readonly string[];
  timeoutMs: number;
  bytesMax: number;
  /** For tests. */
  resolve?: Resolve;
  dial?: Dial;
}) {
  const targetOf = (url: string, field: string) => {
    if (!enabled)
      throw new AppError("fetching-off", {
        details: [{ path: field, message: "cannot be called by this server" }],
      });
    return parseTarget(url, allowedHosts, field);
  };

  return {
    /** Throws `fetching-off` and `address-not-allowed`, each naming the field. */
    check: (url: string, field: string): void => void targetOf(url, field),

    /**
     * Sends `body`. Follows no redirect. Throws what `check` does, `UnreachableError`, the signal's reason, and an error with
     * the name `TimeoutError` if there is no response in time.
     */
    async post(
      url: string,
      { headers, body, signal }: { headers: Record<string, string>; body: string; signal: AbortSignal },
    ): Promise<Posted> {
      const target = targetOf(url, "url");
      const limited = AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]);
      try {
        return await exchange(
          target,
          { ...headers, "Content-Length": String(Buffer.byteLength(body)) },
          body,
          limited,
        );
      } catch (error) {
        limited.throwIfAborted();
        throw error;
      }
    },
  };

  async function exchange(
    target: Target,
    headers: Record<string, string>,
    body: string,
    signal: AbortSignal,
  ): Promise<Posted> {
    const connection = await openConnection(target, { resolve, dial, signal });
    try {
      const response = await sendRequest(connection, target, { headers, body });
      const text = (await readStart(response, bytesMax)).toString("utf8");
      return { status: response.statusCode ?? 0, text };
    } finally {
      connection.close();
    }
  }
}
