import { parse, serialize } from "hono/utils/cookie";
import type { EndpointContext } from "../request-context.ts";
import type { Auth } from "../../sign-in/auth.ts";
import { AppError } from "../../lib/errors.ts";
import type { Visitor } from "../../lib/route.ts";
import { readBytes } from "../body/read-bytes.ts";
import { isOwnRead, type CookieJar } from "../cookie.ts";

/** What requests for the page of a link contain: the person's session, and the pass for the link's password. */

const passName = "parlance_share";
const passSeconds = 24 * 3_600;
const formBytesMax = 4 * 1024;
const formMs = 10_000;

/** The person of the session, if the browser sends it. It does not when a link on another site opens the page. */
export async function findReader(
  c: EndpointContext,
  { identify, cookies }: { identify: Auth["identify"]; cookies: CookieJar },
): Promise<Visitor | undefined> {
  const isOwn = isOwnRead((name) => c.req.header(name));
  const sessionToken = isOwn ? cookies.read(c.req.header("cookie")) : undefined;
  if (sessionToken === undefined) return undefined;
  const none = { authorization: undefined, userIdHeader: undefined, workspaceIdHeader: undefined };
  try {
    return (await identify({ ...none, sessionToken })).visitor;
  } catch (error) {
    if (error instanceof AppError) return undefined;
    throw error;
  }
}

/** What the browser got for the link's password. */
export function readPass(c: EndpointContext): string | undefined {
  return parse(c.req.header("cookie") ?? "", passName)[passName];
}

/** The cookie that keeps a pass for a day, for this link only. */
export function passCookie(path: string, pass: string, secure: boolean): string {
  return serialize(passName, pass, {
    path,
    httpOnly: true,
    sameSite: "Lax",
    secure,
    maxAge: passSeconds,
  });
}

/** The password of the form. Throws `origin-not-allowed` for the form of another site, and what `readBytes` throws. */
export async function readPassword(c: EndpointContext): Promise<string> {
  const site = c.req.header("sec-fetch-site");
  if (site !== undefined && site !== "same-origin") throw new AppError("origin-not-allowed");
  const bytes = await readBytes(c.env.incoming, {
    bytesMax: formBytesMax,
    timeoutMs: formMs,
    checkChunk: () => {},
  });
  return new URLSearchParams(bytes.toString("utf8")).get("password") ?? "";
}
