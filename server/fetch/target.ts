import { isIP } from "node:net";
import { AppError } from "../lib/errors.ts";
import { reachOf } from "./addresses.ts";

/** Where one request goes. */
export type Target = {
  url: URL;
  /** A name, or an address without brackets. */
  host: string;
  port: number;
  secure: boolean;
  /** Whether the operator has named this very host, so that it may be of their own network. */
  named: boolean;
};

/** The ports of the web. Whoever asks should not be able to knock at mail servers and databases through us. */
const webPorts = [80, 443];
const charactersMax = 8_192;

/**
 * Reads an address that a person or another server gave: http or https, without a name and password, on a port of the
 * web, and not by number into the operator's own network. `allowedHosts` are `host` or `host:port`, compared whole.
 * Throws `address-not-allowed` for the request's `field`.
 */
export function targetOf(address: string | URL, allowedHosts: readonly string[], field: string): Target {
  const refuse = (message: string): AppError =>
    new AppError("address-not-allowed", { details: [{ path: field, message }] });
  const text = String(address);
  if (text.length > charactersMax || !URL.canParse(text))
    throw refuse("must be a whole address, such as https://example.org/garden.pdf");
  const url = new URL(text);
  if (url.protocol !== "http:" && url.protocol !== "https:")
    throw refuse("must begin with https:// or http://");
  if (url.username !== "" || url.password !== "") throw refuse("must not hold a name or a password");
  const secure = url.protocol === "https:";
  const port = url.port === "" ? (secure ? 443 : 80) : Number(url.port);
  const host = url.hostname.replace(/^\[(.*)\]$/, "$1").replace(/\.$/, "");
  const named = isNamed(host, port, allowedHosts);
  if (!named && !webPorts.includes(port)) throw refuse("must be on port 80 or 443");
  if (isIP(host) !== 0 && !mayReach(host, named)) throw refuse("must not lead into a private network");
  return { url, host, port, secure, named };
}

/** Whether a request that is meant for a named host, or for any other, may be sent to this network address. */
export function mayReach(address: string, named: boolean): boolean {
  const reach = reachOf(address);
  return reach === "public" || (named && reach === "own");
}

function isNamed(host: string, port: number, allowedHosts: readonly string[]): boolean {
  const whole = isIP(host) === 6 ? `[${host}]` : host;
  if (allowedHosts.includes(`${whole}:${port}`)) return true;
  return webPorts.includes(port) && allowedHosts.includes(whole);
}
