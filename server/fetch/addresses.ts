import { isIP } from "node:net";
import ipaddr from "ipaddr.js";

/**
 * The kind of a network address: on the public internet, in the operator's own network, or never allowed, such as the
 * metadata service of a cloud.
 */
export type AddressKind = "public" | "own" | "never";

/** Public addresses that are internal to a cloud: Azure's agent and DNS. */
const cloudAddresses = new Set(["168.63.129.16"]);

/** Global unicast, the only part of IPv6 that is assigned. It also excludes ranges that the library does not know. */
const globalUnicast = ipaddr.IPv6.parseCIDR("2000::/3");

const ownRanges = new Set<string>(["private", "loopback", "uniqueLocal", "carrierGradeNat"]);

/** Classifies an address as written by a socket or resolver. Invalid addresses are `never`. */
export function classifyAddress(address: string): AddressKind {
  const plain = address.replace(/%.*$/, "");
  const version = isIP(plain);
  if (version === 4) return classifyIPv4(ipaddr.IPv4.parse(plain));
  // In hexadecimal, because the library confuses ::10.0.0.1 with ::ffff:10.0.0.1.
  return version === 6 ? classifyIPv6(ipaddr.IPv6.parse(inHexadecimal(plain))) : "never";
}

function classifyIPv4(address: ipaddr.IPv4): AddressKind {
  const range = address.range();
  if (ownRanges.has(range)) return "own";
  return range === "unicast" && !cloudAddresses.has(address.toString()) ? "public" : "never";
}

function classifyIPv6(address: ipaddr.IPv6): AddressKind {
  if (address.isIPv4MappedAddress()) return classifyIPv4(address.toIPv4Address());
  // 64:ff9b::/96 (NAT64) maps to an IPv4 address, which must be public.
  if (address.range() === "rfc6052") return classifyIPv4(embedded(address)) === "public" ? "public" : "never";
  if (ownRanges.has(address.range())) return "own";
  return address.range() === "unicast" && address.match(globalUnicast) ? "public" : "never";
}

function embedded(address: ipaddr.IPv6): ipaddr.IPv4 {
  return new ipaddr.IPv4(address.toByteArray().slice(-4));
}

function inHexadecimal(address: string): string {
  return new URL(`http://[${address}]`).hostname.slice(1, -1);
}
