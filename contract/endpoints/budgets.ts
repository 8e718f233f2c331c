import * as z from "zod/mini";
import { budgetLimits, commonBudgets } from "../accounts/budgets.ts";
import type { Endpoints } from "../endpoint.ts";
import { limits } from "../limits.ts";
import { anyId, emptyObject, queryName, queryNumber, timestamp, wholeNumber } from "./fields.ts";

const { budgetTokensMax, budgetUsdMax } = limits;
const usdRange = `must be a number from 0.01 to ${budgetUsdMax}`;
const usd = z.number().check(
  z.refine((value) => value >= 0.01 && value <= budgetUsdMax, usdRange),
  z.meta({ minimum: 0.01, maximum: budgetUsdMax }),
);

export const budgetLimitFields = z
  .object({
    tokens_per_day: z.nullable(wholeNumber(1, budgetTokensMax)),
    tokens_per_month: z.nullable(wholeNumber(1, budgetTokensMax)),
    usd_per_day: z.nullable(usd),
    usd_per_month: z.nullable(usd),
  })
  .check(
    z.meta({
      id: "BudgetLimits",
      description:
        "Input and output tokens, and US dollars by list prices, per day and month in UTC; null is no limit. Requests without a known price cost nothing.",
    }),
  );

export const budgetUse = z
  .object({
    tokens_per_day: z.number(),
    tokens_per_month: z.number(),
    usd_per_day: z.number(),
    usd_per_month: z.number(),
  })
  .check(z.meta({ id: "BudgetUse", description: "What was used today and this month, in UTC." }));
export type BudgetUse = z.infer<typeof budgetUse>;

const commonBudget = z
  .object({
    id: z.enum(commonBudgets),
    limits: z.nullable(budgetLimitFields),
    used: z.nullable(budgetUse).check(z.describe("Null for budgets that people do not share.")),
  })
  .check(
    z.meta({
      id: "CommonBudget",
      description:
        "The budget of each person, of each person of a role, or of each user of an app. Null limits: the budget of `everyone` counts for them. All guests of the web app share that of `guests`, which applies besides the one of each; visitors with an anonymous token share that of their app.",
    }),
  );
export type CommonBudgetRow = z.infer<typeof commonBudget>;

const ownBudget = z
  .object({
    id: z.string().check(z.describe("The id of the group or the person.")),
    kind: z.enum(["group", "person"]),
    name: z.nullable(z.string()),
    email: z.nullable(z.string()),
    limits: budgetLimitFields,
    used: budgetUse,
  })
  .check(
    z.meta({
      id: "Budget",
      description:
        "The budget of a person, instead of that of their role, or one that the members of a group share.",
    }),
  );
export type Budget = z.infer<typeof ownBudget>;

const remaining = z
  .object({
    limit: z.enum(budgetLimits),
    amount: z.number(),
    used: z.number(),
    group: z
      .nullable(z.string())
      .check(
        z.describe("The name of the group that shares it. Null for your own budget, and for that of guests."),
      ),
    of_guests: z
      .boolean()
      .check(z.describe("Whether all guests, or all visitors with an anonymous token of the app, share it.")),
    until: timestamp.check(z.describe("When the next day or month begins.")),
  })
  .check(z.meta({ id: "BudgetLeft", description: "A limit that applies to you, and what is used of it." }));
export type BudgetLeft = z.infer<typeof remaining>;

const permission = "people.manage" as const;
const params = z.object({ budget_id: anyId });
const idAbout = "The id of a person or a group, or one of the common budgets.";

export const budgetEndpoints = {
  "budgets.own": {
    method: "GET",
    path: "/v1/budget",
    caller: "visitor",
    summary: "Get your budget",
    description:
      "Each limit that applies to you, the most used one first. Without limits, the list is empty. When one is used up, requests that need a model fail with `budget-used` until it begins anew.",
    kind: "json",
    status: 200,
    response: z.object({ budgets: z.array(remaining) }),
  },
  "budgets.list": {
    method: "GET",
    path: "/v1/budgets",
    caller: "account",
    permission,
    summary: "List budgets",
    description:
      "All common budgets, and the groups and people with budgets of their own, groups first, by name. `next` is `after` of the next page.",
    query: z.object({
      search: z.optional(queryName(254)),
      after: z.optional(anyId),
      limit: z.optional(queryNumber(1, 100)),
    }),
    kind: "json",
    status: 200,
    response: z.object({
      common: z.array(commonBudget),
      budgets: z.array(ownBudget),
      next: z.nullable(z.string()),
    }),
    errors: ["bad-cursor"],
  },
  "budgets.put": {
    method: "PUT",
    path: "/v1/budgets/{budget_id}",
    caller: "account",
    permission,
    audit: "budget-set",
    summary: "Set a budget",
    description: `${idAbout} A person's budget replaces that of their role, which replaces that of everyone; without any limit, it exempts them. That of a group applies besides. Takes effect at once.`,
    params,
    body: budgetLimitFields,
    kind: "json",
    status: 200,
    response: budgetLimitFields,
    example: {
      body: { tokens_per_day: null, tokens_per_month: null, usd_per_day: null, usd_per_month: 20 },
    },
  },
  "budgets.remove": {
    method: "DELETE",
    path: "/v1/budgets/{budget_id}",
    caller: "account",
    permission,
    audit: "budget-removed",
    summary: "Remove a budget",
    description: `${idAbout} The budget of the role or of everyone counts again. Removing it again changes nothing.`,
    params,
    kind: "json",
    status: 200,
    response: emptyObject,
  },
} as const satisfies Endpoints;
