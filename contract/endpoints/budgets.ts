import * as z from "zod/mini";
import { budgetLimits, commonBudgets } from "../accounts/budgets.ts";
import { endpoints } from "./endpoints.ts";
import { limits } from "../limits.ts";
import { anyId, described, namedObject, queryName, queryNumber, timestamp, wholeNumber } from "./fields.ts";

const { budgetTokensMax, budgetUsdMax } = limits;
const usdRange = `must be a number from 0.01 to ${budgetUsdMax}`;
const usd = z.number().check(
  z.refine((value) => value >= 0.01 && value <= budgetUsdMax, usdRange),
  z.meta({ minimum: 0.01, maximum: budgetUsdMax }),
);

export const budgetLimitFields = namedObject(
  "BudgetLimits",
  "Input and output tokens, and US dollars by list prices, per day and month in UTC; null is no limit. Requests without a known price cost nothing.",
  {
    tokens_per_day: z.nullable(wholeNumber(1, budgetTokensMax)),
    tokens_per_month: z.nullable(wholeNumber(1, budgetTokensMax)),
    usd_per_day: z.nullable(usd),
    usd_per_month: z.nullable(usd),
  },
);

export const budgetUse = namedObject("BudgetUse", "What was used today and this month, in UTC.", {
  tokens_per_day: z.number(),
  tokens_per_month: z.number(),
  usd_per_day: z.number(),
  usd_per_month: z.number(),
});
export type BudgetUse = z.infer<typeof budgetUse>;

const commonBudget = namedObject(
  "CommonBudget",
  "The budget of each person, of each person of a role, or of each user of an app. Null limits: the budget of `everyone` counts for them. All guests of the web app share that of `guests`, which applies besides the one of each; visitors with an anonymous token share that of their app.",
  {
    id: z.enum(commonBudgets),
    limits: z.nullable(budgetLimitFields),
    used: described(z.nullable(budgetUse), "Null for budgets that people do not share."),
  },
);
export type CommonBudgetRow = z.infer<typeof commonBudget>;

const ownBudget = namedObject(
  "Budget",
  "The budget of a person, instead of that of their role, or one that the members of a group share.",
  {
    id: described(z.string(), "The id of the group or the person."),
    kind: z.enum(["group", "person"]),
    name: z.nullable(z.string()),
    email: z.nullable(z.string()),
    limits: budgetLimitFields,
    used: budgetUse,
  },
);
export type Budget = z.infer<typeof ownBudget>;

const remaining = namedObject("BudgetLeft", "A limit that applies to you, and what is used of it.", {
  limit: z.enum(budgetLimits),
  amount: z.number(),
  used: z.number(),
  group: described(
    z.nullable(z.string()),
    "The name of the group that shares it. Null for your own budget, and for that of guests.",
  ),
  of_guests: described(
    z.boolean(),
    "Whether all guests, or all visitors with an anonymous token of the app, share it.",
  ),
  until: described(timestamp, "When the next day or month begins."),
});
export type BudgetLeft = z.infer<typeof remaining>;

const permission = "people.manage" as const;
const idAbout = "The id of a person or a group, or one of the common budgets.";

export const budgetEndpoints = endpoints("account", {
  "budgets.own": {
    request: "GET /v1/budget",
    caller: "visitor",
    summary: "Get your budget",
    description:
      "Each limit that applies to you, the most used one first. Without limits, the list is empty. When one is used up, requests that need a model fail with `budget-used` until it begins anew.",
    response: z.object({ budgets: z.array(remaining) }),
  },
  "budgets.list": {
    request: "GET /v1/budgets",
    permission,
    summary: "List budgets",
    description:
      "All common budgets, and the groups and people with budgets of their own, groups first, by name. `next` is `after` of the next page.",
    query: z.object({
      search: z.optional(queryName(254)),
      after: z.optional(anyId),
      limit: z.optional(queryNumber(1, 100)),
    }),
    response: z.object({
      common: z.array(commonBudget),
      budgets: z.array(ownBudget),
      next: z.nullable(z.string()),
    }),
    errors: ["bad-cursor"],
  },
  "budgets.put": {
    request: "PUT /v1/budgets/{budget_id}",
    permission,
    audit: "budget-set",
    summary: "Set a budget",
    description: `${idAbout} A person's budget replaces that of their role, which replaces that of everyone; without any limit, it exempts them. That of a group applies besides. Takes effect at once.`,
    body: budgetLimitFields,
    response: budgetLimitFields,
    example: {
      body: { tokens_per_day: null, tokens_per_month: null, usd_per_day: null, usd_per_month: 20 },
    },
  },
  "budgets.remove": {
    request: "DELETE /v1/budgets/{budget_id}",
    permission,
    audit: "budget-removed",
    summary: "Remove a budget",
    description: `${idAbout} The budget of the role or of everyone counts again. Removing it again changes nothing.`,
  },
});
