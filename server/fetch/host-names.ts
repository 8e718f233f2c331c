import { isIP } from "node:net";
import { classifyAddress } from "./addresses.ts";
import { isPrivateName } from "./hosts.ts";

/** Whether a URL is for the internet: its host name is neither of this machine nor of a private network. */
export function isOnInternet(url: string | undefined): boolean {
  const name = hostnameOf(url);
  return name !== undefined && !isLoopback(name) && !isOfNetwork(name);
}

export function hostnameOf(url: string | undefined): string | undefined {
  if (url === undefined || !URL.canParse(url)) return undefined;
  return new URL(url).hostname.toLowerCase().replace(/\.$/, "");
}

export function addressIn(name: string): string | undefined {
  const address = name.replace(/^\[(.*)\]$/, "$1");
  return isIP(address) === 0 ? undefined : address;
}

export function isLoopback(name: string): boolean {
  return /^(.+\.)?localhost$|^127(\.\d{1,3}){3}$|^(\[::1\]|::1)$/.test(name);
}

/** Names and addresses of private networks, which cannot be registered and pointed here. */
export function isOfNetwork(name: string): boolean {
  const address = addressIn(name);
  return address === undefined ? isPrivateName(name) : classifyAddress(address) === "own";
}
