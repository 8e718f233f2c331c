/** The web app's own cookie: HttpOnly, of this origin alone, and named by its port, which cookies do not tell apart. */
export type CookieJar = {
  read(header: string | undefined): string | undefined;
  write(token: string, expiresAtMs: number, nowMs: number): string;
  clear(): string;
};

export function createCookieJar(options: { port: () => number; secure: boolean }): CookieJar {
  const name = () => `parlance_${options.port()}`;
  const attributes = `Path=/; HttpOnly; SameSite=Strict${options.secure ? "; Secure" : ""}`;
  return {
    read(header) {
      for (const pair of header?.split(";") ?? []) {
        const at = pair.indexOf("=");
        if (at > 0 && pair.slice(0, at).trim() === name()) return pair.slice(at + 1).trim();
      }
      return undefined;
    },
    write: (token, expiresAtMs, nowMs) =>
      `${name()}=${token}; ${attributes}; Max-Age=${Math.max(0, Math.floor((expiresAtMs - nowMs) / 1000))}`,
    clear: () => `${name()}=; ${attributes}; Max-Age=0`,
  };
}

/**
 * Whether our own page sent this request; only then does its cookie count. The header that the page sets cannot be set
 * across origins (no preflight allows it), and the browser's word, where it gives one, must agree. A Host or address is
 * no proof: the origin is compared with the Host that the same request names, which a page elsewhere cannot choose, or
 * with the public address, where a proxy in front changes the Host.
 */
export function isOwnPage(
  header: (name: string) => string | undefined,
  publicOrigin: string | undefined,
): boolean {
  if (header("parlance-client") !== "web") return false;
  const site = header("sec-fetch-site");
  if (site !== undefined && site !== "same-origin") return false;
  const origin = header("origin");
  if (origin === undefined) return true;
  if (origin === publicOrigin) return true;
  return URL.canParse(origin) && new URL(origin).host === header("host");
}

/**
 * Whether a file may be read by the cookie alone: a picture, a player or a link of our page can set no header. The
 * cookie is of this site alone (SameSite=Strict), nothing is changed by a read, and what is answered can be used by no
 * page of another origin; the browser's word, where it gives one, must say that our page asks, or the person.
 */
export function isOwnRead(header: (name: string) => string | undefined): boolean {
  const site = header("sec-fetch-site");
  return site === undefined || site === "same-origin" || site === "none";
}
