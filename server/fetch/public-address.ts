import { resolveName, resolveTarget, type Resolve } from "./connect.ts";
import { hostOf } from "./outgoing-proxy.ts";

/**
 * An address of the URL's host, which somebody else connects to, such as a proxy. Throws `ForbiddenAddressError` unless all
 * of its addresses are public.
 */
export async function publicAddressOf(
  url: URL,
  signal: AbortSignal,
  resolve: Resolve = resolveName,
): Promise<string> {
  const target = { url, host: hostOf(url), port: 0, secure: true, isAllowedHost: false };
  return (await resolveTarget(target, resolve, signal))[0]!;
}
