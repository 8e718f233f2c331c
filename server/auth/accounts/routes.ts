import { AppError } from "#server/lib/errors.ts";
import { JsonResponse, type RequestFacts, type Routes, type Visitor } from "#server/lib/route.ts";
import type { Me } from "#contract/endpoints/auth.ts";
import type { OpenSession } from "../sessions.ts";
import type { Accounts } from "./accounts.ts";
import type { Invitations } from "./invitations.ts";
import type { RequestSource } from "./account-session.ts";
import type { SignUp } from "./sign-up.ts";

type Names =
  | "accounts.options"
  | "accounts.signUp"
  | "accounts.signIn"
  | "accounts.resetPassword"
  | "accounts.checkInvitation"
  | "accounts.update"
  | "accounts.changePassword"
  | "invitations.list"
  | "invitations.create"
  | "invitations.revoke";

export function accountRoutes(
  { accounts, signUp, invitations }: { accounts: Accounts; signUp: SignUp; invitations: Invitations },
  { me, webUrl }: { me: (visitor: Visitor) => Promise<Me>; webUrl: (request: RequestFacts) => string },
): Routes<Names> {
  const signedIn = async (session: OpenSession) => new JsonResponse(await me(session.visitor), { session });
  return {
    "accounts.options": async () => await accounts.options(),
    "accounts.signUp": async ({ body, request }) => {
      const { session } = await signUp(body, ownPageOf(request));
      if (session === undefined) return { status: "waiting", me: null };
      return new JsonResponse({ status: "joined", me: await me(session.visitor) }, { session });
    },
    "accounts.signIn": async ({ body, request }) =>
      await signedIn(await accounts.signIn(body, ownPageOf(request))),
    "accounts.resetPassword": async ({ body, request }) =>
      await signedIn(await accounts.resetPassword(body, ownPageOf(request))),
    "accounts.checkInvitation": async ({ body }) => await invitations.check(body.token),
    "accounts.update": async ({ visitor, body, request }) =>
      await accounts.update(visitor, body, sourceOf(request)),
    "accounts.changePassword": async ({ visitor, body, request }) => {
      await accounts.changePassword(visitor, body, sourceOf(request));
      return {};
    },
    "invitations.list": async () => ({ invitations: await invitations.list() }),
    "invitations.create": async ({ visitor, body, request }) => {
      const { invitation, token } = await invitations.create(actorOf(visitor, request), body);
      return { invitation, link: `${webUrl(request)}/invite#${token}` };
    },
    "invitations.revoke": async ({ visitor, params, request }) => {
      await invitations.revoke(actorOf(visitor, request), params.invitation_id);
      return {};
    },
  };
}

function sourceOf({ limitKey, userAgent, sessionToken }: RequestFacts): RequestSource {
  return { address: limitKey, device: userAgent, sessionToken };
}

/** Otherwise a form on another page could sign the browser in to somebody else's account. */
function ownPageOf(request: RequestFacts): RequestSource {
  if (!request.ownPage) throw new AppError("not-allowed");
  return sourceOf(request);
}

function actorOf({ userId }: Visitor, { limitKey }: RequestFacts) {
  return { id: userId, address: limitKey };
}
