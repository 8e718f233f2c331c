import type { Config } from "./settings.ts";
import type { RequestFacts } from "../lib/route.ts";

/** Where whoever sent this request can reach the service again, files and all. */
export function serviceOf({ files, baseUrl, publicUrl }: Config, request: RequestFacts): string {
  return files.origin ?? baseUrl ?? publicUrl ?? request.origin;
}

/** Where people reach a server that listens on `port`. */
export function addressOf({ publicUrl, host }: Config, port: number): string {
  return publicUrl ?? `http://${host.includes(":") ? `[${host}]` : host}:${port}`;
}

/** The port of an address, also where it is the usual one and not told. */
export function portOf(address: string | undefined): number | undefined {
  if (address === undefined) return undefined;
  const { port, protocol } = new URL(address);
  return port === "" ? (protocol === "https:" ? 443 : 80) : Number(port);
}
