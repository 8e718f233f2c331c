import { JsonResponse, type RequestFacts, type Routes, type Visitor } from "#server/lib/route.ts";
import type { Me } from "#contract/endpoints/auth.ts";
import { limits } from "#contract/limits.ts";
import { AppError } from "#server/lib/errors.ts";
import type { Mail } from "../mail/mail.ts";
import type { OpenSession } from "#server/sign-in/sessions.ts";
import type { AccountDeletion } from "./account-deletion.ts";
import type { Accounts } from "./accounts.ts";
import type { Invitations } from "./invitations.ts";
import { actorOf } from "#server/audit/audit.ts";
import { ownPageOf, sourceOf } from "./request-source.ts";
import type { OwnSignInMethods } from "./sign-in-methods.ts";
import type { SignUp } from "./sign-up.ts";

type Names =
  | "accounts.options"
  | "accounts.signUp"
  | "accounts.signIn"
  | "accounts.resetPassword"
  | "accounts.checkInvitation"
  | "accounts.update"
  | "accounts.changePassword"
  | "accounts.remove"
  | "accounts.confirm"
  | "accounts.methods"
  | "accounts.removeIdentity"
  | "accounts.removeProxyIdentity"
  | "invitations.list"
  | "invitations.create"
  | "invitations.revoke";

export function accountRoutes(
  {
    accounts,
    deletion,
    signUp,
    invitations,
    signInMethods,
    mail,
  }: {
    accounts: Accounts;
    deletion: AccountDeletion;
    signUp: SignUp;
    invitations: Invitations;
    signInMethods: OwnSignInMethods;
    mail: Mail;
  },
  { me, webUrl }: { me: (visitor: Visitor) => Promise<Me>; webUrl: (request: RequestFacts) => string },
): Routes<Names> {
  const signedIn = async (session: OpenSession) => new JsonResponse(await me(session.visitor), { session });
  return {
    "accounts.options": async () => await accounts.options(),
    "accounts.signUp": async ({ body, request }) => {
      const { session, isMailed } = await signUp(body, ownPageOf(request), webUrl(request));
      if (session === undefined) return { status: isMailed ? "confirm-email" : "waiting", me: null };
      return new JsonResponse({ status: "joined", me: await me(session.visitor) }, { session });
    },
    "accounts.signIn": async ({ body, request }) =>
      await signedIn(await accounts.signIn(body, ownPageOf(request), webUrl(request))),
    "accounts.resetPassword": async ({ body, request }) =>
      await signedIn(await accounts.resetPassword(body, ownPageOf(request))),
    "accounts.checkInvitation": async ({ body }) => await invitations.check(body.token),
    "accounts.update": async ({ visitor, body, request }) =>
      await accounts.update(visitor, body, sourceOf(request)),
    "accounts.changePassword": async ({ visitor, body, request }) => {
      await accounts.changePassword(visitor, body, sourceOf(request));
      return {};
    },
    "accounts.remove": async ({ visitor, request }) => ({
      deletes_at: (await deletion.request(visitor, sourceOf(request))).toISOString(),
    }),
    "accounts.confirm": async ({ visitor, body, request }) => {
      await accounts.confirm(visitor, body, sourceOf(request));
      return {};
    },
    "accounts.methods": async ({ visitor }) => await signInMethods.list(visitor.userId),
    "accounts.removeIdentity": async ({ visitor, params, request }) => {
      await signInMethods.removeIdentity(visitor, params.sign_in_provider_id, sourceOf(request));
      return {};
    },
    "accounts.removeProxyIdentity": async ({ visitor, request }) => {
      await signInMethods.removeProxyIdentity(visitor, sourceOf(request));
      return {};
    },
    "invitations.list": async () => ({ invitations: await invitations.list() }),
    "invitations.create": async ({ visitor, body, request }) => {
      if (body.email !== undefined && !(await mail.isSet())) throw new AppError("mail-not-set");
      const { invitation, token } = await invitations.create(actorOf({ visitor, request }), {
        role: body.role,
        note: body.note ?? body.email?.slice(0, limits.accountNameCharacters),
      });
      const link = `${webUrl(request)}/invite#${token}`;
      const server = new URL(webUrl(request)).host;
      const message = {
        kind: "invitation",
        language: body.language ?? "en",
        server,
        inviter: invitation.invited_by ?? server,
        link,
      } as const;
      const isMailed = body.email !== undefined && (await mail.deliver(body.email, message));
      return { invitation, link, is_mailed: isMailed };
    },
    "invitations.revoke": async ({ visitor, params, request }) => {
      await invitations.revoke(actorOf({ visitor, request }), params.invitation_id);
      return {};
    },
  };
}
