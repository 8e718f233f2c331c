import { JsonResponse, type RequestFacts, type Routes, type Visitor } from "#server/lib/route.ts";
import type { Me } from "#contract/endpoints/auth.ts";
import { actorOf } from "#server/audit/audit.ts";
import { ownPageOf } from "#server/people/accounts/request-source.ts";
import type { ManageSignInProviders, ProviderManager } from "./manage-sign-in-providers.ts";
import type { ProviderSignIn } from "./provider-sign-in.ts";

type Names =
  | "signInProviders.list"
  | "signInProviders.create"
  | "signInProviders.update"
  | "signInProviders.remove"
  | "accounts.startProvider"
  | "accounts.finishProvider";

export function signInProviderRoutes(
  {
    signInProviders,
    providerSignIn,
  }: {
    signInProviders: ManageSignInProviders;
    providerSignIn: ProviderSignIn;
  },
  { me, webUrl }: { me: (visitor: Visitor) => Promise<Me>; webUrl: (request: RequestFacts) => string },
): Routes<Names> {
  return {
    "signInProviders.list": async ({ request }) => ({
      providers: await signInProviders.list(webUrl(request)),
    }),
    "signInProviders.create": async ({ visitor, body, request }) =>
      await signInProviders.create(managerOf(visitor, request), body, webUrl(request)),
    "signInProviders.update": async ({ visitor, params, body, request }) =>
      await signInProviders.update(
        managerOf(visitor, request),
        params.sign_in_provider_id,
        body,
        webUrl(request),
      ),
    "signInProviders.remove": async ({ visitor, params, request }) => {
      await signInProviders.remove(actorOf({ visitor, request }), params.sign_in_provider_id);
      return {};
    },
    "accounts.startProvider": async ({ params, body, request }) =>
      await providerSignIn.start(params.provider, body, ownPageOf(request), webUrl(request)),
    "accounts.finishProvider": async ({ params, body, request }) => {
      const result = await providerSignIn.finish(params.provider, body, ownPageOf(request), webUrl(request));
      if (result.status !== "signed-in") return { status: result.status, me: null };
      const { session } = result;
      return new JsonResponse({ status: "signed-in", me: await me(session.visitor) }, { session });
    },
  };
}

function managerOf(visitor: Visitor, request: RequestFacts): ProviderManager {
  return { ...actorOf({ visitor, request }), role: visitor.role };
}
