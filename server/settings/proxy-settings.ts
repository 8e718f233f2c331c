import type { Config } from "./settings.ts";

/** Something to correct: `about` says what it is, `remedy` what to do. */
type Advice = { about: string; remedy: string };

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
