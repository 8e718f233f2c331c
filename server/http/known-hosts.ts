import { isIP } from "node:net";
import { classifyAddress } from "../fetch/addresses.ts";
import { isPrivateName } from "../fetch/hosts.ts";

/**
 * The host names that lead to this server. A page of another name that resolves to the server's address (DNS rebinding)
 * has the same origin as the server in the eyes of its browser, and is recognized by its `Host` alone.
 */
export type KnownHosts = {
  /** Whether a request with this `Host` header is for this server. */
  isKnown(host: string): boolean;
  /**
   * Whether pages of this origin may call an app without a list of origins: those of the same machine or network, or
   * of every origin if the server is public, which one with a `PUBLIC_URL` of a private network is not.
   */
  isOriginNear(origin: string): boolean;
  /** The pages for which `isOriginNear` is true. A network includes the machine. */
  nearOrigins: "machine" | "network" | "every";
};

/** `host`: the address to listen on. `urls`: all URLs that the operator has set for this server. */
export function createKnownHosts(options: {
  host: string;
  publicUrl: string | undefined;
  urls: readonly (string | undefined)[];
}): KnownHosts {
  const names = new Set([options.publicUrl, ...options.urls].flatMap((url) => hostnameOf(url) ?? []));
  const isOnlyLocal = isLoopback(options.host.toLowerCase());
  const publicName = hostnameOf(options.publicUrl);
  const isPublic = publicName !== undefined && !isLoopback(publicName) && !isOfNetwork(publicName);

  return {
    nearOrigins: isPublic ? "every" : isOnlyLocal ? "machine" : "network",
    isKnown(host) {
      const name = hostnameOf(`http://${host}`);
      if (name === undefined) return false;
      if (isLoopback(name) || names.has(name)) return true;
      return !isOnlyLocal && (addressIn(name) !== undefined || isOfNetwork(name));
    },
    isOriginNear(origin) {
      const name = hostnameOf(origin);
      if (isPublic) return true;
      if (name === undefined) return false;
      return isLoopback(name) || names.has(name) || (!isOnlyLocal && isOfNetwork(name));
    },
  };
}

function hostnameOf(url: string | undefined): string | undefined {
  if (url === undefined || !URL.canParse(url)) return undefined;
  return new URL(url).hostname.toLowerCase().replace(/\.$/, "");
}

function addressIn(name: string): string | undefined {
  const address = name.replace(/^\[(.*)\]$/, "$1");
  return isIP(address) === 0 ? undefined : address;
}

function isLoopback(name: string): boolean {
  return /^(.+\.)?localhost$|^127(\.\d{1,3}){3}$|^(\[::1\]|::1)$/.test(name);
}

/** Names and addresses of private networks, which cannot be registered and pointed here. */
function isOfNetwork(name: string): boolean {
  const address = addressIn(name);
  return address === undefined ? isPrivateName(name) : classifyAddress(address) === "own";
}
