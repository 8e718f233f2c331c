/**
 * The caller's network address. Each of `proxies` proxies in front appends an entry to X-Forwarded-For, so it is the
 * `proxies`-th entry from the right. Entries further left were sent by the caller and can be forged.
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
  return plainAddress(hops[Math.max(0, hops.length - proxies)] ?? socket).slice(0, 64);
}

/** The key for limits: an IPv4 address, or the /64 network of an IPv6 address, which one household has. */
export function limitKeyOf(address: string): string {
  if (!address.includes(":")) return address;
  const [head = "", tail] = address.split("::");
  const left = head === "" ? [] : head.split(":");
  const right = tail === undefined || tail === "" ? [] : tail.split(":");
  const groups =
    tail === undefined
      ? left
      : [...left, ...Array<string>(Math.max(0, 8 - left.length - right.length)).fill("0"), ...right];
  return groups
    .slice(0, 4)
    .map((group) => group.replace(/^0+(?=.)/, "").toLowerCase())
    .join(":");
}

function plainAddress(address: string): string {
  return address.replace(/^::ffff:(?=\d+\.\d+\.\d+\.\d+$)/i, "");
}
