import { askProxyFor } from "#server/fetch/check-proxy.ts";
import { isDirect, type ProxySettings } from "#server/fetch/outgoing-proxy.ts";
import type { CheckedFinding } from "./doctor.ts";

/** Whether the proxy connects to the providers at these URLs that are reached through it over https. */
export async function proxyFaults(
  { httpsProxy, noProxy }: ProxySettings,
  baseUrls: readonly string[],
): Promise<CheckedFinding[]> {
  if (httpsProxy === undefined) return [];
  const hosts = baseUrls
    .map((url) => new URL(url))
    .filter((url) => url.protocol === "https:" && !isDirect(url, noProxy))
    .map(({ hostname, port }) => `${hostname}:${port || 443}`);
  const faults = await Promise.all([...new Set(hosts)].map(async (host) => await faultOf(httpsProxy, host)));
  return faults.filter((fault) => fault !== undefined);
}

async function faultOf(proxy: string, host: string): Promise<CheckedFinding | undefined> {
  const { host: name } = new URL(proxy);
  const fault = (about: string, remedy: string) => ({
    check: "outgoing-proxy",
    about,
    count: 1,
    ids: [],
    remedy,
  });
  try {
    const status = await askProxyFor(host, proxy);
    if (status === 200) return undefined;
    return fault(
      `the proxy ${name} does not connect to ${host} (status ${status})`,
      status === 407
        ? "Set HTTPS_PROXY with the user and password that it wants: http://user:password@host:port."
        : "Allow this host in the proxy, or reach it without the proxy: NO_PROXY.",
    );
  } catch (error) {
    const { code, name: kind } = error as NodeJS.ErrnoException;
    const about = `the proxy ${name} cannot be reached (${typeof code === "string" ? code : kind})`;
    return fault(about, "Check HTTPS_PROXY, and whether the proxy runs.");
  }
}
