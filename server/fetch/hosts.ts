import { lookup } from "node:dns/promises";
import { isIP } from "node:net";
import type { Role } from "#contract/accounts/permissions.ts";
import type { Clock } from "../lib/clock.ts";
import { AppError } from "../lib/errors.ts";
import { classifyAddress } from "./addresses.ts";
import { parseTarget } from "./target.ts";

/** Whether a host name, not an address, is one that only a private network has: it cannot be registered. */
export function isPrivateName(host: string): boolean {
  return /^[^.]+$|\.(?:localhost|local|internal|intranet|lan|home|corp|home\.arpa)$/i.test(host);
}

/**
 * Whether the URL of a picture may be passed to a model's provider, which fetches it from its own network. A model
 * server next to this one could reach hosts that only this server should reach.
 */
export function isSafeForProvider(url: string): boolean {
  try {
    const { host } = parseTarget(url, [], "address");
    return isIP(host) !== 0 || !isPrivateName(host);
  } catch {
    return false;
  }
}

/**
 * Whether all addresses of the host of this URL are in the operator's own network. Also true for a host without an
 * address, whose requests fail.
 */
export async function isLocalHost(url: string): Promise<boolean> {
  return (await addressesOf(url)).every((address) => classifyAddress(address) === "own");
}

/** A minute: a host rarely moves into another network. */
const checkFreshMs = 60_000;

/**
 * Like `isLocalHost` for one URL, but remembers the result. For lists of models only: requests check the address that
 * they are sent to.
 */
export function createHostCheck(url: string, clock: Pick<Clock, "now">): () => Promise<boolean> {
  let checked: Promise<boolean> | undefined;
  let freshUntilMs = -Infinity;
  return async () => {
    if (clock.now() >= freshUntilMs) {
      freshUntilMs = clock.now() + checkFreshMs;
      const checking = isLocalHost(url);
      // A name server may take seconds to fail, so an old result counts until there is a new one.
      if (checked === undefined) checked = checking;
      else void checking.then(() => (checked = checking));
    }
    return await checked!;
  };
}

/** Whether all addresses of the host of this URL are public. Also true for a host without an address. */
export async function isPublicHost(url: string): Promise<boolean> {
  return (await addressesOf(url)).every((address) => classifyAddress(address) === "public");
}

/** Throws `provider-private` for a server in the operator's own network, which only the owner connects. */
export async function checkMayConnect(role: Role, url: string): Promise<void> {
  if (role !== "owner" && !(await isPublicHost(url))) throw new AppError("provider-private");
}

/** Whether a role that saves this URL lets its server be in the operator's own network: it is there now. */
export async function confirmsPrivateHost(role: Role, url: string): Promise<boolean> {
  return role === "owner" && !(await isPublicHost(url));
}

async function addressesOf(url: string): Promise<string[]> {
  const host = new URL(url).hostname.replace(/^\[|\]$/g, "");
  return (await lookup(host, { all: true }).catch(() => [])).map(({ address }) => address);
}
