/** What the server has written into the page: `url` is that of the service, `path` its own path on this host. */
export function baseOf(name: "url" | "path"): string {
  const page = globalThis.document as Document | undefined;
  return page?.querySelector<HTMLMetaElement>(`meta[name=parlance-base-${name}]`)?.content ?? "";
}

/**
 * The path of the server on its host, such as `/chat`; "" at the root. Every address of this app that the router does not
 * make begins with it.
 */
export const basePath = baseOf("path");

/** The address of a path of the app or of its server on this host, such as `/chat/v1/models`. */
export function inApp(path: string): string {
  return path.startsWith(`${basePath}/`) ? path : basePath + path;
}

/** The path of the app or of its server that an address on this host has. */
export function withoutBase(path: string): string {
  return path.startsWith(`${basePath}/`) ? path.slice(basePath.length) : path;
}

/** The whole URL, for a link that leaves the app. */
export function appUrl(path: string): string {
  return location.origin + inApp(path);
}

/** The name of something that all pages of an origin share, such as a lock. Other servers of the host have other names. */
export function nameHere(name: string): string {
  return basePath === "" ? name : `${basePath}:${name}`;
}
