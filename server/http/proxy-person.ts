import type { IncomingMessage } from "node:http";
import { BlockList } from "node:net";
import { isEmail } from "#contract/accounts/email.ts";
import { limits } from "#contract/limits.ts";
import { cleanText, cutText } from "#contract/text.ts";
import type { ProxyPerson } from "../lib/route.ts";
import type { NetworkRange } from "../settings/setting-types.ts";

/** The person named by a trusted proxy in a request; `undefined` if there is none. */
export type FindProxyPerson = (request: IncomingMessage) => ProxyPerson | undefined;

/** Headers count only on connections from `addresses`: everybody else could write them too. */
export function createFindProxyPerson({
  addresses,
  emailHeader,
  nameHeader,
}: {
  addresses: readonly NetworkRange[];
  emailHeader: string;
  nameHeader?: string | undefined;
}): FindProxyPerson {
  const trusted = new BlockList();
  for (const { address, prefix, family } of addresses) trusted.addSubnet(address, prefix, family);

  function isTrusted({ remoteAddress, remoteFamily }: IncomingMessage["socket"]): boolean {
    if (remoteAddress === undefined) return false;
    // IPv4 addresses that arrive at an IPv6 socket are checked as IPv4.
    return trusted.check(remoteAddress, remoteFamily === "IPv6" ? "ipv6" : "ipv4");
  }

  return (request) => {
    if (addresses.length === 0 || !isTrusted(request.socket)) return undefined;
    // Node joins repeated headers with a comma and a space, which is no address.
    const email = textOf(request, emailHeader);
    if (email === undefined || email.length > limits.emailCharacters || !isEmail(email)) return undefined;
    const name = nameHeader === undefined ? undefined : textOf(request, nameHeader);
    return {
      email,
      ...(name === undefined ? {} : { name: cutText(cleanText(name), limits.accountNameCharacters) }),
    };
  };
}

/** Node reads headers as Latin-1; proxies write UTF-8. `undefined` without any text. */
function textOf({ headers }: IncomingMessage, header: string): string | undefined {
  const value = headers[header.toLowerCase()];
  if (typeof value !== "string") return undefined;
  const text = Buffer.from(value, "latin1").toString("utf8").trim();
  return text === "" ? undefined : text;
}
