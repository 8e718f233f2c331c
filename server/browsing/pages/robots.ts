import { AppError } from "../../lib/errors.ts";
import { createLruCache } from "../../extraction/lru-cache.ts";
import type { Clock } from "../../lib/clock.ts";
import type { GuardedFetch } from "../../fetch/guarded-fetch.ts";
import type { RobotsOutcome, RobotsTask } from "./robots-thread.ts";

/** The name by which robots.txt can address this server. */
const agent = "Parlance";

const freshMs = 60 * 60_000;
/** What RFC 9309 demands at least. */
const bytesMax = 512 * 1024;
const cacheBytesMax = 4 * 1024 * 1024;

/** The rules of websites for programs that read them (RFC 9309). `ask` reads them where hostile ones do no harm. */
export function createRobots({
  clock,
  guardedFetch,
  ask,
}: {
  clock: Clock;
  guardedFetch: GuardedFetch;
  ask: (task: RobotsTask, signal: AbortSignal) => Promise<RobotsOutcome>;
}) {
  const cache = createLruCache<{ rules: string }>(cacheBytesMax, ({ rules }) => 2 * rules.length + 200);

  return {
    /** Whether the website lets programs read this page. A website without readable rules does. */
    async allows(url: URL, signal: AbortSignal): Promise<boolean> {
      const address = new URL("/robots.txt", url).href;
      const period = Math.floor(clock.now() / freshMs);
      const { rules } = await cache.getOrCreate(
        `${address} ${period}`,
        async () => ({ rules: await readRules(address, signal) }),
        signal,
      );
      if (rules === "") return true;
      return (await ask({ address, rules, url: url.href, agent }, signal)).isAllowed;
    },
  };

  async function readRules(url: string, signal: AbortSignal): Promise<string> {
    try {
      const { bytes } = await guardedFetch({ url, field: "url", types: ["text/plain"], bytesMax, signal });
      return bytes.toString("utf8");
    } catch (error) {
      signal.throwIfAborted();
      if (!(error instanceof AppError)) throw error;
      return "";
    }
  }
}
