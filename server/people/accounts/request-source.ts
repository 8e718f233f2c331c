import { AppError } from "#server/lib/errors.ts";
import type { RequestFacts } from "#server/lib/route.ts";
import type { RequestSource } from "./account-session.ts";

export function sourceOf({ limitKey, userAgent, sessionToken, browserToken }: RequestFacts): RequestSource {
  return { address: limitKey, device: userAgent, sessionToken, browserToken };
}

/** The own page only: otherwise a form on another page could sign the browser in to somebody else's account. */
export function ownPageOf(request: RequestFacts): RequestSource {
  if (!request.ownPage) throw new AppError("not-allowed");
  return sourceOf(request);
}
