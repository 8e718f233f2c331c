import { isIP } from "node:net";
import ipaddr from "ipaddr.js";

/**
 * The caller's network address. Each of `proxies` proxies in front appends an entry to X-Forwarded-For, so it is the
 * `proxies`-th entry from the right. Entries further left were sent by the caller and can be forged. An entry that is no
 * address counts as the socket's: otherwise a caller could have as many addresses as they invent words.
 */
export function callerAddress(
  socketAddress: string | undefined,
  forwardedFor: string | undefined,
  proxies: number,
): string {
  const socket = plainAddress(socketAddress ?? "unknown");
  if (proxies === 0 || forwardedFor === undefined) return socket;
  const hops = forwardedFor
    .split(",")
    .map((hop) => hop.trim())
    .filter((hop) => hop !== "");
  const address = plainAddress(hops[Math.max(0, hops.length - proxies)] ?? "");
  // A zone is the name of a network card, which only the caller's machine knows.
  return isIP(address) === 0 || address.includes("%") ? socket : address;
}

/** The key for limits: an IPv4 address, or the /64 network of an IPv6 address, which one household has. */
export function limitKeyOf(address: string): string {
  if (!ipaddr.IPv6.isValid(address)) return address;
  const groups = ipaddr.IPv6.parse(address).parts.slice(0, 4);
  return groups.map((group) => group.toString(16)).join(":");
}

/** Without the port that some proxies add, and as IPv4 if it is an IPv4 address in IPv6. */
function plainAddress(address: string): string {
  return address
    .replace(/^\[(.+)\](?::\d+)?$/, "$1")
    .replace(/^(\d+\.\d+\.\d+\.\d+):\d+$/, "$1")
    .replace(/^::ffff:(?=\d+\.\d+\.\d+\.\d+$)/i, "");
}
