import { parse, serialize } from "hono/utils/cookie";

/** A year, after which the browser counts as a stranger's. */
const browserSeconds = 365 * 24 * 3_600;

/**
 * The web app's session cookie, and one by which a browser is recognized that was signed in before. Its name has the port, because browsers share cookies between ports. With https the name
 * begins with `__Host-`: then a browser accepts the cookie only from this host itself and only over https. Below a base path
 * the cookie has that path, which `__Host-` forbids, and the name has it too: a server at the root of the host has cookies
 * of its own.
 */
export type CookieJar = {
  read(header: string | undefined): string | undefined;
  write(token: string, expiresAtMs: number, nowMs: number): string;
  clear(): string;
  readBrowser(header: string | undefined): string | undefined;
  writeBrowser(token: string): string;
};

export function createCookieJar(options: {
  port: () => number;
  secure: boolean;
  /** Such as `/chat`; "" for none. */
  basePath: string;
}): CookieJar {
  const { secure, basePath } = options;
  const prefix = !secure ? "" : basePath === "" ? "__Host-" : "__Secure-";
  // Names of cookies cannot have a slash.
  const suffix = basePath.replaceAll("/", "+");
  const name = () => `${prefix}parlance_${options.port()}${suffix}`;
  const browserName = () => `${name()}_browser`;
  const format = (token: string, maxAge: number, of = name()) =>
    serialize(of, token, {
      path: basePath || "/",
      httpOnly: true,
      sameSite: "Strict",
      secure,
      maxAge,
    });
  return {
    read: (header) => parse(header ?? "", name())[name()],
    write: (token, expiresAtMs, nowMs) =>
      format(token, Math.max(0, Math.floor((expiresAtMs - nowMs) / 1_000))),
    clear: () => format("", 0),
    readBrowser: (header) => parse(header ?? "", browserName())[browserName()],
    writeBrowser: (token) => format(token, browserSeconds, browserName()),
  };
}

/**
 * Whether our own page sent this request. The session cookie counts only then. Pages of other origins cannot set the
 * `Parlance-Client` header, because no preflight allows it. If the browser sends `Sec-Fetch-Site` or `Origin`, they must
 * agree: the origin must match the request's `Host`, which such a page cannot change, or the public origin, if a proxy
 * rewrites `Host`.
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
 * Whether the cookie is enough to read a file: `<img>`, `<video>` and links cannot set a header. This is safe because
 * the cookie is SameSite=Strict, a read changes nothing, and pages of other origins cannot use the response. If the
 * browser sends `Sec-Fetch-Site`, the request must come from our page or from the person (a typed URL).
 */
export function isOwnRead(header: (name: string) => string | undefined): boolean {
  const site = header("sec-fetch-site");
  return site === undefined || site === "same-origin" || site === "none";
}
