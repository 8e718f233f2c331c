import type { Database } from "#storage/database/database.ts";
import type { Logger } from "../lib/logger.ts";
import { ConfigError, type Config } from "./settings.ts";

/** Something to correct: `about` says what it is, `remedy` what to do. */
type Advice = { about: string; remedy: string };

/** What is wrong with a public URL that has a path; undefined if it has none. */
export function publicUrlAdvice(publicUrl: string | undefined): Advice | undefined {
  if (publicUrl === undefined) return undefined;
  const { origin, pathname, search, hash } = new URL(publicUrl);
  const path = `${pathname}${search}${hash}`;
  if (path === "/") return undefined;
  return {
    about: `PUBLIC_URL has the path ${path}, below which the server does not work`,
    remedy: `Give the server a host name of its own, or the whole of ${origin}, and set PUBLIC_URL to that address without a path`,
  };
}

/**
 * What is wrong with `TRUST_PROXY` as far as the settings show: the server itself speaks only HTTP, so there is a proxy in
 * front of a server with an HTTPS address.
 */
export function trustProxyAdvice({
  publicUrl,
  trustProxy,
}: Pick<Config, "publicUrl" | "trustProxy">): Advice | undefined {
  if (trustProxy > 0 || publicUrl?.startsWith("https:") !== true) return undefined;
  return {
    about:
      "PUBLIC_URL begins with https://, so there is a proxy in front of the server, but TRUST_PROXY is 0: all people share one address and its limits",
    remedy: "If the proxy sends X-Forwarded-For, set TRUST_PROXY to the number of proxies",
  };
}

/**
 * Warns of a public URL that has a path. Throws `ConfigError` if nothing is stored yet, so that nobody begins with an
 * address that does not work.
 */
export async function checkPublicUrl(
  db: Database,
  publicUrl: string | undefined,
  logger: Logger,
): Promise<void> {
  const advice = publicUrlAdvice(publicUrl);
  if (advice === undefined) return;
  const message = `${advice.about}. ${advice.remedy}.`;
  const app = await db.read.selectFrom("apps").select("id").limit(1).executeTakeFirst();
  if (app === undefined) throw new ConfigError(message);
  logger.warn(message);
}
