import { isIP } from "node:net";
import { parseTarget } from "../fetch/target.ts";

/** Host names of private networks. */
const privateNames = /(?:^|\.)(?:localhost|local|internal|intranet|lan|home|corp|home\.arpa)$/i;

/**
 * Whether the URL of a picture may be passed to a model's provider, which fetches it from its own network. A model
 * server next to this one could reach hosts that only this server should reach.
 */
export function isSafeForProvider(url: string): boolean {
  try {
    const { host } = parseTarget(url, [], "address");
    return isIP(host) !== 0 || (host.includes(".") && !privateNames.test(host));
  } catch {
    return false;
  }
}
