import type { RequestFacts, Routes } from "#server/lib/route.ts";
import { sourceOf } from "#server/people/accounts/request-source.ts";
import type { SecondFactors } from "./second-factors.ts";

type Names =
  | "accounts.startSecondFactor"
  | "accounts.addSecondFactor"
  | "accounts.removeSecondFactor"
  | "accounts.renewRecoveryCodes";

export function secondFactorRoutes(
  secondFactors: SecondFactors,
  { webUrl }: { webUrl: (request: RequestFacts) => string },
): Routes<Names> {
  return {
    "accounts.startSecondFactor": async ({ visitor, request }) =>
      await secondFactors.start(visitor, webUrl(request)),
    "accounts.addSecondFactor": async ({ visitor, body, request }) => ({
      recovery_codes: await secondFactors.add(visitor, body, sourceOf(request)),
    }),
    "accounts.renewRecoveryCodes": async ({ visitor, request }) => ({
      recovery_codes: await secondFactors.renewRecoveryCodes(visitor, sourceOf(request)),
    }),
    "accounts.removeSecondFactor": async ({ visitor, request }) => {
      await secondFactors.remove(visitor, sourceOf(request));
      return {};
    },
  };
}
