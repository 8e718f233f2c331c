import { baseOf, basePath } from "#web/lib/base-path.ts";

/**
 * The service's base URL, which the server writes into the page: a path, or "", for the page's own origin, which has cookie
 * sessions, or the URL of another origin, which has bearer tokens.
 */
export function readBaseUrl(): string {
  const given = baseOf("url");
  return given === "" || new URL(given).origin === location.origin ? basePath : given;
}

/** Whether a base URL is on the page's own origin. */
export function isOwnOrigin(baseUrl: string): boolean {
  return !baseUrl.startsWith("http");
}
