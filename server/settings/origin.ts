/**
 * The origin that `text` names, as browsers send it in `Origin`: `https://app.example.com`, without a default port; or
 * what an app's web view calls itself, such as `capacitor://localhost`. `undefined` for anything with a path or a
 * pattern, and for the `null` that every sandboxed page is called.
 */
export function originOf(text: string): string | undefined {
  const trimmed = text.trim();
  if (!URL.canParse(trimmed) || trimmed.includes("*")) return undefined;
  const { origin, protocol, host, username, password, pathname, search, hash } = new URL(trimmed);
  if (host === "" || `${username}${password}${search}${hash}` !== "" || !/^\/?$/.test(pathname))
    return undefined;
  return origin === "null" ? `${protocol}//${host}` : origin;
}
