import * as z from "zod/mini";
import type { Endpoints } from "../endpoint.ts";
import { limits } from "../limits.ts";
import { budgetLimitFields, budgetUse } from "./budgets.ts";
import { anyId, emptyObject } from "./fields.ts";

/** Whether an app issues anonymous tokens, and what its visitors who have one may use. */
const anonymousFields = {
  is_on: z
    .boolean()
    .check(z.describe("Whether anyone gets a token from `POST /v1/auth/tokens/anonymous` for this app.")),
  models: z
    .nullable(z.array(anyId).check(z.maxLength(limits.allowedMax, `must have at most ${limits.allowedMax}`)))
    .check(
      z.describe(
        "The ids of the models that they may use; null allows all, also those that are added later. For the rest, the rights of guests apply.",
      ),
    ),
  budget: z
    .nullable(budgetLimitFields)
    .check(z.describe("They share it, and it applies besides that of each guest; null is no limit.")),
};
export const anonymousTokens = z
  .object({
    ...anonymousFields,
    used: budgetUse,
    is_allowed: z
      .boolean()
      .check(z.describe("Whether the operator allows anonymous tokens. If not, `is_on` has no effect.")),
  })
  .check(
    z.meta({
      id: "AnonymousTokens",
      description: "What anyone may do with the app's anonymous tokens.",
    }),
  );
export type AppAnonymousTokens = z.infer<typeof anonymousTokens>;

export const anonymousTokenEndpoints = {
  "console.putAnonymousTokens": {
    method: "PUT",
    path: "/v1/admin/apps/{app_id}/anonymous-tokens",
    caller: "account",
    permission: "apps.manage",
    audit: "app-anonymous-tokens-changed",
    summary: "Choose whether an app issues anonymous tokens",
    description:
      "Takes effect at once: without them, tokens that exist are refused and their streams close. A page gets those of the oldest app that lists its origin and issues them, else those of the first app.",
    params: z.object({ app_id: anyId }),
    body: z.object(anonymousFields),
    kind: "json",
    status: 200,
    response: emptyObject,
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
} as const satisfies Endpoints;
