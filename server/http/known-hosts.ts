import { addressIn, hostnameOf, isLoopback, isOfNetwork, isOnInternet } from "../fetch/host-names.ts";

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
  const isPublic = isOnInternet(options.publicUrl);

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
