import { basePath } from "#web/lib/base-path.ts";

/**
 * The service's base URL, which the server writes into the page: a path, or "", for the page's own origin, which has cookie
 * sessions, or the URL of another origin, which has bearer tokens.
 */
export function readBaseUrl(): string {
  const meta = document.querySelector<HTMLMetaElement>('meta[name="parlance-base-url"]');
  const given = meta?.content.trim().replace(/\/+$/, "") ?? "";
  if (given === "" || !URL.canParse(given)) return basePath;
  return new URL(given).origin === location.origin ? basePath : given;
}

/** Whether a base URL is on the page's own origin. */
export function isOwnOrigin(baseUrl: string): boolean {
  return !/^https?:/.test(baseUrl);
}
