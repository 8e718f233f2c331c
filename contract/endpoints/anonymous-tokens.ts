import * as z from "zod/mini";
import { endpoints } from "./endpoints.ts";
import { limits } from "../limits.ts";
import { budgetLimitFields, budgetUse } from "./budgets.ts";
import { anyId, described, namedObject } from "./fields.ts";

/** Whether an app issues anonymous tokens, and what its visitors who have one may use. */
const anonymousFields = {
  is_on: described(
    z.boolean(),
    "Whether anyone gets a token from `POST /v1/auth/tokens/anonymous` for this app.",
  ),
  models: described(
    z.nullable(
      z.array(anyId).check(z.maxLength(limits.allowedMax, `must have at most ${limits.allowedMax}`)),
    ),
    "The ids of the models that they may use; null allows all, also those that are added later. For the rest, the rights of guests apply.",
  ),
  budget: described(
    z.nullable(budgetLimitFields),
    "They share it, and it applies besides that of each guest; null is no limit.",
  ),
};
export const anonymousTokens = namedObject(
  "AnonymousTokens",
  "What anyone may do with the app's anonymous tokens.",
  {
    ...anonymousFields,
    used: budgetUse,
    is_allowed: described(
      z.boolean(),
      "Whether the operator allows anonymous tokens. If not, `is_on` has no effect.",
    ),
  },
);
export type AppAnonymousTokens = z.infer<typeof anonymousTokens>;

export const anonymousTokenEndpoints = endpoints("account", {
  "console.putAnonymousTokens": {
    request: "PUT /v1/admin/apps/{app_id}/anonymous-tokens",
    permission: "apps.manage",
    audit: "app-anonymous-tokens-changed",
    summary: "Choose whether an app issues anonymous tokens",
    description:
      "Takes effect at once: without them, tokens that exist are refused and their streams close. A page gets those of the oldest app that lists its origin and issues them, else those of the first app.",
    body: z.object(anonymousFields),
    example: {
      body: {
        is_on: true,
        models: null,
        budget: {
          tokens_per_day: limits.guestTokensPerDay,
          tokens_per_month: null,
          usd_per_day: null,
          usd_per_month: null,
        },
      },
    },
  },
});
