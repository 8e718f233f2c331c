import * as z from "zod/mini";
import { endpoints } from "../endpoints/endpoints.ts";
import { anyId, described, name, namedObject, textOf } from "../endpoints/fields.ts";
import { limits } from "../limits.ts";
import { ruleValues } from "./tool-rules.ts";

const source = described(textOf(1, 100), "Whose tool it is: `built-in`, or the id of a tool server.");
const toolName = described(
  z.nullable(textOf(1, 64)),
  "The name that models call it by; null: all tools of the source.",
);

const tool = namedObject("RuledTool", "A tool that rules are about.", {
  name: z.string(),
  title: described(z.nullable(z.string()), "What people call it."),
  description: z.string(),
  source,
  effect: described(z.enum(["reads", "writes"]), "Whether a call changes something besides the answer."),
  sends_to: described(z.nullable(z.string()), "Where its arguments go, if they leave this server."),
  schema_hash: described(z.string(), "Changes when the tool does: then it is asked about again."),
});
export type RuledTool = z.infer<typeof tool>;

const rule = namedObject("ToolRule", "Whether a tool is used without asking, after asking, or never.", {
  source,
  tool: toolName,
  rule: z.enum(ruleValues),
  group_id: described(z.nullable(z.string()), "The group that it is for."),
  assistant_id: described(z.nullable(z.string()), "The assistant that it is for."),
});
export type ToolRuleEntry = z.infer<typeof rule>;

const ruleList = z.object({
  tools: described(z.array(tool), "The built-in tools."),
  rules: z.array(rule),
});

const change = {
  source,
  tool: toolName,
  rule: described(z.nullable(z.enum(ruleValues)), "Null removes the rule."),
};

const changeForAll = z.object({
  ...change,
  schema_hash: described(
    z.optional(textOf(1, 100)),
    "For `always`: the hash of the tool as it was shown. Required for one tool, unless it is built in and only reads. Without it, the rule covers only what reads.",
  ),
  group_id: described(z.optional(z.nullable(anyId)), "The group that it is for. Default: everybody."),
  assistant_id: described(
    z.optional(z.nullable(name)),
    "The assistant that it is for. Default: all. Either a group or an assistant.",
  ),
});

const example = { source: "built-in", tool: "calculate", rule: "ask" } as const;

export const toolRuleEndpoints = endpoints("visitor", {
  "toolRules.list": {
    request: "GET /v1/tool-rules",
    summary: "List your own rules for tools",
    description: "Only for users of the web app and anonymous visitors.",
    response: ruleList,
    errors: ["not-allowed"],
  },
  "toolRules.put": {
    request: "PUT /v1/tool-rules",
    audit: { none: "own-content" },
    summary: "Set or remove a rule for yourself",
    description:
      "It cannot undo a rule of an administrator that asks or forbids. `always` is only for built-in tools that read: allow others where they ask. Only for users of the web app and anonymous visitors.",
    body: z.object(change),
    bodyBytesMax: limits.formBodyBytes,
    errors: ["not-allowed", "too-many-tool-rules"],
    example: { body: example },
  },
  "toolRules.listForAll": {
    request: "GET /v1/tool-rules/for-all",
    caller: "account",
    permission: "assistants.manage",
    summary: "List the rules of administrators",
    description: "For everybody, for groups and for assistants.",
    response: ruleList,
  },
  "toolRules.putForAll": {
    request: "PUT /v1/tool-rules/for-all",
    caller: "account",
    permission: "assistants.manage",
    audit: { when: "when it changes", writes: ["tool-rule-set", "tool-rule-removed"] },
    summary: "Set or remove a rule for others",
    description:
      "For everybody, a group or an assistant. Of the rules that apply to a call, the strictest counts. They apply at once, also to answers in progress.",
    body: changeForAll,
    bodyBytesMax: limits.formBodyBytes,
    errors: ["group-not-found", "too-many-tool-rules"],
    example: { body: example },
  },
});
