import { isIP } from "node:net";
import ipaddr from "ipaddr.js";

/**
 * What stands behind an address: anyone's machine, one of the operator's own network, or what nobody may be led to,
 * such as a cloud's metadata.
 */
export type Reach = "public" | "own" | "never";

/** Public by their number, and yet a cloud's own: Azure's agent and its DNS. */
const cloudsOwn = new Set(["168.63.129.16"]);

/** Global unicast, the only part of IPv6 that is given out; also what a library does not know yet stands outside. */
const globalUnicast = ipaddr.IPv6.parseCIDR("2000::/3");

const ownRanges = new Set<string>(["private", "loopback", "uniqueLocal", "carrierGradeNat"]);

/** Judges an address as a socket or a resolver writes it. What cannot be read is never reached. */
export function reachOf(address: string): Reach {
  const plain = address.replace(/%.*$/, "");
  const version = isIP(plain);
  if (version === 4) return reachOfIPv4(ipaddr.IPv4.parse(plain));
  // In hexadecimal, for the library takes ::10.0.0.1 and ::ffff:10.0.0.1 for the same.
  return version === 6 ? reachOfIPv6(ipaddr.IPv6.parse(inHexadecimal(plain))) : "never";
}

function reachOfIPv4(address: ipaddr.IPv4): Reach {
  const range = address.range();
  if (ownRanges.has(range)) return "own";
  return range === "unicast" && !cloudsOwn.has(address.toString()) ? "public" : "never";
}

function reachOfIPv6(address: ipaddr.IPv6): Reach {
  if (address.isIPv4MappedAddress()) return reachOfIPv4(address.toIPv4Address());
  // 64:ff9b::/96: how a network without IPv4 reaches it. What it leads to counts, and only the public may be named so.
  if (address.range() === "rfc6052") return reachOfIPv4(embedded(address)) === "public" ? "public" : "never";
  if (ownRanges.has(address.range())) return "own";
  return address.range() === "unicast" && address.match(globalUnicast) ? "public" : "never";
}

function embedded(address: ipaddr.IPv6): ipaddr.IPv4 {
  return new ipaddr.IPv4(address.toByteArray().slice(-4));
}

function inHexadecimal(address: string): string {
  return new URL(`http://[${address}]`).hostname.slice(1, -1);
}
