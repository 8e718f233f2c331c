import { isIP } from "node:net";
import { targetOf } from "../fetch/target.ts";

/** Names that lead to machines of somebody's own network. */
const ownNames = /(?:^|\.)(?:localhost|local|internal|intranet|lan|home|corp|home\.arpa)$/i;

/**
 * Whether the address of a picture elsewhere may be handed on to a model's provider, which fetches it from where it
 * stands: a model server beside us would reach what only we should. We fetch nothing ourselves.
 */
export function mayBeHandedOn(address: string): boolean {
  try {
    const { host } = targetOf(address, [], "address");
    return isIP(host) !== 0 || (host.includes(".") && !ownNames.test(host));
  } catch {
    return false;
  }
}
