import type { SteadyClock } from "./clock.ts";
import type { Logger } from "./logger.ts";

/** What one check found, as strangers may see it: `ok`, or a word for the problem. */
export type CheckState =
  | "ok"
  | "missing"
  | "replaced"
  | "read-only"
  | "full"
  | "unreachable"
  | "timeout"
  | "draining";

export type Readiness = { ready: boolean; checks: Record<string, CheckState> };

/** A result is used for a second, so that probes cannot overload the storage. */
const cacheMs = 1_000;

/** The storage normally answers within milliseconds. */
const checkMaxMs = 2_000;

/** Returns a function that runs `checks`, at most once a second, and logs when the result changes. */
export function createReadiness({
  checks,
  isDraining,
  clock,
  logger,
}: {
  checks: Record<string, () => CheckState | Promise<CheckState>>;
  isDraining: () => boolean;
  clock: SteadyClock;
  logger: Logger;
}): () => Promise<Readiness> {
  let latest: { atMs: number; states: Promise<Record<string, CheckState>> } | undefined;
  let wasReady = true;

  async function runChecks(): Promise<Record<string, CheckState>> {
    const entries = Object.entries(checks).map(
      async ([name, check]) => [name, await limited(check)] as const,
    );
    const states = Object.fromEntries(await Promise.all(entries));
    const ready = Object.values(states).every((state) => state === "ok");
    if (ready && !wasReady) logger.info(states, "ready again");
    if (!ready && wasReady) logger.warn(states, "not ready");
    wasReady = ready;
    return states;
  }

  /** The state of one check, which may not throw. */
  async function limited(check: () => CheckState | Promise<CheckState>): Promise<CheckState> {
    const done = new AbortController();
    const timeout = clock.sleep(checkMaxMs, done.signal).then(
      () => "timeout" as const,
      () => "timeout" as const,
    );
    try {
      return await Promise.race([check(), timeout]);
    } catch (error) {
      logger.debug({ err: error }, "a readiness check failed");
      return "unreachable";
    } finally {
      done.abort();
    }
  }

  return async () => {
    const nowMs = clock.elapsedMs();
    if (latest === undefined || nowMs - latest.atMs >= cacheMs) latest = { atMs: nowMs, states: runChecks() };
    const states = await latest.states;
    const all: Record<string, CheckState> = { server: isDraining() ? "draining" : "ok", ...states };
    return { ready: Object.values(all).every((state) => state === "ok"), checks: all };
  };
}
