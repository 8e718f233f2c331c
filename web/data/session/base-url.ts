/**
 * The service's base URL, which the server writes into the page: "" for the page's own origin, which has cookie sessions,
 * or the URL of another origin, which has bearer tokens.
 */
export function readBaseUrl(): string {
  const meta = document.querySelector<HTMLMetaElement>('meta[name="parlance-base-url"]');
  const given = meta?.content.trim().replace(/\/+$/, "") ?? "";
  if (given === "" || !URL.canParse(given)) return "";
  return new URL(given).origin === location.origin ? "" : given;
}
