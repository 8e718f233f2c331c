/**
 * The origin that `text` names, as browsers send it in `Origin`: `https://app.example.com` without a default port, or
 * the origin of an app's web view, such as `capacitor://localhost`. `undefined` for anything with a path or a pattern,
 * and for `null`, the origin that all sandboxed pages share.
 */
export function parseOrigin(text: string): string | undefined {
  const trimmed = text.trim();
  if (!URL.canParse(trimmed) || trimmed.includes("*")) return undefined;
  const { origin, protocol, host, username, password, pathname, search, hash } = new URL(trimmed);
  if (host === "" || `${username}${password}${search}${hash}` !== "" || !/^\/?$/.test(pathname))
    return undefined;
  return origin === "null" ? `${protocol}//${host}` : origin;
}
