import { JsonResponse, type RequestFacts, type Routes, type Visitor } from "#server/lib/route.ts";
import type { Me } from "#contract/endpoints/auth.ts";
import { ownPageOf, sourceOf } from "#server/people/accounts/request-source.ts";
import type { Passkeys } from "./passkeys.ts";

type Names =
  | "accounts.startPasskeySignIn"
  | "accounts.passkeySignIn"
  | "accounts.startPasskeySignUp"
  | "accounts.startPasskey"
  | "accounts.addPasskey"
  | "accounts.removePasskey";

export function passkeyRoutes(
  passkeys: Passkeys,
  { me, webUrl }: { me: (visitor: Visitor) => Promise<Me>; webUrl: (request: RequestFacts) => string },
): Routes<Names> {
  return {
    "accounts.startPasskeySignIn": async ({ request }) => {
      ownPageOf(request);
      return { options: await passkeys.startSignIn(webUrl(request)) };
    },
    "accounts.passkeySignIn": async ({ body, request }) => {
      const session = await passkeys.signIn(body, ownPageOf(request), webUrl(request));
      return new JsonResponse(await me(session.visitor), { session });
    },
    "accounts.startPasskeySignUp": async ({ body, request }) => {
      return { options: await passkeys.startSignUp(body, ownPageOf(request), webUrl(request)) };
    },
    "accounts.startPasskey": async ({ visitor, request }) => ({
      options: await passkeys.startAdding(visitor, webUrl(request)),
    }),
    "accounts.addPasskey": async ({ visitor, body, request }) =>
      await passkeys.add(visitor, body, sourceOf(request), webUrl(request)),
    "accounts.removePasskey": async ({ visitor, params, request }) => {
      await passkeys.remove(visitor, params.passkey_id, sourceOf(request));
      return {};
    },
  };
}
