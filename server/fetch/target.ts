import { isIP } from "node:net";
import { AppError } from "../lib/errors.ts";
import { classifyAddress } from "./addresses.ts";

/** The destination of one request. */
export type Target = {
  url: URL;
  /** A host name, or an IP address without brackets. */
  host: string;
  port: number;
  secure: boolean;
  /** Whether the operator allows this host, so that it can be in their own network. */
  isAllowedHost: boolean;
};

/** Other ports are refused, so that mail servers and databases cannot be reached through this server. */
const webPorts = [80, 443];
const charactersMax = 8_192;

/**
 * Parses a URL from a person or a redirect: http or https, without a user name and password, on port 80 or 443, and not
 * an IP address in the operator's own network. `allowedHosts` has entries `host` or `host:port`, compared exactly. Throws
 * `address-not-allowed` for the request's `field`.
 */
export function parseTarget(address: string | URL, allowedHosts: readonly string[], field: string): Target {
  const refuse = (message: string): AppError =>
    new AppError("address-not-allowed", { details: [{ path: field, message }] });
  const text = String(address);
  if (text.length > charactersMax || !URL.canParse(text))
    throw refuse("must be a complete URL, such as https://example.org/garden.pdf");
  const url = new URL(text);
  if (url.protocol !== "http:" && url.protocol !== "https:")
    throw refuse("must begin with https:// or http://");
  if (url.username !== "" || url.password !== "") throw refuse("must not contain a user name or a password");
  const secure = url.protocol === "https:";
  const port = url.port === "" ? (secure ? 443 : 80) : Number(url.port);
  const host = url.hostname.replace(/^\[(.*)\]$/, "$1").replace(/\.$/, "");
  const isAllowedHost = isOnList(host, port, allowedHosts);
  if (!isAllowedHost && !webPorts.includes(port)) throw refuse("must be on port 80 or 443");
  if (isIP(host) !== 0 && !isAllowed(host, isAllowedHost)) throw refuse("must not be in a private network");
  return { url, host, port, secure, isAllowedHost };
}

/** Whether a request for an allowed host, or for any other host, may be sent to this network address. */
export function isAllowed(address: string, isAllowedHost: boolean): boolean {
  const kind = classifyAddress(address);
  return kind === "public" || (isAllowedHost && kind === "own");
}

function isOnList(host: string, port: number, allowedHosts: readonly string[]): boolean {
  const hostInUrl = isIP(host) === 6 ? `[${host}]` : host;
  if (allowedHosts.includes(`${hostInUrl}:${port}`)) return true;
  return webPorts.includes(port) && allowedHosts.includes(hostInUrl);
}
