import { lookup } from "node:dns/promises";
import { classifyAddress } from "#server/fetch/addresses.ts";
import type { Model } from "./model.ts";

/** The model with every request limited to the operator's own network. */
export function onlyLocal(model: Model): Model {
  return {
    ...model,
    stream: (request, signal, observer) => model.stream({ ...request, localOnly: true }, signal, observer),
  };
}

/**
 * Whether all addresses of the host of this URL are in the operator's own network. Also true for a host without an
 * address, whose requests fail.
 */
export async function isLocalHost(url: string): Promise<boolean> {
  const host = new URL(url).hostname.replace(/^\[|\]$/g, "");
  const addresses = await lookup(host, { all: true }).catch(() => []);
  return addresses.every(({ address }) => classifyAddress(address) === "own");
}
