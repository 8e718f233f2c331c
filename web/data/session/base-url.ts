/**
 * Where the service stands, as the server wrote it into the page: "" for the page's own origin, where the session is a
 * cookie, or another origin's address, where it is a bearer.
 */
export function readBaseUrl(): string {
  const meta = document.querySelector<HTMLMetaElement>('meta[name="parlance-base-url"]');
  const given = meta?.content.trim().replace(/\/+$/, "") ?? "";
  if (given === "" || !URL.canParse(given)) return "";
  return new URL(given).origin === location.origin ? "" : given;
}
