import type { NounFacts } from "../facts/noun-facts.ts";

/** What a rule says about the calls of a tool. */
export const ruleValues = ["always", "ask", "never"] as const;
export type RuleValue = (typeof ruleValues)[number];

/**
 * Why a call was carried out: a person allowed it, they had allowed the tool in this chat or always, an administrator's rule
 * allows it, or nobody has to.
 */
export const callAllowances = ["person", "chat", "own-rule", "rule", "tool"] as const;
export type CallAllowance = (typeof callAllowances)[number];

const toolRulesMax = 2_000;

export const toolRules = {
  chapters: {
    toolRules: {
      title: "Rules for tools",
      description:
        "Whether tools are used without asking, only after asking, or never: for everybody, an assistant or a group, as administrators say, and for oneself. The strictest rule of administrators counts. A person’s own rule can only make it stricter, or allow what no administrator has a rule for.",
    },
  },
  ids: { toolRule: "trl_0" },
  limits: {
    /** Of a person, and of administrators together. */
    toolRulesMax,
  },
  errors: {
    "409, other clients": {
      "too-many-tool-rules": {
        en: `You’ve reached the limit of ${toolRulesMax} rules. Delete one you don’t need.`,
        ar: `بلغت الحد وهو ${toolRulesMax} قاعدة. احذف ما لا تحتاج إليه.`,
      },
    },
  },
  changes: ["toolRules-put"],
  auditActions: ["tool-rule-set", "tool-rule-removed"],
} as const satisfies NounFacts;
