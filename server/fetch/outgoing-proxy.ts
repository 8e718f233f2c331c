import * as http from "node:http";
import * as https from "node:https";
import { isIP } from "node:net";
import type { Duplex } from "node:stream";
import ipaddr from "ipaddr.js";
import { classifyAddress } from "./addresses.ts";
import { isPrivateName } from "./hosts.ts";

/** The settings of the proxy that requests to the internet go through. */
export type ProxySettings = {
  httpsProxy?: string | undefined;
  httpProxy?: string | undefined;
  noProxy: readonly string[];
};

/** Decides which requests go through the proxy. */
export type OutgoingProxy = {
  /**
   * The agent that sends a request for this URL through the proxy; `undefined` if it is sent directly. `publicOnly`: the
   * proxy is to connect to an address that was checked. Over plain HTTP it would then lose the host's name.
   */
  agentFor(url: URL, publicOnly: boolean): http.Agent | undefined;
};

/** `undefined` if there is no proxy. */
export function createOutgoingProxy({
  httpsProxy,
  httpProxy,
  noProxy,
}: ProxySettings): OutgoingProxy | undefined {
  if (httpsProxy === undefined && httpProxy === undefined) return undefined;
  const agents: Record<string, http.Agent | undefined> = {
    "https:":
      httpsProxy === undefined
        ? undefined
        : new TunnelAgent({ keepAlive: true, proxyEnv: { HTTPS_PROXY: httpsProxy } }),
    "http:":
      httpProxy === undefined
        ? undefined
        : new http.Agent({ keepAlive: true, proxyEnv: { HTTP_PROXY: httpProxy } }),
  };
  return {
    agentFor(url, publicOnly) {
      if (isDirect(url, noProxy) || (publicOnly && url.protocol === "http:")) return undefined;
      return agents[url.protocol];
    },
  };
}

let ofProcess: OutgoingProxy | undefined;

/** The proxy of this process (`process-network.ts`); `undefined` if there is none. */
export const processProxy = (): OutgoingProxy | undefined => ofProcess;

export function setProcessProxy(proxy: OutgoingProxy | undefined): void {
  ofProcess = proxy;
}

const tunnelTimeoutMs = 10_000;

/** Options of a request through the proxy. Its agent does not see the request's own `signal`. */
export type TunnelOptions = https.RequestOptions & { tunnelSignal?: AbortSignal };

/**
 * Ends a request that waits for a tunnel when it is aborted, or after a time. Node does neither: until there is a tunnel,
 * the request has no connection.
 */
class TunnelAgent extends https.Agent {
  override createConnection(options: TunnelOptions, done: (error: Error | null, tunnel: Duplex) => void) {
    const { tunnelSignal: signal } = options;
    const end = () => {
      clearTimeout(timer);
      signal?.removeEventListener("abort", giveUp);
    };
    const toProxy = super.createConnection(options, (error, tunnel) => {
      end();
      done(error, tunnel);
    })!;
    function giveUp() {
      end();
      const late = Object.assign(new Error("the proxy did not connect"), { code: "ETIMEDOUT" });
      done(signal?.aborted === true ? (signal.reason as Error) : late, toProxy);
      toProxy.destroy();
    }
    const timer = setTimeout(giveUp, tunnelTimeoutMs);
    signal?.addEventListener("abort", giveUp, { once: true });
    return toProxy;
  }
}

/**
 * Whether the URL's host is in the server's own network, by its address or a name that only private networks have, or
 * is one of `noProxy`: `*`, an address, a range such as 10.0.0.0/8, or a domain, which has its subdomains too, each also
 * with a port.
 */
export function isDirect(url: URL, noProxy: readonly string[]): boolean {
  if (isOwnNetwork(url)) return true;
  const host = hostOf(url);
  const port = url.port || (url.protocol === "https:" ? "443" : "80");
  return noProxy.some((entry) => {
    const [, name = "", onPort] = /^(.*?)(?::(\d+))?$/.exec(isIP(entry) === 6 ? `[${entry}]` : entry)!;
    return (onPort === undefined || onPort === port) && matches(host, name.toLowerCase());
  });
}

/** Whether the URL itself says that its host is not on the public internet: by an address, or a name of private networks. */
export function isOwnNetwork(url: URL): boolean {
  const host = hostOf(url);
  return isIP(host) === 0 ? isPrivateName(host) : classifyAddress(host) !== "public";
}

/** The host name, or the address without brackets. */
export function hostOf({ hostname }: URL): string {
  return hostname.replace(/^\[(.*)\]$/, "$1").replace(/\.$/, "");
}

function matches(host: string, entry: string): boolean {
  if (entry === "*") return true;
  const plain = entry.replace(/^\[(.*)\]$/, "$1");
  if (isIP(host) === 0) {
    const domain = plain.replace(/^\*?\./, "");
    return host === domain || host.endsWith(`.${domain}`);
  }
  const address = ipaddr.process(host);
  if (ipaddr.isValidCIDR(plain)) {
    const [range, bits] = ipaddr.parseCIDR(plain);
    return address.kind() === range.kind() && address.match(range, bits);
  }
  return isIP(plain) !== 0 && ipaddr.process(plain).toString() === address.toString();
}
