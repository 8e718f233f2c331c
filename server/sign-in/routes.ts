import { actorOf } from "../audit/audit.ts";
import { AppError } from "../lib/errors.ts";
import { JsonResponse, type Routes } from "../lib/route.ts";
import type { Auth } from "./auth.ts";

type Names =
  | "auth.signUpAnonymous"
  | "auth.refresh"
  | "auth.mint"
  | "auth.openSession"
  | "auth.closeSession"
  | "auth.sessions"
  | "auth.endSession"
  | "auth.endOtherSessions"
  | "auth.me";

export function authRoutes(auth: Auth): Routes<Names> {
  return {
    "auth.signUpAnonymous": async ({ request }) =>
      await auth.signUpAnonymous({ key: request.limitKey, device: request.userAgent }, request.pageOrigin),
    "auth.refresh": async ({ body }) => await auth.refresh(body.refresh_token),
    "auth.mint": async ({ visitor }) => ({ token: await auth.mint(visitor) }),
    "auth.openSession": async ({ body, request }) => {
      // The own page only: otherwise a form on another page could replace the browser's session.
      if (!request.ownPage) throw new AppError("not-allowed");
      const session = await auth.openSession({
        token: request.sessionToken,
        ownerSecret: body.owner_secret,
        key: request.limitKey,
        device: request.userAgent,
      });
      return new JsonResponse(await auth.me(session.visitor), { session });
    },
    "auth.closeSession": async ({ request }) => {
      if (!request.ownPage) throw new AppError("not-allowed");
      if (request.sessionToken !== undefined) await auth.closeSession(request.sessionToken);
      return new JsonResponse({}, { session: "close" });
    },
    "auth.sessions": async ({ visitor }) => ({ sessions: await auth.ownSessions.list(visitor) }),
    "auth.endSession": async ({ visitor, params, request }) => {
      await auth.ownSessions.end(visitor, params.session_id, actorOf({ visitor, request }));
      return {};
    },
    "auth.endOtherSessions": async (call) => ({
      ended: await auth.ownSessions.endOthers(call.visitor, actorOf(call)),
    }),
    "auth.me": async ({ visitor }) => await auth.me(visitor),
  };
}
