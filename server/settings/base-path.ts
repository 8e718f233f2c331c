import * as z from "zod/mini";
import { url } from "./setting-types.ts";

/**
 * With what the server's own paths begin: its pages, endpoints and probes, and those of the web app
 * (`web/app/routes.tsx`).
 */
const ownSegments = new Set(
  `admin archive assets continue docs files healthz invite leaving livez metrics openai owner program prompts readyz reset
  s search second-factor settings shares sign-in sign-up t trash v1`.split(/\s+/),
);

/** The public URL, without a slash at its end. */
export function publicUrl() {
  return z.pipe(
    url(),
    z.transform((address, context): string => {
      const { origin, pathname, search, hash } = new URL(address);
      const message = search + hash === "" ? problemOf(pathname) : "must end with its host or its path.";
      if (message === undefined) return `${origin}${pathname}`.replace(/\/$/, "");
      context.issues.push({ code: "custom", input: address, message });
      return z.NEVER;
    }),
  );
}

/**
 * Why this path cannot be the base path. Requests come with it and, from proxies that remove it, without: so it must not
 * begin like a path of the server.
 */
function problemOf(path: string): string | undefined {
  if (path === "/") return undefined;
  const [first = "", ...others] = path.slice(1).split("/");
  if (![first, ...others].every((segment) => /^[\w-][\w.~-]*$/.test(segment)))
    return "must have only letters, digits and -._~ in its path, such as https://example.com/chat.";
  return ownSegments.has(first.toLowerCase())
    ? `must not have a path that begins with /${first}, which is one of the server's own. Use another, such as /chat.`
    : undefined;
}

/** The path below which the server is, such as `/chat`; "" for a public URL without a path. */
export function basePathOf(publicUrl: string | undefined): string {
  return publicUrl === undefined ? "" : new URL(publicUrl).pathname.replace(/\/$/, "");
}
