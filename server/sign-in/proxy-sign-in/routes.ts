import type { Me } from "#contract/endpoints/auth.ts";
import { JsonResponse, type Routes, type Visitor } from "#server/lib/route.ts";
import { ownPageOf } from "#server/people/accounts/request-source.ts";
import type { ProxySignIn } from "./proxy-sign-in.ts";

type Names = "accounts.proxyPerson" | "accounts.proxySignIn";

export function proxySignInRoutes(
  proxySignIn: ProxySignIn,
  { me }: { me: (visitor: Visitor) => Promise<Me> },
): Routes<Names> {
  return {
    "accounts.proxyPerson": async ({ request }) => ({ email: request.proxyPerson?.email ?? null }),
    "accounts.proxySignIn": async ({ request }) => {
      const { session } = await proxySignIn(request.proxyPerson, ownPageOf(request));
      if (session === undefined) return { status: "waiting", me: null };
      return new JsonResponse({ status: "joined", me: await me(session.visitor) }, { session });
    },
  };
}
