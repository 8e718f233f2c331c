import type { RequestFacts } from "../lib/route.ts";
import type { Config } from "./settings.ts";

/** The base URL for links that are returned to this client, including links to files. */
export function serviceUrl({ files, baseUrl, publicUrl }: Config, request: RequestFacts): string {
  return files.origin ?? baseUrl ?? publicUrl ?? request.origin;
}

/** The URL at which people open a server that listens on `port`. */
export function webAppUrl({ publicUrl, host }: Config, port: number): string {
  return publicUrl ?? `http://${host.includes(":") ? `[${host}]` : host}:${port}`;
}

/** The port of a URL, even if it is the default one and therefore not written. */
export function portOf(url: string | undefined): number | undefined {
  if (url === undefined) return undefined;
  const { port, protocol } = new URL(url);
  return port === "" ? (protocol === "https:" ? 443 : 80) : Number(port);
}
